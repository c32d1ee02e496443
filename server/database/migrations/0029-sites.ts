import type { Kysely } from 'kysely';
import { columnTypes, index, key, ownedBy, required, table } from './columns.ts';
import { constant, createRowCounts } from './row-count-triggers.ts';

/** Sites, the entries of their structures, and their share links. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'sites')
    .addColumn('id', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('type', text, required)
    .addColumn('title', text, required)
    .addColumn('basename', text)
    .addColumn('proxyOrigin', text)
    .addColumn('visibility', text, required)
    .addColumn('published', integer, required)
    .addColumn('adaptiveContent', integer, required)
    .addColumn('adaptiveSchema', text)
    .addColumn('adaptiveSchemaUpdatedAt', text)
    .addColumn('agentsContext', text, required)
    .addColumn('customization', text)
    .addColumn('signingKey', text, required)
    .addColumn('fallbackURL', text)
    .addColumn('defaultSection', text)
    .addColumn('defaultSiteSpace', text)
    .addColumn('version', integer, required)
    .addColumn('createdAt', text, required)
    .addColumn('createdBy', text)
    .addUniqueConstraint('sites_basename', ['organization', 'basename'])
    .addUniqueConstraint('sites_proxyOrigin', ['proxyOrigin'])
    .execute();
  await index(db, 'sites', ['organization', 'createdAt', 'id']);

  await table(db, 'siteSectionGroups')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('site', text, ownedBy('sites.id'))
    .addColumn('title', text, required)
    .addColumn('icon', text)
    .addColumn('position', text, required)
    .execute();
  await index(db, 'siteSectionGroups', ['site', 'position']);

  await table(db, 'siteSections')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('site', text, ownedBy('sites.id'))
    .addColumn('sectionGroup', text)
    .addColumn('title', text, required)
    .addColumn('description', text)
    .addColumn('path', text, required)
    .addColumn('condition', text)
    .addColumn('icon', text)
    .addColumn('defaultSiteSpace', text, required)
    .addColumn('position', text, required)
    .addUniqueConstraint('siteSections_path', ['site', 'path'])
    .execute();

  await table(db, 'siteSpaces')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('site', text, ownedBy('sites.id'))
    .addColumn('section', text)
    .addColumn('space', text, required)
    .addColumn('path', text, required)
    .addColumn('condition', text)
    .addColumn('position', text, required)
    .execute();
  await index(db, 'siteSpaces', ['site', 'section', 'position']);
  await index(db, 'siteSpaces', ['space']);

  await table(db, 'shareLinks')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('site', text, ownedBy('sites.id'))
    .addColumn('name', text, required)
    .addColumn('active', integer, required)
    .addColumn('secret', text, required)
    .addColumn('secretHash', text, required)
    .addColumn('createdAt', text, required)
    .addUniqueConstraint('shareLinks_secretHash', ['site', 'secretHash'])
    .execute();
  await index(db, 'shareLinks', ['site', 'createdAt', 'id']);

  await createRowCounts(db, 'siteCounts', [{ table: 'sites', kind: constant('sites') }]);
}
