import type { Role } from '../accounts/roles.ts';

/** Roles granted to a user or team on a space or collection. */
export interface GrantsTable {
  organization: string;
  targetKind: 'space' | 'collection';
  target: string;
  subjectKind: 'user' | 'team';
  subject: string;
  role: Role;
  createdAt: string;
}
