import type { Selectable } from 'kysely';
import { unauthenticated } from '../contract/errors.ts';
import type { Queries } from '../database/database.ts';
import { readJson } from '../database/json.ts';
import type { TokenScope } from '../database/schema/access-tokens.ts';
import type { UsersTable } from '../database/schema/users.ts';
import { hashToken, isWellFormedToken } from './tokens.ts';

declare const brand: unique symbol;

/** ID of the caller. Branded, so that the ID of another user cannot be passed instead. */
export type CallerId = string & { readonly [brand]: 'caller' };

/** Brands the ID of an authenticated user. */
// The brand exists in types only.
export const callerIdOf = (user: string): CallerId => user as CallerId;

/** The authenticated user of a request. */
export interface Caller {
  id: CallerId;
  user: Selectable<UsersTable>;
  token: CallerToken;
}

/** The access token of a request, without its secret. */
export interface CallerToken {
  id: string;
  /** Scopes that it is limited to; null for all permissions of its user. */
  scopes: TokenScope[] | null;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

/**
 * Finds the caller by the access token.
 *
 * @throws ContractError 401 if the token is unknown, expired or revoked; the error does not state which
 */
export async function authenticate(queries: Queries, bearer: string, now: Date): Promise<Caller> {
  if (!isWellFormedToken(bearer)) {
    throw unknownToken();
  }
  const row = await queries
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user')
    .selectAll('users')
    .select([
      'tokens.id as token',
      'tokens.scopes',
      'tokens.expiresAt',
      'tokens.revokedAt',
      'tokens.lastUsedAt',
    ])
    .where('tokens.hash', '=', hashToken(bearer))
    .executeTakeFirst();
  const live = row && row.revokedAt === null && (row.expiresAt === null || row.expiresAt > now.toISOString());
  if (!live) {
    throw unknownToken();
  }
  const { token, scopes, expiresAt, revokedAt: _, lastUsedAt, ...user } = row;
  return {
    id: callerIdOf(user.id),
    user,
    token: { id: token, scopes: readJson(scopes), expiresAt, lastUsedAt },
  };
}

const unknownToken = () =>
  unauthenticated('The access token is unknown, expired or revoked. Use another one.');
