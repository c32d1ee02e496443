import type { components } from '../../../../generated/schema.d.ts';
import { readJson } from '../../../database/json.ts';
import type { TokenRow } from './queries.ts';

/** Converts an access token to its representation in the API. Its secret is not stored. */
export function presentToken(row: TokenRow): components['schemas']['UserAccessToken'] {
  const scopes = readJson(row.scopes);
  return {
    object: 'access-token',
    id: row.id,
    label: row.label,
    ...(scopes && { scopes }),
    createdAt: row.createdAt,
    ...(row.lastUsedAt !== null && { lastUsedAt: row.lastUsedAt }),
    ...(row.expiresAt !== null && { expiresAt: row.expiresAt }),
  };
}
