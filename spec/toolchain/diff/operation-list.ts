import { isObject, type Json, type JsonObject, methods } from '../document.ts';
import type { References } from './references.ts';

/** Operation with the members that it inherits from its path. */
export interface ListedOperation {
  /** `GET /teams/{teamId}`. */
  endpoint: string;
  /** Endpoint without the names of path parameters, which do not affect requests. */
  address: string;
  id?: string;
  /** Names of the path parameters, in the order of the path. */
  pathNames: string[];
  operation: JsonObject;
  /** Parameters of the path and the operation; the latter take precedence. */
  parameters: JsonObject[];
  /** Servers of the operation or else of its path, which take precedence over those of the document. */
  servers?: Json[];
}

/** Name of an operation in reports. */
export function labelOf({ id, endpoint }: ListedOperation): string {
  return id ?? endpoint;
}

/** Tags of an operation. */
export function tagsOf({ operation: { tags } }: ListedOperation): string[] {
  return Array.isArray(tags) ? tags.map(String) : [];
}

/** Lists the operations of `paths`, `webhooks` or a callback, in the order of the document. */
export function listOperations(paths: Json | undefined, references: References): ListedOperation[] {
  const listed: ListedOperation[] = [];
  if (!isObject(paths)) {
    return listed;
  }
  for (const [path, reference] of Object.entries(paths)) {
    const item = references.follow(reference);
    if (!isObject(item) || path.startsWith('x-')) {
      continue;
    }
    for (const method of methods) {
      const operation = item[method];
      if (!isObject(operation)) {
        continue;
      }
      const { operationId: id } = operation;
      const servers = [operation.servers, item.servers].find(isNonEmptyList);
      listed.push({
        endpoint: `${method.toUpperCase()} ${path}`,
        address: `${method.toUpperCase()} ${path.replace(/\{[^{}]*\}/g, '{}')}`,
        ...(typeof id === 'string' && { id }),
        pathNames: [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? ''),
        operation,
        parameters: parametersOf(item, operation, references),
        ...(servers && { servers }),
      });
    }
  }
  return listed;
}

/** An empty list of servers has no effect. */
function isNonEmptyList(value: Json | undefined): value is Json[] {
  return Array.isArray(value) && value.length > 0;
}

function parametersOf(item: JsonObject, operation: JsonObject, references: References): JsonObject[] {
  const parameters = new Map<string, JsonObject>();
  for (const list of [item.parameters, operation.parameters]) {
    if (!Array.isArray(list)) {
      continue;
    }
    for (const reference of list) {
      const parameter = references.follow(reference);
      if (isObject(parameter)) {
        parameters.set(`${parameter.in} ${parameter.name}`, parameter);
      }
    }
  }
  return [...parameters.values()];
}
