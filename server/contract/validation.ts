import type { IncomingHttpHeaders } from 'node:http';
import {
  type HttpMethod,
  isObject,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  parametersOf,
  schemaOf,
} from './document.ts';
import type { Fault } from './errors.ts';
import { faultsOf, type SchemaError } from './faults.ts';
import { leanDocument } from './lean.ts';
import { buildRequestValidator, buildResponseValidator } from './validator.ts';

/** What is judged of a request. Path and query are changed: to the types and defaults of the contract. */
export interface Incoming {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: IncomingHttpHeaders;
  /** Undefined where there is none. */
  body: unknown;
  /** The size of the body. */
  bytes: number;
}

/** Holds the requests and responses of one operation against the contract. */
export interface Validation {
  /** The faults of a request. */
  request(incoming: Incoming): Fault[];
  /** Compiles the validator of requests, for which the first one would have to wait: 4 ms, up to 30 for the largest. */
  prepare(): void;
  /** Throws a plain error where a success does not fit. `body` is JSON, and may be changed. */
  response(status: number, body: unknown): void;
}

/**
 * A body up to this size is told all its faults, a larger one its first: each takes memory and time,
 * and a megabyte has room for hundreds of thousands.
 */
export const THOROUGH_BYTES = 65_536;

/**
 * Validates one operation with express-openapi-validator. The validator never sees the request itself,
 * only its parts as the glue read them: it has no say in which operation a target means, what a query
 * holds, or which media type a body has, where a stranger could lead it astray or make it compile anew.
 * Validators are built when they are first needed, on lean documents: over the whole document one takes
 * seconds and hundreds of megabytes.
 */
export function createValidation(
  document: OpenApiDocument,
  method: HttpMethod,
  operation: OperationObject,
): Validation {
  const parameters = parametersOf(document, operation);
  for (const { name, in: place, style } of parameters)
    if (place === 'cookie' || (place === 'query' && (style ?? 'form') !== 'form'))
      throw new Error(`The glue cannot read the ${place} parameter ${name} of ${operation.operationId}.`);
  const headerNames = parameters.flatMap(({ in: place, name }) => (place === 'header' ? [name] : []));
  const content = operation.requestBody?.content;

  const requests = (allErrors: boolean) =>
    lazily(() => {
      const parts = {
        parameters: parameters.map((parameter) => inlined(document, parameter)),
        // Whether a body must be there is for the glue to say: the validator overlooks some absences.
        ...(content && { requestBody: { required: false, content } }),
        responses: {},
      };
      return buildRequestValidator(leanDocument(document, method, parts), method, allErrors);
    });
  const thorough = requests(true);
  const brief = requests(false);
  const successes = lazily(() => {
    const responses: Record<string, object> = {};
    for (const [status, { content: body }] of Object.entries(operation.responses))
      if (status.startsWith('2')) responses[status] = body ? { content: body } : {};
    return buildResponseValidator(leanDocument(document, method, { responses }), method);
  });

  const validation: Validation = {
    request({ path, query, headers, body, bytes }) {
      const validate = bytes > THOROUGH_BYTES ? brief() : thorough();
      try {
        validate({ headers: headersFor(headerNames, headers, body), query, params: path, body });
        return [];
      } catch (error) {
        return requestFaults(error);
      }
    },
    prepare() {
      // The validator compiles with the first request that it validates, valid or not.
      validation.request({ path: {}, query: {}, headers: {}, body: content && {}, bytes: 0 });
    },
    response(status, body) {
      const error = successes()(status, body);
      if (error === undefined) return;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `${operation.operationId} answered ${status} with a body that does not fit the contract: ${reason}`,
        { cause: error },
      );
    },
  };
  return validation;
}

/** The validator loses what stands beside a reference in the schema of a parameter, such as its default. */
function inlined(document: OpenApiDocument, { schema, ...rest }: ParameterObject): ParameterObject {
  const { $ref: _ref, ...beside } = isObject(schema) ? schema : {};
  return { ...rest, schema: { ...schemaOf(document, schema), ...beside } };
}

const WITHOUT_BODY: IncomingHttpHeaders = Object.freeze({});
const WITH_BODY: IncomingHttpHeaders = Object.freeze({ 'content-type': 'application/json' });

/** The headers that the validator sees: one media type, and the ones that the contract has a word on. */
function headersFor(names: string[], headers: IncomingHttpHeaders, body: unknown): IncomingHttpHeaders {
  const type = body === undefined ? WITHOUT_BODY : WITH_BODY;
  if (names.length === 0) return type;
  return { ...Object.fromEntries(names.map((name) => [name, headers[name.toLowerCase()]])), ...type };
}

const PARTS: Record<string, Fault['in']> = {
  query: 'query',
  params: 'path',
  headers: 'header',
  body: 'body',
};

interface ValidatorError extends Error {
  errors: { path: string; message: string; errorCode?: string }[];
}

const isRefusal = (error: unknown): error is ValidatorError =>
  error instanceof Error && 'status' in error && error.status === 400 && 'errors' in error;

/** What the validator found, as faults; anything but a fault of the request is thrown on. */
function requestFaults(error: unknown): Fault[] {
  if (!isRefusal(error)) throw error;
  const parts = new Map<Fault['in'], SchemaError[]>();
  for (const { path, message, errorCode = '' } of error.errors) {
    // `/query/limit`, `/body/items/0/title`
    const [, name = '', ...steps] = path.split('/');
    const part = PARTS[name] ?? 'body';
    const errors = parts.get(part) ?? [];
    errors.push({ keyword: errorCode.split('.')[0] ?? '', pointer: ['', ...steps].join('/'), message });
    parts.set(part, errors);
  }
  return [...parts].flatMap(([part, errors]) => faultsOf(part, errors));
}

/** Makes a value when it is first asked for. */
function lazily<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
