import type { Queries } from '../database/database.ts';
import type { Membership } from './membership.ts';

/** Maximum number of teams of a guest for reading a version per team instead of one for the grants to all teams. */
export const MAX_VERSIONED_TEAMS = 100;

/**
 * Returns the owners in `visibilityVersions` that determine which spaces and collections a guest sees. Grants to other
 * users and teams do not change their versions.
 */
export async function visibilityOwners(
  queries: Queries,
  { organization, user }: Membership,
): Promise<string[]> {
  const teams = await queries
    .selectFrom('teamMembers')
    .select('team')
    .where('organization', '=', organization)
    .where('user', '=', user)
    .orderBy('team')
    .limit(MAX_VERSIONED_TEAMS + 1)
    .execute();
  return teams.length > MAX_VERSIONED_TEAMS
    ? ['', user]
    : ['placements', user, ...teams.map(({ team }) => team)];
}
