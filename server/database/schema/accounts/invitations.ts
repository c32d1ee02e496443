import type { Flag } from '../../json.ts';
import type { Role } from './roles.ts';

/** An invite link: grants a role in the organization, or a level on one space or collection. */
export interface LinkInvitesTable {
  id: string;
  organization: string;
  role: Role | null;
  level: Role | null;
  targetKind: 'space' | 'collection' | null;
  target: string | null;
  createdAt: string;
  createdBy: string;
}

export interface InvitesTable {
  id: string;
  organization: string;
  /** In lower case. */
  email: string;
  role: Role | null;
  sso: Flag;
  createdAt: string;
  createdBy: string;
  acceptedAt: string | null;
}
