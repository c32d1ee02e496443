import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';
import { columnTypes, index, required, table } from './columns.ts';

/** Bytes of a chunk. A released migration never changes, so it does not follow the store's constant. */
const CHUNK_BYTES = 262_144;

/**
 * Stores the bytes of files in chunks, so that reading a part of a file reads no more than that part. Existing
 * files are cut up with one of them in memory at a time; hashes stay, and name the chunks, too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer, bytes } = columnTypes(db);

  await db.schema.alterTable('blobs').renameTo('wholeBlobs').execute();
  await table(db, 'blobs')
    .addColumn('organization', text, required)
    .addColumn('hash', text, required)
    .addColumn('size', integer, required)
    .addColumn('content', text, required)
    // The old table has the name of the old key until it goes.
    .addPrimaryKeyConstraint('blobs_hash', ['organization', 'hash'])
    .execute();
  await table(db, 'blobChunks')
    .addColumn('organization', text, required)
    .addColumn('content', text, required)
    .addColumn('index', integer, required)
    .addColumn('data', bytes, required)
    .addPrimaryKeyConstraint('blobChunks_key', ['organization', 'content', 'index'])
    .execute();
  await table(db, 'blobUploads')
    .addColumn('organization', text, required)
    .addColumn('content', text, required)
    .addColumn('expiresAt', text, required)
    .addPrimaryKeyConstraint('blobUploads_key', ['organization', 'content'])
    .execute();
  await index(db, 'blobUploads', ['organization', 'expiresAt']);

  await copyChunks(db);
  await sql`insert into "blobs" ("organization", "hash", "size", "content")
    select "organization", "hash", "size", "hash" from "wholeBlobs"`.execute(db);
  // Dropped as a whole, which gives the space back; a column alone would keep it.
  await db.schema.dropTable('wholeBlobs').execute();
}

async function copyChunks(db: Kysely<unknown>): Promise<void> {
  const length = sql.lit(CHUNK_BYTES);
  if (engineOf(db) === 'postgres') {
    // Appending nothing unpacks the bytes once for each file instead of once for each chunk.
    await sql`insert into "blobChunks" ("organization", "content", "index", "data")
      select "organization", "hash", "n", substr("data", ("n" * ${length})::int + 1, ${length})
      from (select "organization", "hash", "size", "data" || ''::bytea as "data" from "wholeBlobs" offset 0) as "whole"
      cross join lateral generate_series(0, ("size" - 1) / ${length}) as "n"
      where "size" > 0`.execute(db);
    return;
  }
  // Here the database would read the whole file again for each of its chunks.
  for (let last = { organization: '', hash: '' }; ; ) {
    const { rows } = await sql<{ organization: string; hash: string; data: Uint8Array }>`
      select "organization", "hash", "data" from "wholeBlobs"
      where ("organization", "hash") > (${last.organization}, ${last.hash})
      order by "organization", "hash" limit 1`.execute(db);
    const [file] = rows;
    if (!file) {
      return;
    }
    const { organization, hash, data } = file;
    for (let index = 0; index * CHUNK_BYTES < data.byteLength; index++) {
      await sql`insert into "blobChunks" ("organization", "content", "index", "data")
        values (${organization}, ${hash}, ${index},
          ${data.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES)})`.execute(db);
    }
    last = { organization, hash };
  }
}
