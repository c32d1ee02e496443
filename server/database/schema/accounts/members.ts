import type { Generated } from 'kysely';
import type { Flag } from '../../json.ts';
import type { Role } from './roles.ts';

export interface MembersTable {
  organization: string;
  user: string;
  /** Null for a guest. */
  role: Role | null;
  disabled: Flag;
  sso: Flag;
  joinedAt: string;
  lastSeenAt: string | null;
  /** Folded name and email address of the user, maintained by triggers. */
  searchedText: Generated<string>;
}
