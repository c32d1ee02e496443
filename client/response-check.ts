/**
 * Checks responses against the contract during development and in tests. An entry of its own, so that no other bundle
 * contains the validator.
 *
 * @module
 */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenApiDocument } from '../server/contract/document.ts';
import { escapeToken, isObject, parseReference, valueAt } from '../server/contract/json-values.ts';
import { MULTIPLE_OF } from '../server/contract/validation/decimals.ts';
import { OWN_FORMATS } from '../server/contract/validation/formats.ts';
import { ajvPatterns, type Pattern, patternOf } from '../server/contract/validation/patterns/patterns.ts';
import { isJson } from './body.ts';
import { ApiError, type ErrorDetail } from './errors.ts';
import type { Fetch } from './exchange.ts';
import { selectByDiscriminators } from './response-schemas.ts';

/** Options of {@link checkResponses}. */
export interface ResponseCheckOptions {
  /** OpenAPI document of the service, as `colophon generate` writes it. */
  document: object;
  /** Base URL of the client. */
  baseUrl: string;
  /** Function that sends each request. Default: `globalThis.fetch`. */
  fetch?: Fetch | undefined;
  /** Called for each response that the contract does not declare. Default: the call fails with the error. */
  onProblem?: ((problem: ApiError) => void) | undefined;
}

interface JsonObject {
  [name: string]: unknown;
}

/** Part of the document, and its JSON pointer. */
interface Located {
  part: JsonObject;
  pointer: string;
}

/** Path of the document as a pattern. */
interface PathPattern {
  pattern: Pattern;
  location: Located;
}

/** Statuses that servers and proxies return for every operation, so that contracts need not declare them. */
const isTransient = (status: number): boolean => status === 429 || status >= 500;

/**
 * Returns a `fetch` that checks responses: the path, the status, the media type, and JSON bodies. A response that the
 * contract does not declare is an `ApiError` of kind `response`, with the invalid fields as `details`. It is not
 * retried. Bodies are read twice, so use it only during development and in tests.
 * @throws TypeError for an invalid base URL
 *
 * @example
 * import { checkResponses } from '@colophon/toolkit/client/response-check'
 * import document from './generated/openapi.json' with { type: 'json' }
 *
 * const client = createClient({ baseUrl, fetch: checkResponses({ document, baseUrl }) })
 */
export function checkResponses(options: ResponseCheckOptions): Fetch {
  const { baseUrl, fetch = (request, init) => globalThis.fetch(request, init) } = options;
  const prefix = new URL(baseUrl, globalThis.location?.href).pathname.replace(/\/+$/, '');
  const contract = readContract(options.document);
  const paths = pathPatterns(contract);
  const validate = createValidator(contract.root);
  return async (request, init) => {
    // See `Fetch`: a function with one parameter finds the signal in the request.
    const response = await (fetch.length === 1 ? fetch(new Request(request, init)) : fetch(request, init));
    const { pathname } = new URL(request.url);
    const path = pathname.startsWith(prefix) ? pathname.slice(prefix.length) : pathname;
    const mismatch = await findProblem(contract, paths, validate, request.method, path, response);
    if (mismatch !== undefined) {
      const problem = new ApiError({
        kind: 'response',
        message: `The contract does not allow the response to ${request.method} ${path}: ${mismatch.message}.`,
        status: response.status,
        details: mismatch.details,
        method: request.method,
        url: `${new URL(request.url).origin}${pathname}`,
      });
      if (options.onProblem === undefined) {
        throw problem;
      }
      options.onProblem(problem);
    }
    return response;
  };
}

/** Difference between a response and the contract. */
interface Problem {
  message: string;
  details?: ErrorDetail[];
}

/** Validates a value by the schema at a JSON pointer. */
type Validate = (pointer: string, value: unknown) => readonly ErrorObject[];

async function findProblem(
  contract: Contract,
  paths: readonly PathPattern[],
  validate: Validate,
  method: string,
  path: string,
  response: Response,
): Promise<Problem | undefined> {
  const { status } = response;
  const item = paths.find(({ pattern }) => pattern.test(path))?.location;
  const operation = item && contract.member(item, method.toLowerCase());
  if (operation === undefined) {
    return { message: 'the operation is not declared' };
  }
  // The response is that of another URL.
  if (response.redirected) {
    return undefined;
  }
  const responses = contract.member(operation, 'responses');
  const declared =
    responses &&
    [String(status), `${String(status).charAt(0)}XX`, 'default']
      .map((key) => contract.member(responses, key))
      .find((candidate) => candidate !== undefined);
  if (declared === undefined) {
    return isTransient(status) ? undefined : { message: `the status ${status} is not declared` };
  }
  const content = contract.member(declared, 'content');
  if (content === undefined) {
    return undefined;
  }
  const received = response.headers.get('Content-Type') ?? '';
  const type = essenceOf(received);
  const key = declaredType(Object.keys(content.part), received);
  const media = key === undefined ? undefined : contract.member(content, key);
  if (media === undefined) {
    return { message: `the media type ${JSON.stringify(type)} of status ${status} is not declared` };
  }
  const schema = contract.member(media, 'schema');
  if (schema === undefined || !isJson(type)) {
    return undefined;
  }
  const text = await response.clone().text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // The client reports a success response that is not JSON.
    return undefined;
  }
  const errors = validate(schema.pointer, body);
  const details = errors.map((error) => ({
    in: 'body' as const,
    path: error.instancePath.slice(1).replaceAll('/', '.'),
    message: error.message ?? 'is invalid',
  }));
  const [first] = details;
  return first && { message: `${first.path === '' ? 'the body' : first.path} ${first.message}`, details };
}

/** Returns a media type in lower case and without parameters. */
const essenceOf = (type: string): string => type.split(';')[0]?.trim().toLowerCase() ?? '';

/** Returns the declared media type that a received one matches best: with its parameters, without them, or a range. */
function declaredType(declared: readonly string[], received: string): string | undefined {
  const compact = (type: string) => type.toLowerCase().replaceAll(/[\s"]/g, '');
  const type = essenceOf(received);
  return (
    declared.find((key) => compact(key) === compact(received)) ??
    [type, `${type.split('/')[0]}/*`, '*/*']
      .map((candidate) => declared.find((key) => essenceOf(key) === candidate))
      .find((key) => key !== undefined)
  );
}

/** Document with its references resolved on access. */
interface Contract {
  root: JsonObject;
  /** Returns a member of a part; undefined if it has none. */
  member(parent: Located, name: string): Located | undefined;
}

function readContract(document: object): Contract {
  // In a response, properties that are only in requests are not required.
  const root: JsonObject = JSON.parse(JSON.stringify(document), (_, value: unknown) => {
    if (!isObject(value) || !isObject(value.properties) || !Array.isArray(value.required)) {
      return value;
    }
    const { properties, required } = value;
    const isSent = (name: unknown) => !isWriteOnly(document, properties[String(name)]);
    return { ...value, required: required.filter(isSent) };
  });
  // The document of a contract.
  selectByDiscriminators(root as unknown as OpenApiDocument);
  const resolve = (value: unknown, pointer: string): Located | undefined => {
    if (!isObject(value) || typeof value.$ref !== 'string' || pointer.endsWith('/schema')) {
      return isObject(value) ? { part: value, pointer } : undefined;
    }
    return resolve(valueAt(root, parseReference(value.$ref)), value.$ref);
  };
  return {
    root,
    member({ part, pointer }, name) {
      const step = encodeURIComponent(escapeToken(name));
      return Object.hasOwn(part, name) ? resolve(part[name], `${pointer}/${step}`) : undefined;
    },
  };
}

/** Whether a property is only in requests: by its schema, or by the one that it refers to. */
function isWriteOnly(document: object, schema: unknown, followed: readonly string[] = []): boolean {
  if (!isObject(schema) || schema.writeOnly === true) {
    return isObject(schema);
  }
  const { $ref } = schema;
  // A reference can lead to itself.
  return (
    typeof $ref === 'string' &&
    !followed.includes($ref) &&
    isWriteOnly(document, valueAt(document, parseReference($ref)), [...followed, $ref])
  );
}

/** Returns the paths of a document as patterns. Static segments precede parameters. */
function pathPatterns(contract: Contract): PathPattern[] {
  const paths = contract.member({ part: contract.root, pointer: '#' }, 'paths');
  return Object.keys(paths?.part ?? {})
    .sort((one, other) => (one.replaceAll('{', '\uffff') < other.replaceAll('{', '\uffff') ? -1 : 1))
    .flatMap((template) => {
      const location = paths && contract.member(paths, template);
      const source = template
        .split(/(\{[^{}]+\})/)
        .map((text) => (text.startsWith('{') ? '[^/]+' : text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
        .join('');
      return location ? [{ pattern: patternOf(`^${source}$`), location }] : [];
    });
}

function createValidator(root: JsonObject): Validate {
  // Documents have keywords that are not part of JSON Schema, and formats of any kind.
  const ajv = new Ajv2020({
    ...{ strict: false, logger: false, validateSchema: false, allErrors: true },
    code: { regExp: ajvPatterns },
  });
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(OWN_FORMATS)) {
    ajv.addFormat(name, format);
  }
  ajv.removeKeyword('multipleOf').addKeyword(MULTIPLE_OF);
  ajv.addSchema(root, 'contract');
  return (pointer, value) => {
    const reference = `contract${pointer}`;
    const validate = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference });
    return validate(value) === true ? [] : (validate.errors ?? []);
  };
}
