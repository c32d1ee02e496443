/** The parts of an OpenAPI 3.1 document that the glue reads. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; [key: string]: unknown };
  paths: Record<string, PathItem>;
  components?: Record<string, Record<string, unknown>>;
  [key: string]: unknown;
}

export type PathItem = Partial<Record<HttpMethod, OperationObject>>;
export type HttpMethod = 'get' | 'put' | 'post' | 'delete' | 'patch';

export interface OperationObject {
  operationId: string;
  tags?: string[];
  parameters?: (ParameterObject | Reference)[];
  requestBody?: { required?: boolean; content: Record<string, { schema?: unknown }> };
  responses: Record<string, { headers?: Record<string, unknown>; content?: Record<string, unknown> }>;
  /** The largest request body in bytes, where it is not the server's usual limit. */
  'x-max-body-bytes'?: number;
  [key: string]: unknown;
}

export interface ParameterObject {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  allowReserved?: boolean;
  schema?: unknown;
}

interface Reference {
  $ref: string;
}

const METHODS: readonly HttpMethod[] = ['get', 'put', 'post', 'delete', 'patch'];

/** The operations of a path item, with their methods. */
export function operationsOf(item: PathItem): [HttpMethod, OperationObject][] {
  return METHODS.flatMap((method) => {
    const operation = item[method];
    return operation ? [[method, operation] satisfies [HttpMethod, OperationObject]] : [];
  });
}

/** Follows a local reference (`#/components/…`) of a document; throws when it leads nowhere. */
export function resolve(document: OpenApiDocument, ref: string): unknown {
  let value: unknown = document;
  for (const step of ref.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(value) || !(key in value)) throw new Error(`The document has no ${ref}.`);
    value = value[key];
  }
  return value;
}

/** The parameters of an operation, references followed. */
export function parametersOf(document: OpenApiDocument, operation: OperationObject): ParameterObject[] {
  return (operation.parameters ?? []).map((parameter) =>
    // A reference among parameters leads to a parameter (OpenAPI 3.1, Operation Object).
    '$ref' in parameter ? (resolve(document, parameter.$ref) as ParameterObject) : parameter,
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keywords that the validator has no use for, or gets wrong. */
const LEFT_OUT = new Set(['discriminator', 'example', 'examples']);

/**
 * A copy of the document for the validator, cut down to one path: a validator walks all it is given,
 * so it is given only the operations of the path, their successes and `default`, and the components
 * that these reach. The copy differs from the contract in what the validator gets wrong:
 * - query parameters allow reserved characters (else `a+b` or `a:b` is refused);
 * - `discriminator` is left out (a null body fails on it); sealed variants decide alone;
 * - bodies are optional and security is left out: the glue checks both itself.
 */
export function leanDocument(document: OpenApiDocument, path: string): OpenApiDocument {
  const item: PathItem = {};
  for (const [method, operation] of operationsOf(document.paths[path] ?? {})) {
    const { security: _security, requestBody, responses, ...rest } = operation;
    item[method] = {
      ...rest,
      parameters: parametersOf(document, operation).map((parameter) =>
        parameter.in === 'query' ? { ...parameter, allowReserved: true } : parameter,
      ),
      ...(requestBody && { requestBody: { ...requestBody, required: false } }),
      responses: Object.fromEntries(
        Object.entries(responses).filter(([status]) => status.startsWith('2') || status === 'default'),
      ),
    };
  }
  const lean: OpenApiDocument = {
    openapi: document.openapi,
    info: { title: document.info.title, version: document.info.version },
    paths: { [path]: item },
  };
  const reached = new Map<string, unknown>();
  // Below `properties` the keys are names of the contract's fields, not keywords.
  const copy = (value: unknown, keysAreNames = false): unknown => {
    if (Array.isArray(value)) return value.map((item) => copy(item));
    if (!isObject(value)) return value;
    const result: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value)) {
      if (!keysAreNames && LEFT_OUT.has(key)) continue;
      if (key === '$ref' && typeof inner === 'string' && !reached.has(inner)) {
        reached.set(inner, undefined);
        reached.set(inner, copy(resolve(document, inner)));
      }
      result[key] = copy(inner, key === 'properties' && !keysAreNames);
    }
    return result;
  };
  // A copy of a document has the document's type.
  const copied = copy(lean) as OpenApiDocument;
  const components: Record<string, Record<string, unknown>> = {};
  for (const [ref, value] of reached) {
    const [, , kind = '', name = ''] = ref.split('/');
    components[kind] = { ...components[kind], [name.replaceAll('~1', '/')]: value };
  }
  return { ...copied, components };
}
