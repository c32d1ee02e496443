import { setTimeout } from 'node:timers/promises';
import {
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  parametersOf,
  schemaOf,
} from '../document.ts';
import type { Fault } from '../errors.ts';
import { messageOf } from '../errors.ts';
import { isObject } from '../json-values.ts';
import { lazily } from '../lazily.ts';
import { mediaKindOf } from '../media-types.ts';
import { parameterSchema } from '../request/values/field.ts';
import { isEffective } from '../request/values/parameters.ts';
import type { ReadOnlyPolicy } from './directions.ts';
import { limitEvaluations, TooManyEvaluations } from './evaluations.ts';
import { faultsOf, MAX_FULL_REPORT_BYTES, type SchemaError } from './faults.ts';
import { formatRules, type NamedFormats, NO_FORMATS, withRule } from './named-formats.ts';
import { createValidators, type ValidatorError, type Validators } from './validator.ts';

/** The parts of a request to validate. Defaults are added to the parameters. */
export interface ParsedRequest {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  cookies: Record<string, unknown>;
  /** Parsed JSON with its declared media type; undefined if there is none. */
  json: { type: string; value: unknown } | undefined;
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
  /**
   * Throws an error if a success response is invalid.
   *
   * @param status the status in the contract, such as `200` or `2XX`
   * @param type the media type in the contract
   * @param body JSON, which is not modified
   */
  response(status: string, type: string, body: unknown): void;
}

/**
 * Creates the validation of one operation with express-openapi-validator. The validator receives only the parsed
 * parts of a request, never the request: routing, query parsing and media types are handled before, so that a request
 * cannot mislead it or make it recompile. Schemas are copied and compiled on first use: over the whole document, a
 * validator takes seconds and hundreds of megabytes.
 */
export function createValidation(
  document: OpenApiDocument,
  operation: OperationObject,
  readOnly: ReadOnlyPolicy = 'ignore',
  formats: NamedFormats = NO_FORMATS,
): Validation {
  const parameters = parametersOf(document, operation).filter(isEffective);
  const content = jsonContent(operation);
  const [jsonType] = Object.keys(content ?? {});

  const { operationId: id } = operation;
  const requests = (allErrors: boolean) =>
    lazily(() => {
      const parts = {
        parameters: parameters.map((parameter) => schemaOnly(document, parameter)),
        // A missing body is detected when it is read: the validator misses some cases.
        ...(content && { requestBody: { required: false, content } }),
      };
      return validatorsOf(document, readOnly, formats).request(id, parts, allErrors);
    });
  const fullReport = requests(true);
  const firstFault = requests(false);
  const rules = lazily(() => formatRules(document, formats));
  const codes = new Map<string, number>();
  const successes = lazily(() => {
    const responses: Record<string, object> = {};
    for (const [status, { content: types = {} }] of Object.entries(operation.responses)) {
      for (const [type, media] of Object.entries(types)) {
        if (mediaKindOf(type) === 'json' && !/^[45]/.test(status)) {
          const code = FIRST_CODE + codes.size;
          codes.set(`${status} ${type}`, code);
          responses[code] = { content: { 'application/json': { schema: media.schema ?? {} } } };
        }
      }
    }
    return validatorsOf(document, readOnly, formats).response(id, responses);
  });

  /** Whether the operation has nothing to validate. */
  const isUnrestricted = parameters.length === 0 && !content;
  /** Sizes of bodies, one for each validator that is not prepared yet. */
  const unprepared = content ? [0, MAX_FULL_REPORT_BYTES + 1] : [0];
  const validation: Validation = {
    request({ path, query, headers, cookies, json, bytes }) {
      if (isUnrestricted) {
        return [];
      }
      const validate = bytes > MAX_FULL_REPORT_BYTES ? firstFault() : fullReport();
      const values = { path, query, header: headers, cookie: cookies };
      const params = parameters.length > 0 ? prefixed(values) : {};
      const parts = { params, body: json?.value, type: json?.type };
      let errors: ValidatorError[];
      try {
        errors = limitEvaluations(() => validate(parts), bytes);
      } catch (error) {
        if (error instanceof TooManyEvaluations) {
          return [{ in: 'body', path: '', message: error.message }];
        }
        throw error;
      }
      if (errors.length > 0) {
        return requestFaults(errors, rules);
      }
      copyDefaults(params, values);
      return [];
    },
    prepare() {
      const bytes = unprepared.shift();
      if (bytes !== undefined) {
        // A validator compiles its schemas at the first validation.
        const json = jsonType === undefined ? undefined : { type: jsonType, value: {} };
        validation.request({ path: {}, query: {}, headers: {}, cookies: {}, json, bytes });
      }
      return unprepared.length > 0;
    },
    response(status, type, body) {
      const validate = successes();
      const code = codes.get(`${status} ${type}`) ?? FIRST_CODE;
      const error = limitEvaluations(() => validate(code, body));
      if (error === undefined) {
        return;
      }
      const reason = messageOf(error);
      throw new Error(`${id} returned status ${status} with a body that violates the contract: ${reason}`, {
        cause: error,
      });
    },
  };
  return validation;
}

/** The validator finds the schema of a response by its status: each pair of a status and a media type has its own. */
const FIRST_CODE = 200;

/** Delay before the first validator is compiled, in milliseconds: a process that just started serves its first requests. */
const COMPILE_DELAY_MS = 5000;
/** Pause after compiling each validator, in milliseconds, to leave time for requests. */
const COMPILE_PAUSE_MS = 10;

/** Compiles validators one at a time, without keeping the process alive. */
export async function prepareInBackground(validations: readonly (() => Validation)[]): Promise<void> {
  await setTimeout(COMPILE_DELAY_MS, undefined, { ref: false });
  for (const validation of validations) {
    let isIncomplete = true;
    while (isIncomplete) {
      await setTimeout(COMPILE_PAUSE_MS, undefined, { ref: false });
      try {
        isIncomplete = validation().prepare();
      } catch {
        // The first request that uses the validator fails with the same error.
      }
    }
  }
}

/** Returns the JSON media types of a request body: other bodies are validated where they are parsed. */
function jsonContent({ requestBody }: OperationObject): Record<string, MediaTypeObject> | undefined {
  const json = Object.entries(requestBody?.content ?? {}).filter(([type]) => mediaKindOf(type) === 'json');
  return json.length > 0 ? Object.fromEntries(json) : undefined;
}

type Part = ParameterObject['in'];

/**
 * Returns a parameter for the validator, which would read texts in a way of its own: it receives the values of all
 * parameters as those of a path, with prefixes. It also ignores siblings of `$ref`, such as `default`.
 */
function schemaOnly(document: OpenApiDocument, parameter: ParameterObject): object {
  const { in: part, name, required } = parameter;
  const schema = parameterSchema(parameter);
  const { $ref: _ref, ...siblings } = isObject(schema) ? schema : {};
  return {
    ...{ name: `${part}:${name}`, in: 'path', explode: true },
    ...(required && { required }),
    schema: { ...schemaOf(document, schema), ...siblings },
  };
}

function prefixed(values: Readonly<Record<Part, Record<string, unknown>>>): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const part of ['path', 'query', 'header', 'cookie'] as const) {
    for (const name of Object.keys(values[part])) {
      params[`${part}:${name}`] = values[part][name];
    }
  }
  return params;
}

/** Copies the values with their defaults to their parts. */
function copyDefaults(
  params: Readonly<Record<string, unknown>>,
  values: Readonly<Record<Part, Record<string, unknown>>>,
): void {
  for (const key of Object.keys(params)) {
    const { part, name } = partOf(key);
    if (!Object.hasOwn(values[part], name)) {
      values[part][name] = params[key];
    }
  }
}

function partOf(key: string): { part: Part; name: string } {
  const colon = key.indexOf(':');
  // The prefix is one of the parts.
  return { part: key.slice(0, colon) as Part, name: key.slice(colon + 1) };
}

const PARTS: Record<string, Fault['in']> = {
  query: 'query',
  params: 'path',
  body: 'body',
};

/**
 * Converts the errors of a validator to faults.
 *
 * @param rules returns the rules of named formats
 */
function requestFaults(
  validatorErrors: readonly ValidatorError[],
  rules: () => ReadonlyMap<string, string>,
): Fault[] {
  const parts = new Map<Fault['in'], SchemaError[]>();
  for (const { path, message, errorCode = '' } of validatorErrors) {
    // `/query/limit`, `/body/items/0/title`
    const [, name = '', ...steps] = path.split('/');
    let part = PARTS[name] ?? 'body';
    if (part === 'path') {
      const [first = '', ...rest] = steps;
      const parameter = partOf(first);
      part = parameter.part;
      steps.splice(0, steps.length, parameter.name, ...rest);
    }
    const errors = parts.get(part) ?? [];
    const keyword = errorCode.split('.')[0] ?? '';
    const text = keyword === 'format' ? withRule(message, rules()) : message;
    errors.push({ keyword, pointer: ['', ...steps].join('/'), message: text });
    parts.set(part, errors);
  }
  return [...parts].flatMap(([part, errors]) => faultsOf(part, errors));
}

/** Validators by document, policy and named formats. */
const validators: Readonly<
  Record<ReadOnlyPolicy, WeakMap<OpenApiDocument, WeakMap<NamedFormats, Validators>>>
> = {
  ignore: new WeakMap(),
  reject: new WeakMap(),
};

function validatorsOf(
  document: OpenApiDocument,
  readOnly: ReadOnlyPolicy,
  formats: NamedFormats,
): Validators {
  const ofDocument = validators[readOnly].get(document) ?? new WeakMap<NamedFormats, Validators>();
  validators[readOnly].set(document, ofDocument);
  const existing = ofDocument.get(formats) ?? createValidators(document, readOnly, formats);
  ofDocument.set(formats, existing);
  return existing;
}
