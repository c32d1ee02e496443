import type { Selectable } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { UsersTable } from '../database/schema.ts';
import { AccessError } from './errors.ts';
import { hashToken, isWellFormedToken } from './tokens.ts';

/** Who a request is made by. */
export interface Caller {
  user: Selectable<UsersTable>;
  /** The id of the access token, not the token. */
  token: string;
}

/**
 * Finds the caller by the access token.
 *
 * @throws AccessError `unauthenticated` for a token that is unknown, expired or revoked; the answer does not
 * say which
 */
export async function authenticate(queries: Queries, bearer: string, now: Date): Promise<Caller> {
  if (!isWellFormedToken(bearer)) throw unknownToken();
  const row = await queries
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user')
    .selectAll('users')
    .select(['tokens.id as token', 'tokens.expiresAt', 'tokens.revokedAt'])
    .where('tokens.hash', '=', hashToken(bearer))
    .executeTakeFirst();
  const live = row && row.revokedAt === null && (row.expiresAt === null || row.expiresAt > now.toISOString());
  if (!live) throw unknownToken();
  const { token, expiresAt: _expiresAt, revokedAt: _revokedAt, ...user } = row;
  return { user, token };
}

const unknownToken = () =>
  new AccessError('unauthenticated', 'The access token is unknown, expired or revoked. Use another one.');
