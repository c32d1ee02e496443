import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';

/** The columns with long texts. */
const COLUMNS = [
  ['objects', 'data'],
  ['openAPISpecVersions', 'text'],
  ['openAPISpecVersions', 'document'],
] as const;

/**
 * Compresses long texts with LZ4 if PostgreSQL was built with it: in half the time of its default, pglz. Stored values
 * remain as they are.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (engineOf(db) !== 'postgres') {
    return;
  }
  const supported = await sql`
    select 1 from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)`.execute(db);
  if (supported.rows.length === 0) {
    return;
  }
  for (const [table, column] of COLUMNS) {
    await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} set compression lz4`.execute(
      db,
    );
  }
}
