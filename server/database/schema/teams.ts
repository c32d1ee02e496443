import type { Generated } from 'kysely';

export interface TeamsTable {
  id: string;
  organization: string;
  title: string;
  createdAt: string;
  createdBy: string | null;
  /** Folded title, maintained by triggers. */
  searchedText: Generated<string>;
}

export interface TeamMembersTable {
  organization: string;
  team: string;
  user: string;
  role: 'owner' | 'member';
  /** Time at which the user joined the organization: the order of the members of a team. */
  joinedAt: string;
  /** Time at which the team was created: the order of the teams of a member. */
  teamCreatedAt: string;
}
