import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';
import { columnTypes, index, required, table } from './columns.ts';

/** Bytes of a chunk. A released migration never changes, so it does not follow the store's constant. */
const CHUNK_BYTES = 262_144;

/**
 * Stores the bytes of files in chunks, so that reading a part of a file reads only that part. Existing files are divided
 * with one of them in memory at a time. Their hashes are unchanged, and also identify their chunks.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer, bytes } = columnTypes(db);

  await db.schema.alterTable('blobs').renameTo('wholeBlobs').execute();
  await table(db, 'blobs')
    .addColumn('organization', text, required)
    .addColumn('hash', text, required)
    .addColumn('size', integer, required)
    .addColumn('content', text, required)
    // The previous table uses the previous name of the key until it is dropped.
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
  // Dropping the table frees its disk space; dropping a column would not.
  await db.schema.dropTable('wholeBlobs').execute();
}

async function copyChunks(db: Kysely<unknown>): Promise<void> {
  const length = sql.lit(CHUNK_BYTES);
  if (engineOf(db) === 'postgres') {
    // Appending an empty value decompresses each file once instead of once per chunk.
    await sql`insert into "blobChunks" ("organization", "content", "index", "data")
      select "organization", "hash", "n", substr("data", ("n" * ${length})::int + 1, ${length})
      from (select "organization", "hash", "size", "data" || ''::bytea as "data" from "wholeBlobs" offset 0) as "whole"
      cross join lateral generate_series(0, ("size" - 1) / ${length}) as "n"
      where "size" > 0`.execute(db);
    return;
  }
  // In one statement, SQLite would read the whole file for each of its chunks.
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
