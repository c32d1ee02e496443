import { isObject, type Json, type JsonObject, methods } from '../document.ts';
import type { References } from './references.ts';

/** One operation, with what its path and its document say for it. */
export interface ListedOperation {
  /** `GET /things/{thing}`. */
  endpoint: string;
  /** The same with the names of path parameters left out: two spellings of one address on the wire. */
  address: string;
  id?: string;
  /** The names of the path parameters, in the order of the path. */
  pathNames: string[];
  operation: JsonObject;
  /** The path's parameters and the operation's own, which go before. */
  parameters: JsonObject[];
}

/** How the report calls an operation. */
export function labelOf({ id, endpoint }: ListedOperation): string {
  return id ?? endpoint;
}

/** The operations under `paths`, `webhooks` or a callback, in the document's order. */
export function listOperations(paths: Json | undefined, references: References): ListedOperation[] {
  const listed: ListedOperation[] = [];
  if (!isObject(paths)) return listed;
  for (const [path, reference] of Object.entries(paths)) {
    const item = references.follow(reference);
    if (!isObject(item) || path.startsWith('x-')) continue;
    for (const method of methods) {
      const operation = item[method];
      if (!isObject(operation)) continue;
      const { operationId: id } = operation;
      listed.push({
        endpoint: `${method.toUpperCase()} ${path}`,
        address: `${method.toUpperCase()} ${path.replace(/\{[^{}]*\}/g, '{}')}`,
        ...(typeof id === 'string' && { id }),
        pathNames: [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? ''),
        operation,
        parameters: parametersOf(item, operation, references),
      });
    }
  }
  return listed;
}

function parametersOf(item: JsonObject, operation: JsonObject, references: References): JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const list of [item.parameters, operation.parameters]) {
    if (!Array.isArray(list)) continue;
    for (const reference of list) {
      const parameter = references.follow(reference);
      if (isObject(parameter)) found.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  }
  return [...found.values()];
}
