import type { Queries } from '../../../database/database.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import type { SiteRow } from '../../spaces/publications/rows.ts';
import { siteTarget } from '../../spaces/publications/urls.ts';

/**
 * Returns whether scripts of integrations can run in the origin of a site: in that of its organization, and in the
 * public one unless another organization restricts who reads a site there. Scripts could read these sites as their
 * visitors, because browsers separate origins, not paths.
 */
export async function canRunScripts(
  queries: Queries,
  site: SiteRow,
  resourceUrls: ResourceUrls,
): Promise<boolean> {
  if (!siteTarget(resourceUrls, site).startsWith(resourceUrls.at('/'))) {
    return true;
  }
  const restricted = await queries
    .selectFrom('sites')
    .select('id')
    .where('published', '=', 1)
    .where('organization', '!=', site.organization)
    .where((row) =>
      row.or([row('visibility', 'in', ['share-link', 'visitor-auth']), row('adaptiveContent', '=', 1)]),
    )
    .limit(1)
    .executeTakeFirst();
  return !restricted;
}
