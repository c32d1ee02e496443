import type { components } from '../../../../generated/schema.d.ts';
import { readJson } from '../../../database/json.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import type { SiteRedirectRow } from './queries.ts';

/** Converts a redirect of a site to its representation in the API. */
export const presentSiteRedirect = (
  row: SiteRedirectRow,
  resourceUrls: ResourceUrls,
): components['schemas']['SiteRedirect'] => ({
  object: 'site-redirect',
  id: row.id,
  source: row.source,
  draft: row.draft === 1,
  captureWildcard: row.captureWildcard === 1,
  permanent: row.permanent === 1,
  destination: readJson(row.destination),
  createdAt: row.createdAt,
  ...(row.updatedAt !== null && { updatedAt: row.updatedAt }),
  urls: resourceUrls.siteRedirect(row.organization, row.site, row.id),
});
