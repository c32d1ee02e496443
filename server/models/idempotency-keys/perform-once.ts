import { createHash } from 'node:crypto';
import { ContractError } from '../../contract/errors.ts';
import { jsonText } from '../../contract/json.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Log } from '../../database/log.ts';
import type { Clock } from '../../database/seams.ts';
import type { Writes } from '../../database/writes.ts';
import { idempotencyKeyReused, responseNotRecorded, unavailable } from '../../errors.ts';
import { openSecret, sealingKey, sealSecret } from '../../outgoing/credentials.ts';

/** Time for which a request with an idempotency key returns its first response again. */
export const IDEMPOTENCY_KEY_RETENTION_MS = 86_400_000;
/** Time after which a request with an idempotency key, but without a recorded response, is considered ended. */
export const IDEMPOTENT_REQUEST_TIMEOUT_MS = 120_000;
/** Expired keys deleted by each request with a key. */
export const MAX_DELETED_IDEMPOTENCY_KEYS = 100;

/** A request that a user identified with an idempotency key. */
export interface KeyedRequest {
  user: string;
  key: string;
  operationId: string;
  path: object;
  query: object;
  body: unknown;
}

/** The response of a request, which is returned again for the same key. */
export interface RecordedResponse {
  body: unknown;
  location: string | undefined;
}

interface IdempotencyServices {
  database: Database;
  clock: Clock;
  secretKey: string;
  log: Pick<Log, 'warn'>;
}

/** The columns that identify a keyed request. */
interface RequestName {
  user: string;
  key: string;
  request: string;
}

/** The key was used by a concurrent request, which committed first. */
class KeyInUseError extends Error {}

/**
 * Runs `work`, or returns the response that it had for the same idempotency key within 24 hours. The key is stored in
 * the transaction of `work`, so that of several requests, also concurrent ones in other processes, only one commits.
 * Failed requests that changed nothing release the key.
 *
 * @param writes the followed writes of `work`
 * @throws ContractError 409 for a key of another request, or if the first response is unknown; 503 if the first request
 *   is still in progress
 */
export async function performOnce(
  services: IdempotencyServices,
  request: KeyedRequest,
  writes: Writes,
  work: () => Promise<RecordedResponse>,
): Promise<RecordedResponse> {
  const name = nameOf(request);
  const earlier = await findResponse(services, name);
  if (earlier) {
    return earlier;
  }
  writes.beforeFirstCommit = (trx) => claimKey(services, trx, name);
  try {
    const response = await work();
    await recordResponse(services, name, response);
    return response;
  } catch (error) {
    if (!(error instanceof KeyInUseError)) {
      if (writes.committed) {
        await releaseKey(services, name, error);
      }
      throw error;
    }
    const first = await findResponse(services, name);
    if (!first) {
      throw unavailable();
    }
    return first;
  }
}

function nameOf({ user, key, operationId, path, query, body }: KeyedRequest): RequestName {
  // An empty query is omitted, so that keys stored by earlier releases remain valid.
  const parts = [operationId, path, body, ...(Object.keys(query).length > 0 ? [query] : [])];
  return { user, key: sha256(key), request: sha256(JSON.stringify(parts)) };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Time before which a key has expired. */
const expiryOf = ({ clock }: IdempotencyServices): string =>
  new Date(clock().getTime() - IDEMPOTENCY_KEY_RETENTION_MS).toISOString();

/**
 * Finds the recorded response of a request.
 *
 * @throws ContractError as {@link performOnce}
 */
async function findResponse(
  services: IdempotencyServices,
  { user, key, request }: RequestName,
): Promise<RecordedResponse | undefined> {
  const { database, clock, secretKey } = services;
  const row = await database.query
    .selectFrom('idempotencyKeys')
    .select(['request', 'response', 'createdAt'])
    .where('user', '=', user)
    .where('key', '=', key)
    .where('createdAt', '>', expiryOf(services))
    .executeTakeFirst();
  if (!row) {
    return undefined;
  }
  if (row.request !== request) {
    throw idempotencyKeyReused();
  }
  if (row.response === null) {
    const age = clock().getTime() - Date.parse(row.createdAt);
    throw age < IDEMPOTENT_REQUEST_TIMEOUT_MS
      ? unavailable('A request with this idempotency key is in progress. Try again in a second.')
      : responseNotRecorded();
  }
  // Written by recordResponse.
  return JSON.parse(
    openSecret(row.response, sealingKey(secretKey), contextOf(user, key)),
  ) as RecordedResponse;
}

/** Stores the key of a request, or takes over an expired one. */
async function claimKey(services: IdempotencyServices, trx: Transaction, name: RequestName): Promise<void> {
  const claimed = { ...name, response: null, createdAt: services.clock().toISOString() };
  const row = await trx
    .insertInto('idempotencyKeys')
    .values(claimed)
    .onConflict((conflict) =>
      conflict
        .columns(['user', 'key'])
        .doUpdateSet(claimed)
        .where('idempotencyKeys.createdAt', '<=', expiryOf(services)),
    )
    .returning('key')
    .executeTakeFirst();
  if (!row) {
    throw new KeyInUseError();
  }
}

/** Records a response. If this fails, the request has still succeeded. */
async function recordResponse(
  services: IdempotencyServices,
  { user, key, request }: RequestName,
  response: RecordedResponse,
): Promise<void> {
  const { database, secretKey, log } = services;
  try {
    const sealed = sealSecret(jsonText(response), sealingKey(secretKey), contextOf(user, key));
    await database.query
      .updateTable('idempotencyKeys')
      .set({ response: sealed })
      .where('user', '=', user)
      .where('key', '=', key)
      .where('request', '=', request)
      .execute();
    await deleteExpired(services);
  } catch (err) {
    log.warn({ err }, 'the response of a request with an idempotency key was not recorded');
  }
}

/**
 * Releases the key of a request that was rejected. A request that failed otherwise may have changed something. If the
 * release fails, the request still fails with its own error.
 */
async function releaseKey(
  { database, log }: IdempotencyServices,
  name: RequestName,
  error: unknown,
): Promise<void> {
  if (!(error instanceof ContractError) || error.status >= 500) {
    return;
  }
  try {
    await database.query
      .deleteFrom('idempotencyKeys')
      .where('user', '=', name.user)
      .where('key', '=', name.key)
      .where('request', '=', name.request)
      .where('response', 'is', null)
      .execute();
  } catch (err) {
    log.warn({ err }, 'the idempotency key of a rejected request was not released');
  }
}

async function deleteExpired(services: IdempotencyServices): Promise<void> {
  await services.database.query
    .deleteFrom('idempotencyKeys')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('user', 'key'),
        'in',
        selectFrom('idempotencyKeys')
          .select(['user', 'key'])
          .where('createdAt', '<=', expiryOf(services))
          .orderBy('createdAt')
          .limit(MAX_DELETED_IDEMPOTENCY_KEYS)
          .$asTuple('user', 'key'),
      ),
    )
    .execute();
}

/** Binds a sealed response to its row. */
const contextOf = (user: string, key: string): string => `idempotency ${user} ${key}`;
