import { createContractRouter, type OpenApiDocument as ServedDocument } from '../../server/contract/index.ts';
import type { OpenApiDocument } from '../../spec/toolchain/document.ts';
import { operationRows } from '../../spec/toolchain/operation-table.ts';

/**
 * Creates the router of a document, with handlers that return nothing.
 *
 * @throws Error that lists what the router refuses
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
