/** The parts of an OpenAPI 3.1 document that the server runtime reads. */
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
  responses: Record<string, ResponseObject>;
  /** Maximum size of the request body in bytes, if it differs from the server's default. */
  'x-max-body-bytes'?: number;
  [key: string]: unknown;
}

export interface ResponseObject {
  headers?: Record<string, unknown>;
  content?: Record<string, unknown>;
  [key: string]: unknown;
}

export interface ParameterObject {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  style?: string;
  explode?: boolean;
  schema?: unknown;
}

interface Reference {
  $ref: string;
}

const METHODS: readonly HttpMethod[] = ['get', 'put', 'post', 'delete', 'patch'];

/** Returns the operations of a path item with their methods. */
export function operationsOf(item: PathItem): [HttpMethod, OperationObject][] {
  return METHODS.flatMap((method) => {
    const operation = item[method];
    return operation ? [[method, operation] satisfies [HttpMethod, OperationObject]] : [];
  });
}

/** Resolves a local reference (`#/components/…`); throws if its target does not exist. */
export function resolve(document: OpenApiDocument, ref: string): unknown {
  let value: unknown = document;
  for (const step of ref.slice(2).split('/')) {
    const key = unescapePointer(step);
    if (!isObject(value) || !(key in value)) {
      throw new Error(`Unresolved reference in the OpenAPI document: ${ref}`);
    }
    value = value[key];
  }
  return value;
}

/** Decodes one reference token of a JSON Pointer (RFC 6901, section 4). */
export const unescapePointer = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** Resolves a schema's references; returns an empty object for a boolean or missing schema. */
export function schemaOf(document: OpenApiDocument, schema: unknown): Record<string, unknown> {
  if (!isObject(schema)) {
    return {};
  }
  return typeof schema.$ref === 'string' ? schemaOf(document, resolve(document, schema.$ref)) : schema;
}

/** Returns the parameters of an operation with references resolved. */
export function parametersOf(document: OpenApiDocument, operation: OperationObject): ParameterObject[] {
  return (operation.parameters ?? []).map((parameter) =>
    // A reference in `parameters` always resolves to a parameter (OpenAPI 3.1, Operation Object).
    '$ref' in parameter ? (resolve(document, parameter.$ref) as ParameterObject) : parameter,
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
