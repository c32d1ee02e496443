import type { OperationEntry } from '../../generated/operations.ts';
import { type OpenApiDocument, operationsOf, parametersOf } from '../contract/document.ts';
import { lazily } from '../contract/lazily.ts';
import type { HandlerCall } from '../contract/router-options.ts';
import type { Reader } from '../database/replicas/replicas.ts';
import { followWrites, type Writes } from '../database/writes.ts';
import { outcomeUnknown } from '../errors/errors.ts';
import { KeyedRequests } from '../platform/kit/idempotency-keys/keyed-requests.ts';
import { locationOf } from '../platform/kit/location.ts';
import type { Context } from '../platform/kit/slice.ts';
import { type AnyHandlers, createReplayCheck } from './replay-check.ts';

/** Request header that identifies a creation. */
const KEY_HEADER = 'idempotency-key';

/**
 * Creates the function that calls the handlers, so that a retry does not repeat a change: requests with an idempotency
 * key are processed once, and a 503 after a committed transaction has no `Retry-After`.
 *
 * @param operations the operations of the document
 * @param handlers their handlers
 * @param isUnavailable returns whether an error results in a 503
 */
export function handlerCaller(
  document: OpenApiDocument,
  operations: Readonly<Record<string, OperationEntry>>,
  handlers: AnyHandlers,
  isUnavailable: (error: unknown) => boolean,
): (handle: () => Promise<unknown>, call: HandlerCall<Context>) => Promise<unknown> {
  const keyed = lazily(() => keyedOperations(document));
  const requests = new KeyedRequests();
  const replayCheck = lazily(() => createReplayCheck(operations, handlers));
  return async function callHandler(handle, { operationId, path, query, headers, body, context }) {
    const writes: Writes = { committed: false, caller: context.visitor ? undefined : context.caller.id };
    const reader = operations[operationId]?.method === 'get' ? readerOf(context) : undefined;
    const key = headers[KEY_HEADER];
    try {
      if (typeof key !== 'string' || !keyed().has(operationId)) {
        const follow = () => followWrites(writes, handle);
        const { replicas } = context.database;
        return await (replicas && reader ? replicas.reading(reader, follow) : follow());
      }
      const request = { user: context.caller.id, key, operationId, path, query, body };
      const response = await requests.performOnce(context, request, {
        writes,
        perform: async () => {
          const result = await followWrites(writes, handle);
          return { body: result, location: locationOf(result) ?? context.location };
        },
        authorize: (first) => replayCheck()(handle, context, first?.location),
      });
      context.location = response.location;
      return response.body;
    } catch (error) {
      if (!writes.committed || !isUnavailable(error)) {
        throw error;
      }
      throw outcomeUnknown();
    }
  };
}

/** Returns who reads in a request; undefined if only the primary has what the caller must read. */
function readerOf(context: Context): Reader | undefined {
  if (context.visitor) {
    return { id: context.address };
  }
  const { id, recentWrites } = context.caller;
  return recentWrites === undefined ? undefined : { id, recentWrites };
}

/** Returns the IDs of the operations that declare the header of idempotency keys. */
function keyedOperations(document: OpenApiDocument): Set<string> {
  const operations = Object.values(document.paths).flatMap(operationsOf);
  const keyed = operations.filter(([, operation]) =>
    parametersOf(document, operation).some(
      ({ in: location, name }) => location === 'header' && name.toLowerCase() === KEY_HEADER,
    ),
  );
  return new Set(keyed.map(([, { operationId }]) => operationId));
}
