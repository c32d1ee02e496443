import type { Generated } from 'kysely';
import type { Flag } from '../../json.ts';

export interface TeamsTable {
  id: string;
  organization: string;
  title: string;
  createdAt: string;
  createdBy: string | null;
  /** Folded title, maintained by triggers. */
  searchedText: Generated<string>;
  /** Whether copies in `teamSearchedText` may be outdated: the team was renamed while it had many members. */
  hasOutdatedCopies: Generated<Flag>;
}

export interface TeamMembersTable {
  organization: string;
  team: string;
  user: string;
  role: 'owner' | 'member';
  /** Time when the user joined the organization. Orders the members of a team. */
  joinedAt: string;
  /** Time of creation of the team. Orders the teams of a member. */
  teamCreatedAt: string;
  /** Copy of the searched text of the team, maintained by triggers unless the team has outdated copies. */
  teamSearchedText: Generated<string>;
}
