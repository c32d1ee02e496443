import type { components } from '../../../generated/schema.d.ts';
import type { Queries } from '../../database/database.ts';
import type { Membership } from '../../identity/membership.ts';
import { teamPermissions } from '../../identity/permissions.ts';
import { subjectSpacesCounter } from '../spaces/visible.ts';
import type { TeamRow } from './queries.ts';

/** Creates a function that converts teams to their representation for the caller. Counts of a page are batched. */
export function teamPresenter(queries: Queries, caller: Membership) {
  const countSpaces = subjectSpacesCounter(queries, 'team', caller);
  return async (row: TeamRow): Promise<components['schemas']['Team']> => ({
    object: 'team',
    id: row.id,
    title: row.title,
    members: row.members,
    spaces: await countSpaces(row.id),
    createdAt: row.createdAt,
    permissions: teamPermissions(caller.role, row.callerRole ?? undefined),
  });
}
