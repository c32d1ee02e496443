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
  const count = async ({ user, organization, role }: MemberRow): Promise<number> =>
    await countSpacesVisibleTo(
      queries,
      await accessOf(queries, { user, organization, role: role ?? undefined }),
    );
  const countSpaces = async (row: MemberRow): Promise<number> => {
    if (row.role === null) return await count(row);
    all ??= count(row);
    return await all;
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
