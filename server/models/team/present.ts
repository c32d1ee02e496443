import type { components } from '../../../generated/schema.d.ts';
import type { Queries } from '../../database/database.ts';
import { type Access, accessOfTeams } from '../../identity/access.ts';
import { teamPermissions } from '../../identity/permissions.ts';
import { countSpacesVisibleTo } from '../space/visible.ts';
import type { TeamRow } from './queries.ts';

/** Turns teams of one organization into what one of its members sees of them; their grants are read once. */
export function teamPresenter(queries: Queries, access: Access) {
  let given: ReturnType<typeof accessOfTeams> | undefined;
  return async (row: TeamRow): Promise<components['schemas']['Team']> => {
    given ??= accessOfTeams(queries, access.organization);
    const accessOfTeam = await given;
    return {
      object: 'team',
      id: row.id,
      title: row.title,
      members: row.members,
      spaces: await countSpacesVisibleTo(queries, accessOfTeam(row.id)),
      createdAt: row.createdAt,
      permissions: teamPermissions(access.role, row.own ?? undefined),
    };
  };
}
