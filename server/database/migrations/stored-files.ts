import { type Kysely, sql } from 'kysely';
import { columnTypes } from './columns.ts';

/** Adds the object of the bytes of a file that are not in the database, with an index of the objects alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  for (const table of ['blobs', 'blobUploads']) {
    await db.schema.alterTable(table).addColumn('object', text).execute();
    await sql`
      create index ${sql.ref(`${table}_object`)} on ${sql.table(table)} ("object") where "object" is not null
    `.execute(db);
  }
}
