import { followReferences, isObject, MAX_REFERENCE_HOPS, memberOf, parseReference } from './json-values.ts';
import { parseMediaType } from './media-types.ts';

/** The parts of an OpenAPI 3.1 document that the server runtime reads. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; [key: string]: unknown };
  paths: Record<string, PathItem>;
  components?: Record<string, Record<string, unknown>>;
  security?: SecurityRequirement[];
  [key: string]: unknown;
}

/** A path of a document: an operation for each method, and the parameters that all of them have. */
export type PathItem = Partial<Record<HttpMethod, OperationObject>> & {
  parameters?: (ParameterObject | Reference)[];
};
export type HttpMethod = (typeof METHODS)[number];

export interface OperationObject {
  operationId: string;
  tags?: string[];
  parameters?: (ParameterObject | Reference)[];
  requestBody?: RequestBodyObject;
  responses: Record<string, ResponseObject>;
  security?: SecurityRequirement[];
  /** Maximum size of the request body in bytes, if it differs from the server's default. */
  'x-max-body-bytes'?: number;
  [key: string]: unknown;
}

export interface RequestBodyObject {
  required?: boolean;
  content: Record<string, MediaTypeObject>;
}

export interface MediaTypeObject {
  schema?: unknown;
  encoding?: Record<string, EncodingObject>;
}

/** How a field of a form is written. Its `headers` have no effect. */
export interface EncodingObject {
  contentType?: string;
  style?: string;
  explode?: boolean;
}

export interface ResponseObject {
  headers?: Record<string, HeaderObject>;
  content?: Record<string, MediaTypeObject>;
  [key: string]: unknown;
}

export interface HeaderObject {
  required?: boolean;
  schema?: unknown;
}

export interface ParameterObject {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  style?: string;
  explode?: boolean;
  /** Whether the value is expanded with reserved characters (OpenAPI 3.2). */
  allowReserved?: boolean;
  /** The same for a path parameter of OpenAPI 3.1, which has no such keyword. */
  'x-allow-reserved'?: boolean;
  allowEmptyValue?: boolean;
  schema?: unknown;
  content?: Record<string, MediaTypeObject>;
}

/** The scopes that a request needs of each scheme: all schemes of one requirement, or those of another one. */
export type SecurityRequirement = Record<string, string[]>;

interface Reference {
  $ref: string;
}

/** The methods of operations. */
export const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'] as const;

/** Styles of parameters that declare none, by location (OpenAPI 3.1, Parameter Object). */
export const DEFAULT_STYLES = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const;
/** Where a parameter is sent. */
export type ParameterLocation = keyof typeof DEFAULT_STYLES;

/** Returns whether a text is the location of parameters. */
export const isLocation = (location: string): location is ParameterLocation =>
  Object.hasOwn(DEFAULT_STYLES, location);

/** Returns the operations of a path item with their methods. */
export function operationsOf(item: PathItem): [HttpMethod, OperationObject][] {
  return METHODS.flatMap((method) => {
    const operation = item[method];
    return operation ? [[method, operation] satisfies [HttpMethod, OperationObject]] : [];
  });
}

/**
 * Resolves a local reference (RFC 6901, section 6): `#/components/schemas/A/properties/b`, or any other place of the
 * document.
 *
 * @param hops number of references that led to this one
 * @throws Error if its target does not exist
 */
export function resolve(document: OpenApiDocument, ref: string, hops = 0): unknown {
  if (hops > MAX_REFERENCE_HOPS) {
    throw new Error(`Circular reference in the OpenAPI document: ${ref}`);
  }
  let value: unknown = document;
  for (const step of parseReference(ref)) {
    // A place can be within a part that is itself a reference, such as a response that became a component.
    if (isObject(value) && typeof value.$ref === 'string' && !Object.hasOwn(value, step)) {
      value = resolve(document, value.$ref, hops + 1);
    }
    value = memberOf(value, step);
    if (value === undefined) {
      throw new UnresolvedReference(ref);
    }
  }
  return value;
}

/** The error for a reference with a missing target. */
export class UnresolvedReference extends Error {
  constructor(ref: string) {
    super(`Unresolved reference in the OpenAPI document: ${ref}`);
  }
}

/** Resolves a local reference; returns undefined if its target does not exist. */
export function tryResolve(document: OpenApiDocument, ref: string): unknown {
  try {
    return resolve(document, ref);
  } catch {
    return undefined;
  }
}

/**
 * Resolves a schema's references; returns an empty object for a boolean or missing schema, and for one that refers only
 * to itself.
 */
export function schemaOf(document: OpenApiDocument, schema: unknown): Record<string, unknown> {
  const target = followReferences(schema, (reference) => resolve(document, reference));
  return isObject(target) ? target : {};
}

/** Returns the parameters of an operation with references resolved. */
export function parametersOf(document: OpenApiDocument, operation: OperationObject): ParameterObject[] {
  return (operation.parameters ?? []).map((parameter) => dereferenced<ParameterObject>(document, parameter));
}

/**
 * Copies an operation with the references of its parts resolved (except those of schemas), and with what it inherits:
 * the parameters of its path and the security requirements of the document.
 */
export function completeOperation(
  document: OpenApiDocument,
  item: PathItem,
  operation: OperationObject,
): OperationObject {
  const parameters = new Map<string, ParameterObject>();
  for (const parameter of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) {
    const resolved = dereferenced<ParameterObject>(document, parameter);
    parameters.set(`${resolved.in} ${resolved.name}`, resolved);
  }
  const responses = Object.entries(operation.responses ?? {}).map(([status, declared]) => {
    const response = dereferenced<ResponseObject>(document, declared);
    const headers = Object.entries(response.headers ?? {}).map(([name, header]) => [
      name,
      dereferenced<HeaderObject>(document, header),
    ]);
    return [
      status,
      {
        ...response,
        ...(response.headers && { headers: Object.fromEntries(headers) }),
        ...(response.content && { content: byEssence(response.content) }),
      },
    ];
  });
  const { security = document.security ?? [] } = operation;
  const requestBody =
    operation.requestBody && dereferenced<RequestBodyObject>(document, operation.requestBody);
  return {
    ...operation,
    parameters: [...parameters.values()],
    ...(requestBody && { requestBody: { ...requestBody, content: byEssence(requestBody.content) } }),
    responses: Object.fromEntries(responses),
    security,
  };
}

/** Returns the declared media types in lower case and without parameters; the first of those that differ only in them. */
function byEssence(content: Record<string, MediaTypeObject>): Record<string, MediaTypeObject> {
  const types = new Map<string, MediaTypeObject>();
  for (const [type, media] of Object.entries(content)) {
    const { essence } = parseMediaType(type);
    types.set(essence, types.get(essence) ?? media);
  }
  return Object.fromEntries(types);
}

/** Resolves a reference to a part of an operation. A place of such a part refers only to parts of its kind (OpenAPI 3.1). */
export function dereferenced<Part>(document: OpenApiDocument, part: object): Part {
  return (
    '$ref' in part ? dereferenced(document, resolve(document, String(part.$ref)) as object) : part
  ) as Part;
}
