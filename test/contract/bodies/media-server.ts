import type { Handlers, RequestContext, RouterLimits } from '../../../server/contract/index.ts';
import { type ServedRouter, serveRouter, tableOf } from '../serve.ts';
import { document, type Operations } from './media-contract.ts';

export type MediaHandlers = Handlers<Operations, Record<never, never>, RequestContext>;

/** Serves the contract of media types until the test ends. Operations without a handler of the test fail. */
export async function serveMedia(
  handlers: Partial<MediaHandlers>,
  { limits = {} as Partial<RouterLimits>, validateResponses = true } = {},
): Promise<ServedRouter> {
  const missing = async () => {
    throw new Error('The test has no handler for this operation.');
  };
  const ids = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap((operation) => ('operationId' in operation ? [operation.operationId] : []));
  return await serveRouter<Operations, Record<never, never>, RequestContext>({
    document,
    operations: tableOf(document),
    // A handler for each operation. Missing handlers throw.
    handlers: { ...Object.fromEntries(ids.map((id) => [id, missing])), ...handlers } as MediaHandlers,
    security: {},
    limits,
    validateResponses,
  });
}
