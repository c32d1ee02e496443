import type { Role } from '../accounts/roles.ts';

export interface CollectionsTable {
  id: string;
  organization: string;
  parent: string | null;
  title: string;
  description: string | null;
  /** Null to inherit the level of the parent, or the member's role. */
  defaultLevel: Role | null;
  /** Position among the collections and spaces of the same parent, see `between` in positions.ts. */
  position: string;
  createdAt: string;
}
