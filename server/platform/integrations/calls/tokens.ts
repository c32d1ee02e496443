import { LRUCache } from 'lru-cache';
import type { Database, Transaction } from '../../../database/database.ts';
import type { Clock, CreateId } from '../../../database/seams.ts';
import { accountOf } from '../../../identity/integration-accounts.ts';
import { createToken } from '../../../identity/tokens.ts';

/** Lifetime of the access token that a script receives, in milliseconds. */
export const CALL_TOKEN_LIFETIME_MS = 20 * 60 * 1000;
/** Minimum remaining lifetime of a token that a script receives, in milliseconds. */
export const MIN_CALL_TOKEN_LIFETIME_MS = 10 * 60 * 1000;
/** Maximum number of current tokens of installations and integrations that a process remembers. */
export const MAX_REMEMBERED_TOKENS = 1000;

const LABEL = 'Integration call';

interface RememberedToken {
  id: string;
  token: string;
  expiresAt: number;
}

interface TokenServices {
  database: Database;
  clock: Clock;
  createId: CreateId;
}

/** The current tokens by account. Secrets are only in memory, so that each process creates its own tokens. */
const remembered = new WeakMap<Database, LRUCache<string, RememberedToken>>();

function tokensOf(database: Database): LRUCache<string, RememberedToken> {
  const tokens = remembered.get(database) ?? new LRUCache({ max: MAX_REMEMBERED_TOKENS });
  remembered.set(database, tokens);
  return tokens;
}

/** Returns an access token of an installation for its script. It has the published scopes of the integration. */
export const installationToken = (services: TokenServices, installation: string): Promise<string> =>
  currentToken(services, installation);

/** Returns an access token of an integration for its script. It manages the installations. */
export const integrationToken = (
  services: TokenServices,
  { name, title }: { name: string; title: string },
): Promise<string> =>
  currentToken(services, accountOf(name), async (trx, now) => {
    await trx
      .insertInto('users')
      .values({
        id: accountOf(name),
        email: null,
        displayName: title,
        photoURL: null,
        createdAt: now.toISOString(),
      })
      .onConflict((user) => user.column('id').doNothing())
      .execute();
  });

/**
 * Returns the current token of an account, which is used for several calls, so that not every call writes to the
 * database.
 *
 * @param prepare called before a token is created
 */
async function currentToken(
  { database, clock, createId }: TokenServices,
  account: string,
  prepare?: (trx: Transaction, now: Date) => Promise<void>,
): Promise<string> {
  const tokens = tokensOf(database);
  const current = tokens.get(account);
  const now = clock();
  if (current && current.expiresAt - now.getTime() >= MIN_CALL_TOKEN_LIFETIME_MS) {
    const live = await database.query
      .selectFrom('tokens')
      .select('id')
      .where('id', '=', current.id)
      .where('revokedAt', 'is', null)
      .executeTakeFirst();
    if (live) {
      return current.token;
    }
  }
  const expiresAt = new Date(now.getTime() + CALL_TOKEN_LIFETIME_MS);
  const { row, token } = await database.transaction(async (trx) => {
    await prepare?.(trx, now);
    await trx
      .deleteFrom('tokens')
      .where('user', '=', account)
      .where('label', '=', LABEL)
      .where('expiresAt', '<=', now.toISOString())
      .execute();
    return await createToken(trx, { user: account, label: LABEL, now, createId, expiresAt });
  });
  tokens.set(account, { id: row.id, token, expiresAt: expiresAt.getTime() });
  return token;
}
