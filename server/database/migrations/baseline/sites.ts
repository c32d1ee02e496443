import type { Kysely } from 'kysely';
import { columnTypes, defaultsTo, index, key, ownedBy, partialIndex, required, table } from '../columns.ts';

/** Sites, the entries of their structures, their visitors, and their redirects. */
export async function createSites(db: Kysely<unknown>): Promise<void> {
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
    .addColumn('authIntegration', text)
    .addColumn('defaultSection', text)
    .addColumn('defaultSiteSpace', text)
    .addColumn('version', integer, required)
    .addColumn('spaceCount', integer, defaultsTo(0))
    .addColumn('searchedText', text, defaultsTo(''))
    .addColumn('createdAt', text, required)
    .addColumn('createdBy', text)
    .addUniqueConstraint('sites_basename', ['organization', 'basename'])
    .addUniqueConstraint('sites_proxyOrigin', ['proxyOrigin'])
    .execute();
  // For sites with restricted visitors.
  await index(db, 'sites', ['visibility', 'published']);
  await index(db, 'sites', ['adaptiveContent', 'published']);
  await partialIndex(db, 'sites', 'of_spaces', ['organization', 'id'], '"spaceCount" > 1');
  // Covers searches in titles, in the order of the list.
  await index(db, 'sites', ['organization', 'createdAt', 'id', 'published', 'type', 'searchedText']);

  await createStructure(db);
  await createVisitors(db);
  await createRedirects(db);
}

/** The entries of the structures of sites. */
async function createStructure(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);

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
}

/** Links and sessions that let visitors in, and their opinions about pages. */
async function createVisitors(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

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

  // Sessions of visitors with tokens longer than the cookies that browsers accept.
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

  await table(db, 'siteFeedback')
    .addColumn('id', text, key)
    .addColumn('organization', text, required)
    .addColumn('site', text, ownedBy('sites.id'))
    .addColumn('siteSpace', text, required)
    .addColumn('space', text, required)
    .addColumn('page', text, required)
    .addColumn('url', text, required)
    .addColumn('rating', text, required)
    .addColumn('comment', text)
    .addColumn('createdAt', text, required)
    .execute();
  await index(db, 'siteFeedback', ['site', 'createdAt', 'id']);
  await index(db, 'siteFeedback', ['createdAt']);
}

async function createRedirects(db: Kysely<unknown>): Promise<void> {
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
