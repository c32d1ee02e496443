import { parseReference } from '../../../../server/contract/json-values.ts';
import { isObject, type JsonObject } from '../../document.ts';
import type { References } from '../../references.ts';
import type { Link, Operation } from './contract.ts';

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
  const [root, path, method, ...others] = parseReference(String(operationRef));
  const isOperation = root === 'paths' && others.length === 0;
  return isOperation
    ? operations.find((candidate) => candidate.path === path && candidate.method.toLowerCase() === method)
    : undefined;
}
