import type { OperationEntry } from '../../generated/operations.ts';
import { ContractError } from '../contract/errors.ts';
import { parseTemplate } from '../contract/request/paths/path-template.ts';
import { Routes } from '../contract/request/paths/routes.ts';
import { DryRunEnd, followWrites } from '../database/writes.ts';
import { isRefusal } from '../platform/kit/idempotency-keys/keyed-requests.ts';
import type { Context } from '../platform/kit/slice.ts';

/** A handler without the types of its contract. */
export type AnyHandler = (request: object, context: Context) => Promise<unknown>;

/** Handlers by operation ID. */
export type AnyHandlers = Readonly<Record<string, AnyHandler | undefined>>;

/** The operation that reads the resource of a path. */
interface ReadOperation {
  read: AnyHandler;
  /** Names of its path parameters, in their order. */
  names: readonly string[];
  /** Defaults of its query parameters. */
  query: object;
}

/**
 * Creates the function that checks, before the response of a creation is returned again, that the caller may still
 * perform the request and read what it created. It runs the handlers themselves, so that no rule is written twice: that
 * of the creation up to its first write, and that of the operation that reads the created resource.
 *
 * @returns a function that throws the error of the request without the right: 401, 403 or 404
 */
export function createReplayCheck(
  operations: Readonly<Record<string, OperationEntry>>,
  handlers: AnyHandlers,
): (work: () => Promise<unknown>, context: Context, location: string | undefined) => Promise<void> {
  const reads = readOperations(operations, handlers);
  return async (work, context, location) => {
    try {
      await followWrites({ committed: false, isDryRun: true }, work);
    } catch (error) {
      // Rules authorize the caller first: other errors are due to what has changed since, such as a name that is taken.
      if (isRefusal(error) || !(error instanceof DryRunEnd || error instanceof ContractError)) {
        throw error;
      }
    }
    const prefix = context.resourceUrls.at('');
    const match = location?.startsWith(prefix) ? reads.match(location.slice(prefix.length)) : undefined;
    if (match) {
      const { read, names, query } = match.value;
      const values = names.map((name, index) => [name, decodeURIComponent(match.raw[index] ?? '')]);
      await read({ path: Object.fromEntries(values), query, headers: {}, cookies: {} }, context);
    }
  };
}

/** Returns the operations that read the resource of a path. */
function readOperations(
  operations: Readonly<Record<string, OperationEntry>>,
  handlers: AnyHandlers,
): Routes<ReadOperation> {
  const reads = new Routes<ReadOperation>();
  for (const [id, { method, path, defaults }] of Object.entries(operations)) {
    const read = handlers[id];
    if (method === 'get' && read) {
      const template = parseTemplate(path);
      reads.add(template, () => ({ read, names: template.names, query: defaults }));
    }
  }
  return reads;
}
