import type { components } from '../../../generated/schema.d.ts';
import type { Queries } from '../../database/database.ts';
import { accessOf } from '../../identity/access.ts';
import type { Addresses } from '../addresses.ts';
import { countSpacesVisibleTo } from '../space/visible.ts';
import { presentUser } from '../user/present.ts';
import type { MemberRow } from './queries.ts';

/**
 * Turns members of one organization into what others see of them. The spaces of an organization are counted
 * once for all members with a role, who see the same; guests' one by one.
 */
export function memberPresenter(queries: Queries, addresses: Addresses) {
  let all: Promise<number> | undefined;
  const countSpaces = async (row: MemberRow): Promise<number> => {
    if (row.role !== null && all) return await all;
    const access = await accessOf(queries, {
      user: row.user,
      organization: row.organization,
      role: row.role ?? undefined,
    });
    const count = countSpacesVisibleTo(queries, access);
    if (row.role !== null) all = count;
    return await count;
  };
  return async (row: MemberRow): Promise<components['schemas']['Member']> => ({
    object: 'member',
    id: row.user,
    role: row.role,
    user: presentUser(row, addresses),
    disabled: row.disabled === 1,
    joinedAt: row.joinedAt,
    ...(row.lastSeenAt !== null && { lastSeenAt: row.lastSeenAt }),
    sso: row.sso === 1,
    spaces: await countSpaces(row),
    teams: row.teams,
  });
}
