import {
  createContractRouter,
  type OpenApiDocument as ServedDocument,
  unsupportedPlaces,
} from '../../server/contract/index.ts';
import { type OpenApiDocument, operationsOf } from '../../spec/toolchain/document.ts';
import { operationRows } from '../../spec/toolchain/generate/operation-table.ts';

/** Operations of a document, and why some of them are not served. */
export interface OperationCount {
  total: number;
  /** Each operation with the status 501, with its reasons. */
  refused: { operation: string; reasons: string[] }[];
}

/** Counts the operations that the router refuses. */
export function countOperations(document: OpenApiDocument): OperationCount {
  const reasons = new Map<string, string[]>();
  // The generator emits what the router reads.
  for (const { operations, place, reason } of unsupportedPlaces(document as unknown as ServedDocument)) {
    for (const { method, path } of operations) {
      const operation = `${method.toUpperCase()} ${path}`;
      reasons.set(operation, [...(reasons.get(operation) ?? []), `${place} ${reason}`]);
    }
  }
  return {
    total: operationsOf(document).length,
    refused: [...reasons].map(([operation, all]) => ({ operation, reasons: all })),
  };
}

/**
 * Creates the router of a document, with handlers that return nothing.
 *
 * @throws Error if it cannot be created
 */
export function startRouter(document: OpenApiDocument): void {
  const { rows } = operationRows(document, 'warning');
  const accept = async () => ({ user: 'corpus' });
  const hook = { bearer: accept, basic: accept, apiKey: accept, oauth2: accept, openIdConnect: accept };
  const schemes = Object.keys(document.components?.securitySchemes ?? {});
  createContractRouter({
    // The generator emits what the router reads.
    document: document as unknown as ServedDocument,
    operations: Object.fromEntries(rows),
    // Only generated types describe the results of handlers.
    handlers: Object.fromEntries([...rows.keys()].map((id) => [id, async () => undefined])) as never,
    security: Object.fromEntries(schemes.map((scheme) => [scheme, hook])),
    validateResponses: true,
  });
}
