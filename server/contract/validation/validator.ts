import type { Ajv, ErrorObject, FormatDefinition, ValidateFunction } from 'ajv';
import { AjvOptions } from 'express-openapi-validator/dist/framework/ajv/options.js';
import { defaultSerDes } from 'express-openapi-validator/dist/framework/base.serdes.js';
import { InternalServerError } from 'express-openapi-validator/dist/framework/types.js';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import {
  ajvErrorsToValidatorError,
  augmentAjvErrors,
  ContentType,
} from 'express-openapi-validator/dist/middlewares/util.js';
import type { OpenApiDocument } from '../document.ts';
import { lazily } from '../lazily.ts';
import { type ReadOnlyPolicy, readOnlyRestriction, writeOnlyRestriction } from './directions.ts';
import { OWN_FORMATS } from './formats.ts';
import { addKeywords } from './keywords.ts';
import { SchemaCopy } from './lean.ts';
import type { NamedFormats } from './named-formats.ts';
import { ajvPatterns } from './patterns/patterns.ts';
import { namesInheritedProperty } from './problems/inherited-names.ts';
import { compileSchema } from './schema-check.ts';
import { sealOf } from './seal.ts';

/*
 * The only module that depends on internals of express-openapi-validator: the two classes that compile the validators of
 * an operation, their options, and how they report errors. Their middleware reads each request again, which takes longer
 * than to validate it, compiles a validator of OpenAPI documents per instance (100 ms), and compiles each schema an extra
 * time for Date objects, read-only properties and discriminators, which copied schemas do not contain. package.json pins
 * the exact version; the tests in test/contract cover what is used here.
 */

/** The parts of a request to validate. The parameters and the body are modified in place. */
export interface RequestParts {
  params: object;
  body: unknown;
  /** The declared media type of the body; undefined if there is none. */
  type: string | undefined;
}

/** An error of the validators. */
export interface ValidatorError {
  /** A JSON Pointer: `/params/query:limit`, `/body/items/0/title`. */
  path: string;
  message: string;
  /** Starts with the keyword. */
  errorCode?: string;
}

type Options = ConstructorParameters<typeof AjvOptions>[0];

/** What the constructor of the middleware, which loads the parser of forms, would add to the options. */
const COMMON_OPTIONS: Omit<Options, 'apiSpec' | 'validateRequests' | 'validateResponses'> = {
  validateApiSpec: false,
  validateSecurity: false,
  fileUploader: false,
  $refParser: { mode: 'bundle' },
  operationHandlers: false,
  validateFormats: true,
  // Rejects dates such as 2026-13-01.
  ajvFormats: { mode: 'full' },
  formats: OWN_FORMATS,
  serDes: defaultSerDes,
};

/** The validators of a document's operations. Schemas that several of them reference are compiled once. */
export interface Validators {
  /**
   * Creates the request validator of an operation.
   *
   * @param parts parameters and body of the operation
   * @param allErrors whether to report every fault instead of the first of each part
   * @returns a function that returns the errors of a request
   */
  request(id: string, parts: object, allErrors: boolean): (request: RequestParts) => ValidatorError[];
  /**
   * Creates the validator of the success responses of an operation.
   *
   * @returns a function that returns the validation error of a response, or undefined
   */
  response(id: string, responses: object): (status: number, body: unknown) => Error | undefined;
}

/**
 * Creates the validators of a document; each compiles its schemas at its first validation.
 *
 * @param readOnly what happens to `readOnly` properties of requests
 * @param formats named formats of requests
 */
export function createValidators(
  document: OpenApiDocument,
  readOnly: ReadOnlyPolicy,
  formats: NamedFormats,
): Validators {
  // The validators would traverse the paths and components for each operation. Ajv knows the components instead.
  const { title, version } = document.info;
  const empty = { openapi: document.openapi, info: { title, version }, paths: {}, components: {} };
  const requests = lazily(
    () =>
      new SchemaCopy(document, {
        restrict: readOnlyRestriction(document, readOnly),
        acceptsDefault: (schema) => compileSchema(document, schema)(schema.default).length === 0,
      }),
  );
  const ownProperties = namesInheritedProperty(document);
  const rules = { ownProperties, formats };
  const fullReport = lazily(() => requestValidator(empty, true, rules));
  const firstFault = lazily(() => requestValidator(empty, false, rules));
  const responses = lazily(
    () => new SchemaCopy(document, { seal: sealOf(document), restrict: writeOnlyRestriction(document) }),
  );
  const successes = lazily(() => responseValidator(empty, ownProperties));
  return {
    request(id, parts, allErrors) {
      const { compile, instances } = allErrors ? fullReport() : firstFault();
      const operation = requests().copyOperation(parts);
      for (const ajv of instances) {
        requests().addReferenced(ajv);
      }
      const byType = new Map<string | undefined, readonly ValidateFunction[]>();
      return ({ params, body, type }) => {
        const validate = byType.get(type) ?? compile(id, operation, type);
        byType.set(type, validate);
        const errors = errorsOf(validate, { query: NOTHING, headers: NOTHING, params, body });
        return errors.length === 0 ? [] : ajvErrorsToValidatorError(400, errors).errors;
      };
    },
    response(id, statuses) {
      const { compile, instance } = successes();
      const operation = responses().copyOperation({ responses: statuses });
      responses().addReferenced(instance);
      const byStatus = compile(id, operation.responses);
      return (status, response) => {
        const validate = byStatus[status]?.[JSON_TYPE];
        if (!validate) {
          return new InternalServerError({ path: ROUTE, message: `no schema is declared for ${status}` });
        }
        const errors = errorsOf([validate], { response });
        return errors.length === 0
          ? undefined
          : new InternalServerError({
              path: ROUTE,
              errors: ajvErrorsToValidatorError(500, errors).errors,
              message: instance.errorsText(errors, { dataVar: '' }),
            });
      };
    },
  };
}

/** Returns the errors of some validators, of which each validates the data even if another one fails. */
function errorsOf(validators: readonly ValidateFunction[], data: object): ErrorObject[] {
  let isValid = true;
  for (const validate of validators) {
    isValid = validate(data) && isValid;
  }
  return isValid ? [] : augmentAjvErrors(validators.flatMap(({ errors }) => errors ?? []));
}

/** The media type of all responses: each pair of a status and a media type has its own status here. */
const JSON_TYPE = 'application/json';
/** The path of every operation: requests are routed before. */
const ROUTE = '/operation';
/** Parts of a request that are validated as others. */
const NOTHING: object = Object.freeze({});

/**
 * Returns the key of the schemas of an operation, which is part of their IDs. With a fragment as its ID, a schema refers to
 * the other schemas of the validator.
 */
const schemaKey = (id: string, contentType: ContentType) =>
  `#${id}-${ROUTE}-${contentType.normalize() ?? 'not_provided'}`;

const AJV_OPTIONS = {
  // Formats that the validators do not know are annotations, and no reason to write to the console.
  logger: false,
  // Compiling takes a third less CPU time, and validating the same.
  code: { optimize: false, regExp: ajvPatterns },
  // A tuple may be open (JSON Schema 2020-12, 10.3.1.1).
  strictTuples: false,
} as const;

type ApiSpec = ConstructorParameters<typeof RequestValidator>[0];

function requestValidator(
  document: OpenApiDocument,
  allErrors: boolean,
  { ownProperties, formats: named }: { ownProperties: boolean; formats: NamedFormats },
) {
  // The validator's types require literals where a generated document has strings.
  const apiSpec = document as unknown as ApiSpec;
  const { request } = new AjvOptions({
    ...COMMON_OPTIONS,
    formats: { ...OWN_FORMATS, ...definitionsOf(named) },
    apiSpec,
    // Unknown query parameters are already rejected.
    validateRequests: { allErrors, allowUnknownQueryParameters: true },
    validateResponses: false,
  });
  // These members are private in the types only.
  const validator = new RequestValidator(apiSpec, {
    ...request,
    ...AJV_OPTIONS,
    ownProperties,
  }) as unknown as RequestCompiler;
  const { ajv, ajvBody } = validator;
  // Parameters have their declared types: a conversion would match several variants of a union.
  ajv.opts.coerceTypes = false;
  const instances = [ajv, ajvBody];
  instances.forEach(addKeywords);
  const compile = (id: string, operation: unknown, type: string | undefined) => {
    const contentType = ContentType.fromString(type ?? '');
    const key = schemaKey(id, contentType);
    // The middleware is not called: it compiles the schemas, which the instances have then.
    validator.buildMiddleware(ROUTE, operation, contentType, key);
    // Only schemas with `$async` have other functions.
    return instances.map((instance) => instance.getSchema(key) as ValidateFunction);
  };
  return { compile, instances };
}

/** What a request validator consists of. */
interface RequestCompiler {
  /** Validates the parameters. */
  ajv: Ajv;
  ajvBody: Ajv;
  buildMiddleware(path: string, operation: unknown, type: ContentType, key: string): unknown;
}

/** What a response validator consists of. */
interface ResponseCompiler {
  ajvBody: Ajv;
  /** Returns the validators by status and media type. */
  buildValidators(
    responses: object,
    key: string,
  ): Readonly<Record<string, Readonly<Record<string, ValidateFunction | undefined>> | undefined>>;
}

const definitionsOf = (formats: NamedFormats): Record<string, FormatDefinition<string>> =>
  Object.fromEntries(
    Object.entries(formats).map(([name, validate]) => [name, { type: 'string', validate } as const]),
  );

function responseValidator(document: OpenApiDocument, ownProperties: boolean) {
  const apiSpec = document as unknown as ApiSpec;
  const { response } = new AjvOptions({
    ...COMMON_OPTIONS,
    apiSpec,
    validateRequests: false,
    // Only the first error is reported: the caller does not see it, and all errors of nested unions take long.
    validateResponses: { coerceTypes: false, removeAdditional: false },
  });
  // These members are private in the types only.
  const validator = new ResponseValidator(apiSpec, {
    ...response,
    ...AJV_OPTIONS,
    ownProperties,
  }) as unknown as ResponseCompiler;
  const { ajvBody: instance } = validator;
  addKeywords(instance);
  const compile = (id: string, responses: object) =>
    validator.buildValidators(responses, schemaKey(id, ContentType.fromString('')));
  return { compile, instance };
}
