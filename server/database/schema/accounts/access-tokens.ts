import type { JsonText } from '../../json.ts';

/** Scope of an access token. Each includes the scopes before it. */
export type TokenScope = 'read' | 'write' | 'admin';

/** Access tokens, stored as hashes. */
export interface TokensTable {
  id: string;
  hash: string;
  user: string;
  label: string;
  /** Scopes of the token; null for all permissions of its user. */
  scopes: JsonText<TokenScope[]> | null;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}
