import { operationLine } from '../../checks/location.ts';
import type { Event, Failure } from '../event.ts';

/** Describes that the server stopped after a request. */
export function stopOf({ operation, exchange: { response }, n }: Event): Failure {
  return {
    check: 'no-server-error',
    fault: {
      message: `${operationLine(operation)} returned ${response?.status ?? 'no response'}, and then the server stopped: it refused further connections.`,
      expected: 'A server keeps running, whatever requests contain.',
      cause: `server stops after ${operation.id}`,
    },
    at: n,
    involves: [],
    hasStopped: true,
  };
}
