import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ContractError } from '../../../contract/errors.ts';
import { jsonText } from '../../../contract/response/json.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { isRetryable, LockError } from '../../../database/errors.ts';
import type { Log } from '../../../database/log.ts';
import type { Clock } from '../../../database/seams.ts';
import type { Writes } from '../../../database/writes.ts';
import { idempotencyKeyReused, responseNotRecorded, unavailable } from '../../../errors/errors.ts';
import { openSecret, sealingKey, sealSecret } from '../../../outgoing/credentials.ts';
import { Turns } from './turns.ts';

/** How long a request with an idempotency key returns its first response again. */
export const IDEMPOTENCY_KEY_RETENTION_MS = 86_400_000;
/**
 * Time until a request with an idempotency key, but without a recorded response, is considered ended. Repeated
 * requests wait for its response until then.
 */
export const IDEMPOTENT_REQUEST_TIMEOUT_MS = 120_000;
/** Expired keys deleted by each request with a key. */
export const MAX_DELETED_IDEMPOTENCY_KEYS = 100;

/** Minimum and maximum interval for looking up the response of a request in another process. */
const [MIN_POLL_MS, MAX_POLL_MS] = [5, 250];

/** Attempts to perform a request, repeated only if another request used the key and was then rejected. */
export const MAX_IDEMPOTENT_ATTEMPTS = 3;

/** A request that a caller identified with an idempotency key. */
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

/** How a request is processed. */
export interface KeyedWork {
  /** The followed writes of `perform`. */
  writes: Writes;
  /** Performs the request. */
  perform(): Promise<RecordedResponse>;
  /**
   * Checks that the caller may perform the request now.
   *
   * @param response the first response, which the caller must also be allowed to read; undefined if there is none
   * @throws ContractError 401, 403 or 404, as the request without a key
   */
  authorize(response: RecordedResponse | undefined): Promise<void>;
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

/** The first request with a key. */
interface FirstRequest {
  request: string;
  /** Undefined if it was not recorded. */
  response: RecordedResponse | undefined;
}

/** The key was used by a concurrent request, which committed first. */
class KeyInUseError extends Error {}

/** Performs requests with an idempotency key once. */
export class KeyedRequests {
  readonly #turns = new Turns();

  /**
   * Performs a request, or returns the response that it had for the same idempotency key within 24 hours, if the caller
   * may still perform it. The key is stored in the transaction of the work, so that of several requests, also
   * concurrent ones in other processes, only one commits; the others wait for its response. Requests that are rejected
   * release the key.
   *
   * @throws ContractError 401, 403 or 404 if the caller may not perform the request any more; 409 for a key of another
   *   request, or if the first response is unknown
   */
  async performOnce(
    services: IdempotencyServices,
    request: KeyedRequest,
    work: KeyedWork,
  ): Promise<RecordedResponse> {
    const name = requestNameOf(request);
    // Concurrent requests of this process take turns, so that they use up nothing else, such as slots.
    const outcome = await this.#turns.run(`${name.user} ${name.key}`, IDEMPOTENT_REQUEST_TIMEOUT_MS, () =>
      findOrPerform(services, name, work),
    );
    if ('performed' in outcome) {
      return outcome.performed;
    }
    // The response of another request is none of this one.
    const isSame = outcome.request === name.request;
    await work.authorize(isSame ? outcome.response : undefined);
    if (!isSame) {
      throw idempotencyKeyReused();
    }
    if (!outcome.response) {
      throw responseNotRecorded();
    }
    return outcome.response;
  }
}

/** Finds the first request with a key, or performs this one. */
async function findOrPerform(
  services: IdempotencyServices,
  name: RequestName,
  work: KeyedWork,
): Promise<{ performed: RecordedResponse } | FirstRequest> {
  for (let attempt = 0; attempt < MAX_IDEMPOTENT_ATTEMPTS; attempt++) {
    const outcome = (await awaitFirst(services, name)) ?? (await performFirst(services, name, work));
    if (outcome) {
      return outcome;
    }
  }
  throw unavailable();
}

/**
 * Performs a request. If another one with its key committed first, returns that one, or undefined if that one was then
 * rejected.
 */
async function performFirst(
  services: IdempotencyServices,
  name: RequestName,
  { writes, perform }: KeyedWork,
): Promise<{ performed: RecordedResponse } | FirstRequest | undefined> {
  writes.beforeFirstCommit = (trx) => claimKey(services, trx, name);
  try {
    const response = await perform();
    await recordResponse(services, name, response);
    return { performed: response };
  } catch (error) {
    if (writes.committed) {
      await releaseKey(services, name, error);
      throw error;
    }
    const first = mayBeCausedByFirst(error) ? await awaitFirst(services, name) : undefined;
    if (!first && !(error instanceof KeyInUseError)) {
      throw error;
    }
    return first;
  }
}

/** Whether an error of a request may be due to the changes of a concurrent one with the same key. */
const mayBeCausedByFirst = (error: unknown): boolean =>
  error instanceof KeyInUseError ||
  error instanceof LockError ||
  isRetryable(error) ||
  (error instanceof ContractError && error.status < 500 && !isRefusal(error));

/** Whether an error means that the caller lacks the right to a request. */
export const isRefusal = (error: unknown): error is ContractError =>
  error instanceof ContractError && [401, 403, 404].includes(error.status);

function requestNameOf({ user, key, operationId, path, query, body }: KeyedRequest): RequestName {
  return { user, key: sha256(key), request: sha256(JSON.stringify([operationId, path, query, body])) };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Time before which a key has expired. */
const expiryOf = ({ clock }: IdempotencyServices): string =>
  new Date(clock().getTime() - IDEMPOTENCY_KEY_RETENTION_MS).toISOString();

/**
 * Finds the first request with the key of a request, and waits until its response is recorded. Does not wait for another
 * request, or for one that has ended without a response.
 */
async function awaitFirst(
  services: IdempotencyServices,
  name: RequestName,
): Promise<FirstRequest | undefined> {
  const deadline = performance.now() + IDEMPOTENT_REQUEST_TIMEOUT_MS;
  for (let wait = MIN_POLL_MS; ; wait = Math.min(2 * wait, MAX_POLL_MS)) {
    const row = await findRow(services, name);
    if (row?.response != null) {
      return { request: row.request, response: openResponse(services, name, row.response) };
    }
    const hasEnded =
      row && services.clock().getTime() - Date.parse(row.createdAt) >= IDEMPOTENT_REQUEST_TIMEOUT_MS;
    if (!row || hasEnded || row.request !== name.request || performance.now() >= deadline) {
      return row && { request: row.request, response: undefined };
    }
    await delay(wait);
  }
}

const findRow = async (services: IdempotencyServices, { user, key }: RequestName) =>
  await services.database.query
    .selectFrom('idempotencyKeys')
    .select(['request', 'response', 'createdAt'])
    .where('user', '=', user)
    .where('key', '=', key)
    .where('createdAt', '>', expiryOf(services))
    .executeTakeFirst();

/** Decrypts a response that {@link recordResponse} encrypted. */
const openResponse = (
  { secretKey }: IdempotencyServices,
  { user, key }: RequestName,
  sealed: string,
): RecordedResponse =>
  // Written by recordResponse.
  JSON.parse(openSecret(sealed, sealingKey(secretKey), contextOf(user, key))) as RecordedResponse;

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
