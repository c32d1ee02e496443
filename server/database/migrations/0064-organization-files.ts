import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, required, table } from './columns.ts';

/** Images of organizations, for their sites. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'organizationFiles')
    .addColumn('id', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('hash', text, required)
    .addColumn('name', text, required)
    .addColumn('contentType', text, required)
    .addColumn('extension', text, required)
    .addColumn('size', integer, required)
    .addColumn('createdAt', text, required)
    .addUniqueConstraint('organizationFiles_content', ['organization', 'hash'])
    .execute();
  await index(db, 'organizationFiles', ['organization', 'createdAt', 'id']);
}
