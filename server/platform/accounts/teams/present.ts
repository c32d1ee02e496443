import type { components } from '../../../../generated/schema.d.ts';
import { batched } from '../../../database/batched.ts';
import type { Queries } from '../../../database/database.ts';
import { readRowCounts } from '../../../database/row-counts.ts';
import type { Membership } from '../../../identity/membership.ts';
import { teamPermissions } from '../../../identity/permissions.ts';
import { subjectSpacesCounter } from '../../../identity/visible-spaces.ts';
import type { TeamRow } from './queries.ts';

/**
 * Creates a function that converts teams to their representation for the caller. Counts of a page are batched. After a
 * change, teams are presented outside its transaction: it would conflict with other changes of the counts.
 */
export function teamPresenter(queries: Queries, caller: Membership) {
  const countSpaces = subjectSpacesCounter(queries, 'team', caller);
  const countMembers = batched<string, number>(async (ids) => {
    const counts = await readRowCounts(
      queries,
      { organization: caller.organization, kind: 'members of team' },
      ids,
    );
    return (id) => counts.get(id) ?? 0;
  });
  return async (row: TeamRow): Promise<components['schemas']['Team']> => ({
    object: 'team',
    id: row.id,
    title: row.title,
    members: await countMembers(row.id),
    spaces: await countSpaces(row.id),
    createdAt: row.createdAt,
    permissions: teamPermissions(caller.role, row.callerRole ?? undefined),
  });
}
