import { isObject, type JsonObject } from '../../document.ts';
import type { Link, Operation } from './contract.ts';
import type { References } from './references.ts';

/** Returns the links of a response to operations of the same document (OpenAPI, Link Object). */
export function linksOf(references: References, links: JsonObject, operations: readonly Operation[]): Link[] {
  return Object.entries(links).flatMap(([name, source]) => {
    const link = references.object(source, `the link ${name}`) ?? {};
    const operation = targetOf(link, operations);
    if (!operation) {
      return [];
    }
    return [
      {
        operation: operation.id,
        parameters: isObject(link.parameters) ? link.parameters : {},
        ...(link.requestBody !== undefined && { requestBody: link.requestBody }),
      },
    ];
  });
}

function targetOf({ operationId, operationRef }: JsonObject, operations: readonly Operation[]) {
  if (typeof operationId === 'string') {
    return operations.find(({ id }) => id === operationId);
  }
  const [, path = '', method = ''] = /^#\/paths\/([^/]+)\/([a-z]+)$/.exec(String(operationRef)) ?? [];
  const name = decodeURIComponent(path).replaceAll('~1', '/').replaceAll('~0', '~');
  return operations.find((candidate) => candidate.path === name && candidate.method.toLowerCase() === method);
}
