import {
  dereference,
  isObject,
  type Json,
  type JsonObject,
  methods,
  type OpenApiDocument,
  type Operation,
} from './document.ts';
import type { Problem } from './problem.ts';

/** What the table says of one operation. The generated file declares and documents the same shape. */
export interface OperationRow {
  method: string;
  path: string;
  status: number;
  tag: string | null;
  list: boolean;
  secured: boolean;
  body: false | 'optional' | 'required';
  defaults: Record<string, Json>;
}

/**
 * The rows by operation id in the document's order, and what keeps an operation out of the table.
 * @param withoutSuccess what it is to declare no success: the author of a contract can mend it, who was given the
 * document of somebody else's service cannot
 */
export function operationRows(
  document: OpenApiDocument,
  withoutSuccess: Problem['severity'],
): {
  rows: Map<string, OperationRow>;
  problems: Problem[];
} {
  const rows = new Map<string, OperationRow>();
  const problems: Problem[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const operation = item[method];
      if (operation === undefined) continue;
      const id = operation.operationId;
      const refuse = (message: string, severity: Problem['severity'] = 'error') =>
        problems.push({ severity, message: `${method.toUpperCase()} ${path} ${message}` });
      const status = successStatus(operation);
      if (id === undefined) refuse('has no operation id. Give it an @operationId.');
      else if (rows.has(id))
        refuse(`has the operation id ${id}, which another operation has. Ids must differ.`);
      else if (status === undefined) refuse(noSuccess[withoutSuccess], withoutSuccess);
      else rows.set(id, toRow(document, path, method, operation, status));
    }
  }
  return { rows, problems };
}

const noSuccess = {
  error: 'declares no success (2xx) response. Declare one.',
  warning:
    'declares no success (2xx) response, so the table of operations leaves it out; its types are written. Declare one.',
};

function toRow(
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: Operation,
  status: number,
): OperationRow {
  const body = operation.requestBody && dereference(document, operation.requestBody);
  return {
    method,
    path,
    status,
    tag: operation.tags?.[0] ?? null,
    list: isList(document, operation, status),
    secured: isSecured(operation.security ?? document.security ?? []),
    body: body === undefined ? false : body.required === true ? 'required' : 'optional',
    defaults: queryDefaults(document, path, operation),
  };
}

function successStatus(operation: Operation): number | undefined {
  const declared = Object.keys(operation.responses ?? {});
  const statuses = declared.filter((status) => /^2\d\d$/.test(status));
  if (statuses.length > 0) return Math.min(...statuses.map(Number));
  return declared.some((status) => /^2XX$/i.test(status)) ? 200 : undefined;
}

/** Alternatives that include the empty requirement let an anonymous caller in (OpenAPI 3.1, Security Requirement). */
function isSecured(requirements: Record<string, string[]>[]): boolean {
  return requirements.length > 0 && requirements.every((requirement) => Object.keys(requirement).length > 0);
}

function isList(document: OpenApiDocument, operation: Operation, status: number): boolean {
  const declared = operation.responses?.[String(status)] ?? operation.responses?.['2XX'];
  const response = declared && dereference(document, declared);
  const schema = Object.values(response?.content ?? {})[0]?.schema;
  if (schema === undefined) return false;
  const names = propertyNames(document, schema);
  return names.has('items') && names.has('next');
}

function propertyNames(document: OpenApiDocument, given: JsonObject): Set<string> {
  const schema = dereference<JsonObject>(document, given);
  const names = new Set(isObject(schema.properties) ? Object.keys(schema.properties) : []);
  for (const part of Array.isArray(schema.allOf) ? schema.allOf : []) {
    if (isObject(part)) for (const name of propertyNames(document, part)) names.add(name);
  }
  return names;
}

function queryDefaults(document: OpenApiDocument, path: string, operation: Operation): Record<string, Json> {
  const defaults: Record<string, Json> = {};
  for (const given of [...(document.paths[path]?.parameters ?? []), ...(operation.parameters ?? [])]) {
    const parameter = dereference(document, given);
    if (parameter.in !== 'query' || parameter.schema === undefined) continue;
    // A default beside a reference counts before the one of the referenced schema (JSON Schema 2020-12, 9.2).
    const found = parameter.schema.default ?? dereference<JsonObject>(document, parameter.schema).default;
    if (found !== undefined) defaults[parameter.name] = found;
  }
  return defaults;
}

/** The source text of the table, with the declaration of its shape. */
export function operationTableSource(rows: Map<string, OperationRow>): string {
  const lines = [...rows].map(([id, row]) => `  ${propertyKey(id)}: ${literal({ ...row })},`);
  return `${tableTypes}\n/** Every operation of the contract, by its operation id. */\nexport const operations = {\n${lines.join('\n')}\n} as const satisfies OperationTable;\n`;
}

const tableTypes = `/** What a router, a client and the tests need to know of one operation at run time. */
export interface OperationEntry {
  /** The HTTP method in lower case, as in the OpenAPI document. */
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';
  /** The path template, with parameters in braces. */
  readonly path: string;
  /** The status of its success, the lowest where it declares several. */
  readonly status: number;
  /** Its first tag: the group it belongs to. */
  readonly tag: string | null;
  /** Whether its success is one page of a list: a body with \`items\` and \`next\`. */
  readonly list: boolean;
  /** Whether a caller must authenticate. */
  readonly secured: boolean;
  /** Whether it takes a request body. */
  readonly body: false | 'optional' | 'required';
  /** The values that query parameters have when they are left out, by name. */
  readonly defaults: { readonly [parameter: string]: unknown };
}

/** The table of operations, by operation id. */
export interface OperationTable {
  readonly [operationId: string]: OperationEntry;
}
`;

function literal(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${propertyKey(name)}: ${literal(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : literal(name);
}
