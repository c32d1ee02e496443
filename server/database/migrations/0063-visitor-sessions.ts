import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, required, table } from './columns.ts';

/** Sessions of the visitors of sites, whose tokens are longer than the cookies that browsers accept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);

  await table(db, 'visitorSessions')
    .addColumn('hash', text, key)
    .addColumn('organization', text, required)
    .addColumn('site', text, ownedBy('sites.id'))
    .addColumn('token', text, required)
    .addColumn('expiresAt', text, required)
    .execute();
  // The sessions that end last are retained.
  await index(db, 'visitorSessions', ['site', 'expiresAt']);
  await index(db, 'visitorSessions', ['expiresAt']);
}
