import type { Selectable } from 'kysely';
import type { Database, Queries, Transaction } from '../../../database/database.ts';
import type { TokensTable } from '../../../database/schema/accounts/access-tokens.ts';
import { accessTokenLimitReached } from '../../../errors/errors.ts';
import { type CreatedToken, createToken } from '../../../identity/tokens.ts';
import type { RecordAudit } from '../../kit/audit/record.ts';

/** An access token. Its secret is not stored. */
export type TokenRow = Selectable<TokensTable>;

/** Maximum number of tokens of a user that are neither expired nor revoked. */
export const MAX_LIVE_TOKENS = 100;

/** Selects the tokens of a user that are not revoked. */
export function tokensOf(queries: Queries, user: string) {
  return queries
    .selectFrom('tokens')
    .selectAll()
    .where('tokens.user', '=', user)
    .where('tokens.revokedAt', 'is', null);
}

/**
 * Finds the organization that manages the tokens of a user: the one that they joined first. A token is valid in all
 * organizations, and anyone can create an organization and add members, so later organizations must not manage it.
 *
 * @returns undefined if the user is not a member of any organization
 */
export async function managingOrganization(queries: Queries, user: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom('members')
    .select('organization')
    .where('user', '=', user)
    .orderBy('joinedAt')
    .orderBy('organization')
    .limit(1)
    .executeTakeFirst();
  return row?.organization;
}

/**
 * Creates an access token of a user, and records it in the organization that manages their tokens.
 *
 * @throws ContractError 409 if the user has the maximum number of tokens
 */
export async function issueToken(
  trx: Transaction,
  audit: RecordAudit,
  options: Parameters<typeof createToken>[1],
): Promise<CreatedToken> {
  const { user, now, scopes } = options;
  const { live } = await tokensOf(trx, user)
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('live'))
    .where((token) => token.or([token('expiresAt', 'is', null), token('expiresAt', '>', now.toISOString())]))
    .executeTakeFirstOrThrow();
  if (live >= MAX_LIVE_TOKENS) {
    throw accessTokenLimitReached('user', live, MAX_LIVE_TOKENS);
  }
  const created = await createToken(trx, options);
  await recordToken(trx, audit, 'token.created', { id: created.row.id, user, scopes });
  return created;
}

/** Revokes an unrevoked token, and records it in the organization that manages the user's tokens. */
export async function revokeToken(
  trx: Transaction,
  audit: RecordAudit,
  { id, user }: Pick<TokenRow, 'id' | 'user'>,
  now: Date,
): Promise<void> {
  await trx.updateTable('tokens').set({ revokedAt: now.toISOString() }).where('id', '=', id).execute();
  await recordToken(trx, audit, 'token.revoked', { id, user });
}

/** Maximum number of tokens that one statement deletes, so that other writers do not wait long. */
const PRUNE_BATCH_SIZE = 500;

/** Deletes the tokens that were revoked or expired before a point in time, in short transactions. */
export async function pruneEndedTokens(
  database: Database,
  before: Date,
  signal?: AbortSignal,
): Promise<void> {
  const end = before.toISOString();
  for (let deleted = BigInt(PRUNE_BATCH_SIZE); deleted >= PRUNE_BATCH_SIZE; ) {
    signal?.throwIfAborted();
    const result = await database.query
      .deleteFrom('tokens')
      .where('id', 'in', (token) =>
        token
          .selectFrom('tokens')
          .select('id')
          .where((ended) => ended.or([ended('revokedAt', '<', end), ended('expiresAt', '<', end)]))
          .limit(PRUNE_BATCH_SIZE),
      )
      .executeTakeFirstOrThrow();
    deleted = result.numDeletedRows;
  }
}

async function recordToken(
  trx: Transaction,
  audit: RecordAudit,
  action: 'token.created' | 'token.revoked',
  { id, user, scopes }: { id: string; user: string; scopes?: readonly string[] | undefined },
): Promise<void> {
  const organization = await managingOrganization(trx, user);
  if (organization === undefined) {
    return;
  }
  await audit(trx, {
    organization,
    action,
    resource: { type: 'token', id },
    details: { subject: { type: 'user', id: user }, ...(scopes && { fields: [...scopes] }) },
  });
}
