import type { Ajv, FormatDefinition } from 'ajv';
import type { Request, Response } from 'express';
import { AjvOptions } from 'express-openapi-validator/dist/framework/ajv/options.js';
import { defaultSerDes } from 'express-openapi-validator/dist/framework/base.serdes.js';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
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
 * The only module that depends on internals of express-openapi-validator: the two classes that validate, and their options. Its
 * middleware routes each request again, compiles a validator of OpenAPI documents per instance (100 ms), and compiles
 * each schema an extra time for Date objects, read-only properties and discriminators, which copied schemas do not
 * contain. package.json pins the exact version; the tests in test/contract cover what is used here.
 */

/** The parts of a request to validate. Query, path parameters and body are modified in place. */
export interface RequestParts {
  headers: object;
  query: object;
  params: object;
  body: unknown;
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
   * @returns a function that throws a validation error for an invalid request
   */
  request(id: string, parts: object, allErrors: boolean): (request: RequestParts) => void;
  /**
   * Creates the validator of the success responses of an operation.
   *
   * @returns a function that returns the validation error of a response, or undefined; it may modify the body
   */
  response(id: string, responses: object): (status: number, body: unknown) => unknown;
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
      const { validator, instances } = allErrors ? fullReport() : firstFault();
      const routed = routedRequest(id, requests().copyOperation(parts));
      for (const ajv of instances) {
        requests().addReferenced(ajv);
      }
      return (request) =>
        validator.validate(asExpress<Request>({ ...routed, ...request }), NO_RESPONSE, ignore);
    },
    response(id, statuses) {
      const { validator, instances } = successes();
      const routed = routedRequest(id, responses().copyOperation({ responses: statuses }));
      for (const ajv of instances) {
        responses().addReferenced(ajv);
      }
      const check = validator.validate();
      return (statusCode, body) => {
        let failure: unknown;
        const res = { statusCode, headersSent: false, getHeaders: () => JSON_TYPE, json: ignore };
        // The check replaces `res.json` with a function that validates first and passes errors to `next`.
        check(asExpress<Request>({ ...routed, headers: {} }), asExpress<Response>(res), (error?: unknown) => {
          failure = error;
        });
        (res.json as (body: unknown) => void)(body);
        return failure;
      };
    },
  };
}
const JSON_TYPE = { 'content-type': 'application/json' };
/** The path of every operation: requests are routed before. */
const ROUTE = '/operation';
const SERIAL = 0;
const ignore = () => undefined;
const NO_RESPONSE = asExpress<Response>({});

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
  const validator = new RequestValidator(apiSpec, { ...request, ...AJV_OPTIONS, ownProperties });
  // These properties are private in the types only.
  const { ajv, ajvBody } = validator as unknown as { ajv: Ajv; ajvBody: Ajv };
  // Parameters have their declared types: a conversion would match several variants of a union.
  ajv.opts.coerceTypes = false;
  const instances = [ajv, ajvBody];
  instances.forEach(addKeywords);
  return { validator, instances };
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
  const validator = new ResponseValidator(
    apiSpec,
    { ...response, ...AJV_OPTIONS, ownProperties },
    {},
    SERIAL,
  );
  const { ajvBody } = validator as unknown as { ajvBody: Ajv };
  addKeywords(ajvBody);
  return { validator, instances: [ajvBody] };
}

/** Returns the request properties that the validator's own routing would set. */
function routedRequest(id: string, schema: unknown) {
  return {
    // Part of the IDs of the schemas. With a fragment as its ID, a schema refers to the other schemas of the validator.
    method: `#${id}`,
    path: ROUTE,
    originalUrl: ROUTE,
    openapi: {
      expressRoute: ROUTE,
      openApiRoute: ROUTE,
      // Any value here would replace `params`.
      pathParams: {},
      schema,
      _responseSchema: schema,
      serial: SERIAL,
    },
  };
}

/** Casts plain properties to an Express object: the validator reads only these. */
function asExpress<Type extends Request | Response>(parts: object): Type {
  return parts as Type;
}
