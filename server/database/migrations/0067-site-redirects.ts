import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, required, table } from './columns.ts';

/** Redirects of sites. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'siteRedirects')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('site', text, ownedBy('sites.id'))
    .addColumn('source', text, required)
    .addColumn('path', text, required)
    .addColumn('wildcard', text, required)
    .addColumn('draft', integer, required)
    .addColumn('captureWildcard', integer, required)
    .addColumn('permanent', integer, required)
    .addColumn('destination', text, required)
    .addColumn('createdAt', text, required)
    .addColumn('updatedAt', text)
    .addUniqueConstraint('siteRedirects_source', ['site', 'path', 'wildcard', 'draft'])
    .execute();
  await index(db, 'siteRedirects', ['site', 'createdAt', 'id']);
}
