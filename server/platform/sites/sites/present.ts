import type { components } from '../../../../generated/schema.d.ts';
import type { Queries } from '../../../database/database.ts';
import type { Membership } from '../../../identity/membership.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import type { SiteRow } from '../../spaces/publications/rows.ts';
import { siteBase, siteTarget, withShareKey } from '../../spaces/publications/urls.ts';
import { readCustomization } from './queries/customization.ts';
import { featuresOf } from './queries/features.ts';
import { sitePermissions } from './queries/permissions.ts';
import { siteSpacesCounter } from './queries.ts';

type Schemas = components['schemas'];

/** Creates a function that converts sites to their representation for a member. Counts of a page are batched. */
export function sitePresenter(queries: Queries, member: Membership, resourceUrls: ResourceUrls) {
  const countSiteSpaces = siteSpacesCounter(queries, member);
  return async (row: SiteRow): Promise<Schemas['Site']> =>
    presentSite(row, { siteSpaces: await countSiteSpaces(row.id), member }, resourceUrls);
}

/**
 * Converts a site to its representation.
 *
 * @param reader.siteSpaces the number of site spaces that the reader sees
 * @param reader.member undefined for a visitor
 * @param reader.shareKey secret of a share link that the published URL contains
 */
export const presentSite = (
  row: SiteRow,
  {
    siteSpaces,
    member,
    shareKey,
  }: { siteSpaces: number; member: Membership | undefined; shareKey?: string | undefined },
  resourceUrls: ResourceUrls,
): Schemas['Site'] => ({
  object: 'site',
  id: row.id,
  type: row.type,
  appliedType: row.type,
  title: row.title,
  ...(row.customization !== null && { icon: readCustomization(row).favicon }),
  ...(row.basename !== null && { basename: row.basename }),
  ...(row.proxyOrigin !== null && {
    proxy: { origin: row.proxyOrigin, target: siteTarget(resourceUrls, row) },
  }),
  visibility: row.visibility,
  defaultLevel: 'inherit',
  permissions: sitePermissions(member),
  published: row.published === 1,
  siteSpaces,
  createdAt: row.createdAt,
  adaptiveContent: { enabled: row.adaptiveContent === 1 },
  ...(row.type === 'sponsored' && { ads: { status: 'pending', submittable: isSubmittable(row) } }),
  agentsContext: row.agentsContext,
  features: featuresOf(row.type),
  urls: {
    ...resourceUrls.site(row.organization, row.id),
    ...(row.published === 1 && { published: withShareKey(siteBase(resourceUrls, row), shareKey) }),
  },
});

/** Whether a site meets the requirements for advertising: everyone can find it. */
const isSubmittable = ({ published, visibility }: SiteRow): boolean =>
  published === 1 && visibility === 'public';
