import { isObject, type Json, type JsonObject, METHODS } from '../../document.ts';
import type { SchemaLookup } from '../form/references.ts';

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
export function listOperations(paths: Json | undefined, references: SchemaLookup): ListedOperation[] {
  const listed: ListedOperation[] = [];
  if (!isObject(paths)) {
    return listed;
  }
  for (const [path, reference] of Object.entries(paths)) {
    const item = references.follow(reference);
    if (!isObject(item) || path.startsWith('x-')) {
      continue;
    }
    for (const method of METHODS) {
      const operation = item[method];
      if (!isObject(operation)) {
        continue;
      }
      const { operationId: id } = operation;
      const expressions = [...path.matchAll(/\{(\+?)([^{}]*)\}/g)];
      const servers = [operation.servers, item.servers].find(isNonEmptyList);
      listed.push({
        endpoint: `${method.toUpperCase()} ${path}`,
        address: `${method.toUpperCase()} ${addressOf(path)}`,
        ...(typeof id === 'string' && { id }),
        pathNames: expressions.map(([, , name]) => name ?? ''),
        operation: withoutImpossibleBodies(method, operation, references),
        parameters: parametersOf(item, operation, references, expressions),
        ...(servers && { servers }),
      });
    }
  }
  return listed;
}

/** Returns a path as requests have it: without the names of its parameters, and with encoded letters. */
function addressOf(path: string): string {
  const parts = path.split(/\{[^{}]*\}/);
  return parts
    .map((part) =>
      part
        .toWellFormed()
        .replace(/%[\da-f]{2}|[^\0-~]+/gi, (text) =>
          text.startsWith('%') ? text.toUpperCase() : encodeURI(text),
        ),
    )
    .join('{}');
}

/** An empty list of servers has no effect. */
function isNonEmptyList(value: Json | undefined): value is Json[] {
  return Array.isArray(value) && value.length > 0;
}

/** Returns an operation without the bodies of responses that HTTP sends without one (RFC 9110, section 6.4.1). */
function withoutImpossibleBodies(
  method: string,
  operation: JsonObject,
  references: SchemaLookup,
): JsonObject {
  const { responses } = operation;
  if (!isObject(responses)) {
    return operation;
  }
  const bodiless = Object.entries(responses).map(([status, reference]) => {
    const response = references.follow(reference);
    const isBodiless = method === 'head' || /^(204|205|304)$/.test(status);
    if (!isBodiless || !isObject(response) || !('content' in response)) {
      return [status, reference];
    }
    const { content: _content, ...rest } = response;
    return [status, rest];
  });
  return { ...operation, responses: Object.fromEntries(bodiless) };
}

/**
 * Returns the parameters of an operation: an undeclared path parameter is a string, and a declared one that is not in the
 * path has no effect.
 *
 * @param expressions the expressions in the path, each with the plus of reserved expansion and the name
 */
function parametersOf(
  item: JsonObject,
  operation: JsonObject,
  references: SchemaLookup,
  expressions: readonly (readonly string[])[],
): JsonObject[] {
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
  const others = [...parameters.values()].filter((parameter) => parameter.in !== 'path');
  const inPath = expressions.map(([, plus, name = '']): JsonObject => {
    const declared = parameters.get(`path ${name}`) ?? { ...UNDECLARED, name };
    return plus === '+' ? { ...declared, 'x-allow-reserved': true } : declared;
  });
  return [...inPath, ...others];
}

const UNDECLARED: JsonObject = { in: 'path', required: true, schema: { type: 'string' } };
