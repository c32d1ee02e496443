import { STATUS_CODES } from 'node:http';
import { parseReference } from '../../../server/contract/json-values.ts';
import {
  dereference,
  isErrorStatus,
  isObject,
  type Json,
  type JsonObject,
  METHODS,
  type Method,
  type OpenApiDocument,
  operationsOf,
  type Reference,
} from '../document.ts';
import { unusedName } from '../names.ts';
import { COMPOSING_KEYWORDS, eachObject, rewriteObjects } from '../rewrite.ts';
import { combineMediaTypes } from './media-parameters.ts';
import { openResponses } from './open-responses.ts';
import { movePathQueries } from './path-queries.ts';
import { normalizePaths } from './paths.ts';
import { removeSelfReferences } from './self-references.ts';

/**
 * Returns a copy of a document that type generators and validators interpret in the same way, in sorted order:
 * - `unevaluatedProperties` becomes `additionalProperties` in schemas without composition; both seal a schema, but type
 *   generators support only the latter. Likewise `unevaluatedItems` becomes `items`.
 * - a schema that no value satisfies becomes `false`.
 * - objects that only responses contain are open (`openResponses`).
 * - base64 strings also get the format `byte`: validators check it, but not `contentEncoding`.
 * - distinct error responses become components, because most operations share them.
 * - parameters in braces and declared path parameters are the same (`normalizePaths`).
 * - responses that HTTP sends without a body declare none.
 * - a success without a description of its own is described by the reason phrase of its status.
 * - paths have no query or fragment (`movePathQueries`), and media types do not differ in parameters only
 *   (`combineMediaTypes`).
 * - the header parameters that OpenAPI ignores are not required.
 * - no schema applies itself to the same value (`removeSelfReferences`).
 *
 * @param report receives what is read in another way than its author may intend
 */
export function normalize(
  document: OpenApiDocument,
  report: (message: string) => void = () => {},
): OpenApiDocument {
  const plain = rewriteObjects(document, rewriteObject);
  movePathQueries(plain, report);
  combineMediaTypes(plain, report);
  removeSelfReferences(plain, report);
  plain.paths = sortedByName(normalizePaths(plain));
  removeImpossibleBodies(plain);
  openResponses(plain);
  shareErrorResponses(plain);
  describeSuccesses(plain);
  for (const kind of ['schemas', 'parameters', 'responses']) {
    const members = plain.components?.[kind];
    if (plain.components && members) {
      plain.components[kind] = sortedByName(members);
    }
  }
  return plain;
}

/** Removes the bodies of responses to HEAD, and of those with a status without one (RFC 9110, section 6.4.1). */
function removeImpossibleBodies(document: OpenApiDocument): void {
  for (const item of Object.values(document.paths)) {
    for (const method of METHODS) {
      for (const [status, declared] of Object.entries(item[method]?.responses ?? {})) {
        const { content, ...response } = dereference(document, declared);
        if (content && item[method] && (method === 'head' || /^(204|205|304)$/.test(status))) {
          item[method].responses = { ...item[method].responses, [status]: response };
        }
      }
    }
  }
}

/** Moves the error responses of all operations to `components.responses`, named by their status. */
function shareErrorResponses(document: OpenApiDocument): void {
  const shared: Record<string, Json> = { ...document.components?.responses };
  const references = new Map<string, Reference>();
  const holders = referencedResponses(document);
  for (const operation of operationsOf(document)) {
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      if (!isErrorStatus(status) || '$ref' in response || holders.has(response)) {
        continue;
      }
      const text = JSON.stringify([status, response]);
      let reference = references.get(text);
      if (reference === undefined) {
        const name = unusedName(errorName(status), (used) => Object.hasOwn(shared, used));
        // A response is JSON, although its type lists only some members.
        shared[name] = response as Json;
        reference = { $ref: `#/components/responses/${name}` };
        references.set(text, reference);
      }
      operation.responses = { ...operation.responses, [status]: reference };
    }
  }
  if (references.size > 0) {
    document.components = { ...document.components, responses: shared };
  }
}

/** Responses of operations that contain the target of a reference, which must stay in its place. */
function referencedResponses(document: OpenApiDocument): Set<unknown> {
  const responses = new Set<unknown>();
  // A document is JSON.
  eachObject(document as unknown as Json, ({ $ref }) => {
    if (typeof $ref === 'string' && $ref.startsWith('#/paths/')) {
      const [, path = '', method = '', , status = ''] = parseReference($ref);
      responses.add(document.paths[path]?.[method as Method]?.responses?.[status]);
    }
  });
  return responses;
}

/** Descriptions that the compiler gives to success responses without one of their own. */
const DEFAULT_DESCRIPTIONS = [
  'The request has succeeded.',
  'The request has succeeded and a new resource has been created as a result.',
];

function describeSuccesses(document: OpenApiDocument): void {
  for (const operation of operationsOf(document)) {
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      if (!('$ref' in response) && DEFAULT_DESCRIPTIONS.includes(response.description ?? '')) {
        response.description = STATUS_CODES[status] ?? 'Success';
      }
    }
  }
}

/** `NotFound` for 404, `UnexpectedError` for `default`, `Error4XX` for a range. */
function errorName(status: string): string {
  if (status === 'default') {
    return 'UnexpectedError';
  }
  return STATUS_CODES[status]?.replaceAll(/[^A-Za-z]/g, '') ?? `Error${status}`;
}

/** Returns the name, with the first number from 2 that makes it unique if it exists. */
/** Header parameters without an effect (OpenAPI 3.1, Parameter Object). */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);

function rewriteObject(schema: JsonObject): Json {
  if (isNever(schema)) {
    return false;
  }
  if (schema.in === 'header' && IGNORED_HEADERS.has(String(schema.name).toLowerCase())) {
    const { required, ...parameter } = schema;
    return parameter;
  }
  if ('unevaluatedProperties' in schema && !COMPOSING_KEYWORDS.some((keyword) => keyword in schema)) {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [
        keyword === 'unevaluatedProperties' ? 'additionalProperties' : keyword,
        value,
      ]),
    );
  }
  const { unevaluatedItems, ...others } = schema;
  const isComposed = [...COMPOSING_KEYWORDS, 'items', 'contains'].some((keyword) => keyword in schema);
  if (unevaluatedItems !== undefined && !isComposed) {
    return { ...others, items: unevaluatedItems };
  }
  if (schema.contentEncoding === 'base64' && !('format' in schema)) {
    return { ...schema, format: 'byte' };
  }
  return schema;
}

function isNever(schema: JsonObject): boolean {
  return Object.keys(schema).length === 1 && isObject(schema.not) && Object.keys(schema.not).length === 0;
}

function sortedByName<Member>(members: Record<string, Member>): Record<string, Member> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}
