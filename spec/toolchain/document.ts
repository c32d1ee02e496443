/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
/** A JSON object. */
export type JsonObject = { [name: string]: Json };

/** The methods under which a path item holds operations (OpenAPI 3.1, Path Item Object). */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
/** A method, as the document writes it. */
export type Method = (typeof methods)[number];

/** The parts of an OpenAPI 3.1 document that the toolchain reads; the rest stays plain JSON. */
export interface OpenApiDocument {
  openapi: string;
  info: JsonObject;
  paths: Record<string, PathItem>;
  components?: Record<string, Record<string, Json>>;
  security?: Record<string, string[]>[];
}
/** What one path offers. */
export type PathItem = { parameters?: Parameter[] } & Partial<Record<Method, Operation>>;
/** A reference to another place in the document. */
export interface Reference {
  $ref: string;
}
/** One operation. */
export interface Operation {
  operationId?: string;
  tags?: string[];
  parameters?: (Parameter | Reference)[];
  requestBody?: { required?: boolean } | Reference;
  responses?: Record<string, Response | Reference>;
  security?: Record<string, string[]>[];
}
/** One parameter. */
export interface Parameter {
  name: string;
  in: string;
  schema?: JsonObject;
}
/** One answer. */
export interface Response {
  content?: Record<string, { schema?: JsonObject }>;
}

/** Whether a value is a JSON object, neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The operations of a document in its order. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.values(document.paths).flatMap((item) => methods.flatMap((method) => item[method] ?? []));
}

/** Whether a key of an operation's `responses` is an error: a status of 4xx or 5xx, their range, or `default`. */
export function isErrorStatus(status: string): boolean {
  return /^([45]..|default)$/.test(status);
}

/**
 * Follows references until something else stands there.
 * @throws when a reference leads out of the document or nowhere
 */
export function dereference<Found>(document: OpenApiDocument, value: Found | Reference): Found {
  let found: unknown = value;
  for (let hops = 0; isObject(found) && typeof found.$ref === 'string'; hops += 1) {
    const reference: string = found.$ref;
    if (hops > 32 || !reference.startsWith('#/'))
      throw new Error(`The reference ${reference} leads nowhere.`);
    found = reference.slice(2).split('/').map(unescapePart).reduce<unknown>(memberOf, document);
    if (found === undefined) throw new Error(`The reference ${reference} leads nowhere.`);
  }
  // The place a reference stands in decides the kind of what it points to (OpenAPI 3.1, Reference Object).
  return found as Found;
}

/** One part of a JSON pointer in a URI fragment (RFC 6901, section 6). */
function unescapePart(part: string): string {
  let decoded = part;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    // A percent sign that escapes nothing stands for itself.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}

function memberOf(parent: unknown, name: string): unknown {
  if (Array.isArray(parent)) return parent[Number(name)];
  return isObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined;
}
