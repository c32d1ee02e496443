import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import {
  isObject,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  parametersOf,
  schemaOf,
} from './document.ts';
import type { Fault } from './errors.ts';
import { faultsOf, type SchemaError } from './faults.ts';
import { lazily } from './lazily.ts';
import { createValidators, type Validators } from './validator.ts';

/** The parts of a request to validate. Path and query are coerced in place, and defaults are applied. */
export interface ParsedRequest {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: IncomingHttpHeaders;
  /** Undefined if there is no body. */
  body: unknown;
  /** Size of the body. */
  bytes: number;
}

/** Validates the requests and responses of one operation. */
export interface Validation {
  /** Returns the faults of a request. */
  request(request: ParsedRequest): Fault[];
  /**
   * Compiles the request validators, which would otherwise delay the first request by 4 to 30 ms each. Compiles one
   * with each call.
   *
   * @returns whether there is another one
   */
  prepare(): boolean;
  /** Throws an error if a success response is invalid. `body` is JSON and may be modified. */
  response(status: number, body: unknown): void;
}

/**
 * Maximum size of a body for which all faults are reported. For larger bodies only the first is reported: a megabyte
 * can contain hundreds of thousands.
 */
export const MAX_FULL_REPORT_BYTES = 65_536;

/**
 * Creates the validation of one operation with express-openapi-validator. The validator receives only the parsed
 * parts of a request, never the request: routing, query parsing and media types are handled before, so that a request
 * cannot mislead it or make it recompile. Schemas are copied and compiled on first use: over the whole document, a
 * validator takes seconds and hundreds of megabytes.
 */
export function createValidation(document: OpenApiDocument, operation: OperationObject): Validation {
  const parameters = parametersOf(document, operation);
  for (const { name, in: location, style } of parameters) {
    if (location === 'cookie' || (location === 'query' && (style ?? 'form') !== 'form')) {
      throw new Error(`Unsupported ${location} parameter ${name} of operation ${operation.operationId}.`);
    }
  }
  const headerNames = new Map(
    parameters.flatMap(({ in: location, name }) =>
      location === 'header' ? [[name.toLowerCase(), name] as const] : [],
    ),
  );
  const content = operation.requestBody?.content;

  const { operationId: id } = operation;
  const requests = (allErrors: boolean) =>
    lazily(() => {
      const parts = {
        parameters: parameters.map((parameter) => inlined(document, parameter)),
        // A missing body is detected when it is read: the validator misses some cases.
        ...(content && { requestBody: { required: false, content } }),
      };
      return validatorsOf(document).request(id, parts, allErrors);
    });
  const fullReport = requests(true);
  const firstFault = requests(false);
  const successes = lazily(() => {
    const responses: Record<string, object> = {};
    for (const [status, { content: body }] of Object.entries(operation.responses)) {
      if (status.startsWith('2')) {
        responses[status] = body ? { content: body } : {};
      }
    }
    return validatorsOf(document).response(id, responses);
  });

  /** Sizes of bodies, one for each validator that is not prepared yet. */
  const unprepared = content ? [0, MAX_FULL_REPORT_BYTES + 1] : [0];
  const validation: Validation = {
    request({ path, query, headers, body, bytes }) {
      const validate = bytes > MAX_FULL_REPORT_BYTES ? firstFault() : fullReport();
      try {
        validate({ headers: headersFor(headerNames, headers, body), query, params: path, body });
        return [];
      } catch (error) {
        return requestFaults(error).map((fault) =>
          fault.in === 'header' ? { ...fault, path: headerNames.get(fault.path) ?? fault.path } : fault,
        );
      }
    },
    prepare() {
      const bytes = unprepared.shift();
      if (bytes !== undefined) {
        // A validator compiles its schemas at the first validation.
        validation.request({ path: {}, query: {}, headers: {}, body: content && {}, bytes });
      }
      return unprepared.length > 0;
    },
    response(status, body) {
      const error = successes()(status, body);
      if (error === undefined) {
        return;
      }
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${id} returned status ${status} with a body that violates the contract: ${reason}`, {
        cause: error,
      });
    },
  };
  return validation;
}

/** Pause after compiling each validator, in milliseconds, to leave time for requests. */
const COMPILE_PAUSE_MS = 10;

/** Compiles validators one at a time, without keeping the process alive. */
export async function prepareInBackground(validations: readonly Validation[]): Promise<void> {
  for (const validation of validations) {
    let isIncomplete = true;
    while (isIncomplete) {
      await setTimeout(COMPILE_PAUSE_MS, undefined, { ref: false });
      try {
        isIncomplete = validation.prepare();
      } catch {
        // The first request that uses the validator fails with the same error.
      }
    }
  }
}

/** Inlines the referenced schema of a parameter: the validator ignores siblings of `$ref`, such as `default`. */
function inlined(document: OpenApiDocument, { schema, ...rest }: ParameterObject): ParameterObject {
  const { $ref: _ref, ...siblings } = isObject(schema) ? schema : {};
  return { ...rest, schema: { ...schemaOf(document, schema), ...siblings } };
}

const WITHOUT_BODY: IncomingHttpHeaders = Object.freeze({});
const WITH_BODY: IncomingHttpHeaders = Object.freeze({ 'content-type': 'application/json' });

/** Returns the headers to validate: those that the contract declares, by lower-case name, and the normalized media type. */
function headersFor(
  names: ReadonlyMap<string, string>,
  headers: IncomingHttpHeaders,
  body: unknown,
): IncomingHttpHeaders {
  const type = body === undefined ? WITHOUT_BODY : WITH_BODY;
  if (names.size === 0) {
    return type;
  }
  return { ...Object.fromEntries([...names.keys()].map((name) => [name, headers[name]])), ...type };
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

const isValidatorError = (error: unknown): error is ValidatorError =>
  error instanceof Error && 'status' in error && error.status === 400 && 'errors' in error;

/** Converts a validator error to faults; rethrows any other error. */
function requestFaults(error: unknown): Fault[] {
  if (!isValidatorError(error)) {
    throw error;
  }
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

/** Validators by document. */
const validators = new WeakMap<OpenApiDocument, Validators>();

function validatorsOf(document: OpenApiDocument): Validators {
  const ofDocument = validators.get(document) ?? createValidators(document);
  validators.set(document, ofDocument);
  return ofDocument;
}
