import type { components } from '../../../../generated/schema.d.ts';
import type { Queries } from '../../../database/database.ts';
import type { Membership } from '../../../identity/membership.ts';
import { visibleSitesCounter } from '../../../identity/visible-sites.ts';
import { visibleSpacesCounter } from '../../../identity/visible-spaces.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { presentUser } from '../users/present.ts';
import type { MemberRow } from './queries.ts';

/** Creates a function that converts members to their representation for the caller. Counts of a page are batched. */
export function memberPresenter(queries: Queries, caller: Membership, resourceUrls: ResourceUrls) {
  const countSpaces = visibleSpacesCounter(queries, caller);
  const countSites = visibleSitesCounter(queries, caller);
  return async (row: MemberRow): Promise<components['schemas']['Member']> => {
    const spaces = await countSpaces(row);
    // Afterwards, because it uses the counts of spaces.
    const sites = await countSites(row);
    return {
      object: 'member',
      id: row.user,
      role: row.role,
      user: presentUser(row, resourceUrls),
      disabled: row.disabled === 1,
      joinedAt: row.joinedAt,
      ...(row.lastSeenAt !== null && { lastSeenAt: row.lastSeenAt }),
      sso: row.sso === 1,
      spaces,
      teams: row.teams,
      ...(sites !== undefined && { sites }),
    };
  };
}
