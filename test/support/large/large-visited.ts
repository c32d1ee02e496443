import { sql } from 'kysely';
import type { Database } from '../../../server/database/database.ts';
import { MAX_SITE_SPACES } from '../../../server/platform/sites/structure/edit/append.ts';
import { createSigningKey, openSigningKey } from '../../../server/platform/sites/visitors/signing-keys.ts';
import { signVisitorToken } from '../sites/visited-sites.ts';
import { FIRST_NUMBER, fill, idOf } from './fill-table.ts';
import { siteRow, spaceRow } from './large-rows.ts';

/** Published sites with many spaces, and a space on many sites. */
export interface VisitedSites {
  /** Public site with the maximum number of spaces. */
  wideSiteId: string;
  /** Space on as many sites. Only the last one is public. */
  sharedSpaceId: string;
  /** Token of a visitor of the last site that requires one. */
  visitorToken: string;
}

/** Fills an organization with sites for visitors. */
export async function fillVisited(
  database: Database,
  { organization, count, secretKey }: { organization: string; count: number; secretKey: string },
): Promise<VisitedSites> {
  const size = Math.min(count, MAX_SITE_SPACES);
  const [wideSiteId, sharedSpaceId] = ['site_wide', 'spc_shared'];
  const position = sql`'V' || i || '1'`;
  const siteSpace = { organization, section: null, condition: null, position };
  await fill(database, 'sites', 1, {
    ...siteRow(organization),
    id: wideSiteId,
    signingKey: createSigningKey(secretKey, wideSiteId),
    defaultSiteSpace: `wide_${FIRST_NUMBER}`,
  });
  await fill(database, 'spaces', size, {
    ...spaceRow(organization),
    id: idOf('spcwide'),
    revision: idOf('revwide'),
    position,
  });
  await fill(database, 'siteSpaces', size, {
    ...siteSpace,
    id: idOf('wide'),
    site: wideSiteId,
    space: idOf('spcwide'),
    path: sql`'path-' || i`,
  });
  await fill(database, 'spaces', 1, { ...spaceRow(organization), id: sharedSpaceId, revision: 'rev_shared' });
  await fill(database, 'sites', size, {
    ...siteRow(organization),
    id: idOf('siteshared'),
    visibility: sql`case i when ${sql.lit(FIRST_NUMBER + size - 1)} then 'public' else 'visitor-auth' end`,
    defaultSiteSpace: idOf('shared'),
  });
  await fill(database, 'siteSpaces', size, {
    ...siteSpace,
    id: idOf('shared'),
    site: idOf('siteshared'),
    space: sharedSpaceId,
    path: 'shared',
  });
  let key = '';
  // In one transaction, which is written at once.
  await database.transaction(async (trx) => {
    for (let number = FIRST_NUMBER; number < FIRST_NUMBER + size; number++) {
      const id = `siteshared_${number}`;
      const signingKey = createSigningKey(secretKey, id);
      await trx.updateTable('sites').set({ signingKey }).where('id', '=', id).execute();
      if (number === FIRST_NUMBER + size - 2) {
        key = openSigningKey(secretKey, { id, signingKey });
      }
    }
  });
  return { wideSiteId, sharedSpaceId, visitorToken: await signVisitorToken(key) };
}
