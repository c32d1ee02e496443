import {
  followReferences,
  formatReference,
  parseReference,
  type Steps,
  unescapeFragmentToken,
  valueAt,
} from '../../server/contract/json-values.ts';

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
/** A JSON object. */
export type JsonObject = { [name: string]: Json };

/** Methods of the operations in a path item (OpenAPI 3.1, Path Item Object). */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
/** Method in lower case, as in the document. */
export type Method = (typeof METHODS)[number];

/** OpenAPI 3.1 document, with types for the parts that the toolchain reads. */
export interface OpenApiDocument {
  openapi: string;
  info: JsonObject;
  paths: Record<string, PathItem>;
  webhooks?: JsonObject;
  components?: Record<string, Record<string, Json>>;
  security?: Record<string, string[]>[];
}
/** Operations and shared parameters of a path. */
export type PathItem = { parameters?: Parameter[] } & Partial<Record<Method, Operation>>;
/** Reference to another location in the document. */
export interface Reference {
  $ref: string;
}
/** Operation. */
export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  tags?: string[];
  parameters?: (Parameter | Reference)[];
  requestBody?: RequestBody | Reference;
  responses?: Record<string, Response | Reference>;
  security?: Record<string, string[]>[];
  /** How the pages of a list are requested. Default: by `next.page`, with the parameter `page`. */
  'x-paging'?: Paging;
}
/** Shape of the pages of a list. Members of a body are paths: the names of nested properties. */
export type Paging = {
  /** Where a page has its items. */
  items: string[];
  /** Cursor of the next page in the body. */
  cursor?: string[];
  /** Cursor of the next page in a header of the response. */
  cursorHeader?: string;
  /** URL of the next page in the body. */
  link?: string[];
  /** Parameter of the cursor, of the number of preceding items, or of the page. */
  parameter?: string;
  /** Location of the parameter. Default: the query. */
  in?: 'header';
  /** What a parameter without a cursor counts. */
  unit?: 'items' | 'pages';
  /** Its value for the first page. Default: 0 for items, 1 for pages. */
  first?: number;
};
/** Parameter. */
export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  style?: string;
  explode?: boolean;
  allowReserved?: boolean;
  schema?: JsonObject;
  /** Whether a path parameter is expanded with reserved characters, such as slashes (RFC 6570, section 3.2.3). */
  'x-allow-reserved'?: boolean;
  content?: Content;
}
/** Body of a request. */
export interface RequestBody {
  required?: boolean;
  content?: Content;
}
/** Response. */
export interface Response {
  description?: string;
  content?: Content;
}
/** Schemas of a body by media type, and how the fields of forms are written. */
export type Content = Record<string, { schema?: JsonObject; encoding?: Record<string, EncodingObject> }>;
/** How a field of a form is written. */
export interface EncodingObject {
  contentType?: string;
  style?: string;
  explode?: boolean;
}

/** Whether a value is a JSON object, neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a reference without other members. */
export const isBareReference = (value: unknown): value is Reference =>
  isObject(value) && typeof value.$ref === 'string' && Object.keys(value).length === 1;

/** Operations of a document with their paths, in its order. */
export function operationEntries(document: OpenApiDocument): { path: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, operation }];
    }),
  );
}

/** Operations of a document, in its order. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  return operationEntries(document).map(({ operation }) => operation);
}

/**
 * Keys of an operation's success responses in its `responses`: 2xx; without them redirects (3xx); without those
 * `default`. Empty if the operation declares only errors.
 */
export function successKeys({ responses = {} }: Operation): string[] {
  const declared = Object.keys(responses);
  const alternatives = [/^2(\d\d|XX)$/i, /^3(\d\d|XX)$/i, /^default$/].map((pattern) =>
    declared.filter((key) => pattern.test(key)),
  );
  return alternatives.find((keys) => keys.length > 0) ?? [];
}

/** Whether a key of an operation's `responses` is an error: a status of 4xx or 5xx, their range, or `default`. */
export function isErrorStatus(status: string): boolean {
  return /^([45]..|default)$/.test(status);
}

/** Returns the name of the model that a reference refers to; undefined for other references. */
export function modelOf(reference: unknown): string | undefined {
  const token = typeof reference === 'string' && /^#\/components\/schemas\/([^/]+)$/.exec(reference)?.[1];
  return token ? unescapeFragmentToken(token) : undefined;
}

/** Returns the reference to a model. */
export const modelReference = (model: string): string => formatReference(['components', 'schemas', model]);

/**
 * Follows references to a value that is not a reference.
 * @throws if a reference is external or does not resolve
 */
export function dereference<Value>(document: OpenApiDocument, value: Value | Reference): Value {
  const target = followReferences(value, (reference) =>
    reference.startsWith('#/') ? valueAt(document, parseReference(reference)) : undefined,
  );
  if (target === undefined && isObject(value)) {
    throw new Error(`Reference ${String(value.$ref)} does not resolve.`);
  }
  // The type follows from the location of the reference (OpenAPI 3.1, Reference Object).
  return target as Value;
}

/** Returns the value at some steps from a root; undefined if there is none. */
export const jsonAt = (root: Json, steps: Steps): Json | undefined =>
  // The members of JSON are JSON.
  valueAt(root, steps) as Json | undefined;
