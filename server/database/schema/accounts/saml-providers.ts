import type { Role } from './roles.ts';

export interface SamlProvidersTable {
  id: string;
  organization: string;
  label: string;
  ssoURL: string | null;
  entityID: string | null;
  certificate: string | null;
  defaultTeam: string | null;
  defaultRole: Role | null;
  createdAt: string;
}
