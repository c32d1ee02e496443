import { notImplemented } from './errors.ts';

/**
 * Returns a substitute for the handler of an operation: it responds with 501, and the development loop reports which
 * file to add the handler to. The loop sets `COLOPHON_DEV` and listens on the IPC channel of its server.
 *
 * @throws outside the development loop, where a missing handler stops the start
 */
export function missingHandler(operationId: string): () => Promise<never> {
  if (process.env.COLOPHON_DEV !== '1') {
    throw new Error(`The operation ${operationId} has no handler.`);
  }
  process.send?.({ missingHandler: operationId });
  return async () => {
    throw notImplemented(operationId);
  };
}
