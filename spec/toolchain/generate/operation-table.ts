import { textLiteral } from '../../../server/contract/json-values.ts';
import {
  dereference,
  isObject,
  type Json,
  type JsonObject,
  METHODS,
  type OpenApiDocument,
  type Operation,
  successKeys,
} from '../document.ts';
import type { Problem } from '../problem.ts';

/** Row of the operation table. The generated file declares and documents the same shape. */
export interface OperationRow {
  method: string;
  path: string;
  status: number | null;
  tag: string | null;
  list: boolean;
  secured: boolean;
  body: false | 'optional' | 'required';
  defaults: Record<string, Json>;
  /** Why the server runtime refuses the operation, if it does. */
  unsupported?: string;
}

/**
 * Returns the rows by operation id, in the order of the document, and the problems of operations.
 * @param noSuccessSeverity severity of an operation without a success response: an error for the authors of TypeSpec,
 *   who can add one and describe only errors with `default`, but a warning for documents of other services
 */
export function operationRows(
  document: OpenApiDocument,
  noSuccessSeverity: 'error' | 'warning',
): {
  rows: Map<string, OperationRow>;
  problems: Problem[];
} {
  const rows = new Map<string, OperationRow>();
  const problems: Problem[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) {
        continue;
      }
      const id = operation.operationId;
      const report = (message: string, severity: Problem['severity'] = 'error') =>
        problems.push({ severity, message: `${method.toUpperCase()} ${path} ${message}` });
      if (id === undefined) {
        report('has no operation id. Add an @operationId.');
        continue;
      }
      if (rows.has(id)) {
        report(`has the operation id ${id}, which another operation uses. Ids must be unique.`);
        continue;
      }
      const [success] = successKeys(operation);
      if (success === undefined || (success === 'default' && noSuccessSeverity === 'error')) {
        report(NO_SUCCESS_MESSAGES[noSuccessSeverity], noSuccessSeverity);
      }
      rows.set(id, toRow(document, path, method, operation));
    }
  }
  return { rows, problems };
}

const NO_SUCCESS_MESSAGES = {
  error: 'declares no success response (2xx or 3xx). Declare one.',
  warning:
    'declares no success response (2xx, 3xx or default), so that handlers return any, and clients its body as a Blob. Declare one.',
};

function toRow(document: OpenApiDocument, path: string, method: string, operation: Operation): OperationRow {
  const body = operation.requestBody && dereference(document, operation.requestBody);
  return {
    method,
    path,
    status: successStatus(operation),
    tag: operation.tags?.[0] ?? null,
    list: operation['x-paging'] !== undefined || isList(document, operation),
    secured: isSecured(operation.security ?? document.security ?? []),
    body: body === undefined ? false : body.required === true ? 'required' : 'optional',
    defaults: queryDefaults(document, path, operation),
  };
}

function successStatus(operation: Operation): number | null {
  const statuses = successKeys(operation).filter((key) => key !== 'default');
  const exact = statuses.filter((key) => /^\d+$/.test(key)).map(Number);
  if (exact.length > 0) {
    return Math.min(...exact);
  }
  const [range] = statuses;
  return range === undefined ? null : range.startsWith('2') ? 200 : 302;
}

/** An empty requirement among the alternatives permits anonymous callers (OpenAPI 3.1, Security Requirement). */
function isSecured(requirements: Record<string, string[]>[]): boolean {
  return requirements.length > 0 && requirements.every((requirement) => Object.keys(requirement).length > 0);
}

function isList(document: OpenApiDocument, operation: Operation): boolean {
  // Statuses come first and in ascending order: they are the integer keys of an object.
  const [success = ''] = successKeys(operation);
  const declared = operation.responses?.[success];
  const response = declared && dereference(document, declared);
  const schema = Object.values(response?.content ?? {})[0]?.schema;
  if (schema === undefined) {
    return false;
  }
  const names = propertyNames(document, schema);
  return names.has('items') && names.has('next');
}

function propertyNames(
  document: OpenApiDocument,
  declared: JsonObject,
  visited = new Set<JsonObject>(),
): Set<string> {
  const schema = dereference<JsonObject>(document, declared);
  if (visited.has(schema)) {
    return new Set();
  }
  visited.add(schema);
  const names = new Set(isObject(schema.properties) ? Object.keys(schema.properties) : []);
  for (const part of Array.isArray(schema.allOf) ? schema.allOf : []) {
    if (isObject(part)) {
      for (const name of propertyNames(document, part, visited)) {
        names.add(name);
      }
    }
  }
  return names;
}

function queryDefaults(document: OpenApiDocument, path: string, operation: Operation): Record<string, Json> {
  // Parameters of the operation replace those of the path.
  const schemas = new Map(
    [...(document.paths[path]?.parameters ?? []), ...(operation.parameters ?? [])]
      .map((declared) => dereference(document, declared))
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, schema = {} }): [string, JsonObject] => [name, schema]),
  );
  const defaults: Record<string, Json> = {};
  for (const [name, schema] of schemas) {
    // A default next to a reference takes precedence over the referenced schema (JSON Schema 2020-12, 9.2).
    const value = schema.default ?? dereference<JsonObject>(document, schema).default;
    if (value !== undefined) {
      defaults[name] = value;
    }
  }
  return defaults;
}

/** Source text of the table, with the declaration of its types. */
export function operationTableSource(rows: Map<string, OperationRow>): string {
  const lines = [...rows].map(([id, row]) => `  ${propertyKey(id)}: ${literal({ ...row })},`);
  return `${TABLE_TYPES}\n/** Operations of the contract, by operation id. */\nexport const operations = {\n${lines.join('\n')}\n} as const satisfies OperationTable;\n`;
}

const TABLE_TYPES = `/** Properties of an operation that a router and a client need at run time. */
export interface OperationEntry {
  /** HTTP method in lower case. */
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';
  /** Path template, with parameters in braces. */
  readonly path: string;
  /** Success status, or else that of a redirect; the lowest if several are declared. Null if none is declared. */
  readonly status: number | null;
  /** First tag: the group of the operation. */
  readonly tag: string | null;
  /** Whether the success response is one page of a list: a body with \`items\` and \`next\`, or as \`x-paging\` declares. */
  readonly list: boolean;
  /** Whether a caller must authenticate. */
  readonly secured: boolean;
  /** Whether a request body is accepted or required. */
  readonly body: false | 'optional' | 'required';
  /** Default values of query parameters, by name. */
  readonly defaults: { readonly [parameter: string]: unknown };
  /** Why the server runtime cannot serve the operation, if so: it responds with 501. */
  readonly unsupported?: string;
}

/** Table of operations, by operation id. */
export interface OperationTable {
  readonly [operationId: string]: OperationEntry;
}
`;

/** Source text of a JSON value. */
export function literal(value: Json): string {
  if (Array.isArray(value)) {
    return `[${value.map(literal).join(', ')}]`;
  }
  if (typeof value === 'string') {
    return textLiteral(value);
  }
  if (!isObject(value)) {
    return JSON.stringify(value);
  }
  const members = Object.entries(value).map(([name, member]) => `${propertyKey(name)}: ${literal(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Source text of the key of a property. In an object literal, `__proto__` is a property only if it is computed. */
export function propertyKey(name: string): string {
  if (name === '__proto__') {
    return `[${literal(name)}]`;
  }
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}
