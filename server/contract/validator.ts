import type { Ajv, AnySchema } from 'ajv';
import type { Request, Response } from 'express';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import type { HttpMethod } from './document.ts';
import { addKeywords, COMPILED_ON_USE } from './keywords.ts';
import { LEAN_PATH, type LeanDocument } from './lean.ts';

/*
 * The only module that depends on internals of express-openapi-validator: the two classes that validate. Its
 * middleware routes each request again, compiles a validator of OpenAPI documents per instance (100 ms), and compiles
 * each schema an extra time for Date objects, read-only properties and discriminators, which lean documents do not
 * contain. package.json pins the exact version; the tests in test/contract cover what is used here.
 */

/** The parts of a request to validate. Query, path parameters and body are modified in place. */
export interface RequestParts {
  headers: object;
  query: object;
  params: object;
  body: unknown;
}

type Options = ConstructorParameters<typeof OpenApiValidator>[0];

const COMMON_OPTIONS: Pick<
  Options,
  'validateApiSpec' | 'validateSecurity' | 'ajvFormats' | 'formats' | 'fileUploader'
> = {
  validateApiSpec: false,
  validateSecurity: false,
  // Rejects dates such as 2026-13-01.
  ajvFormats: { mode: 'full' },
  // The pattern of ajv-formats overflows the stack above 6 MB and checks only one line of several.
  formats: { byte: { type: 'string', validate: isBase64 } },
  fileUploader: false,
};

/** Returns whether a text is base64 with padding (RFC 4648, section 4). */
function isBase64(text: string): boolean {
  const end = text.search(/[^A-Za-z\d+/]/);
  return text.length % 4 === 0 && (end === -1 || /^={1,2}$/.test(text.slice(end, end + 3)));
}

/**
 * Creates the request validator of a lean document's operation.
 *
 * @param allErrors whether to report every fault instead of the first of each part
 * @returns a function that throws a validation error for an invalid request
 */
export function buildRequestValidator(
  document: LeanDocument,
  method: HttpMethod,
  allErrors: boolean,
): (parts: RequestParts) => void {
  // The validator's types require literals where a generated document has strings.
  const apiSpec = document as never;
  const { ajvOpts } = new OpenApiValidator({
    ...COMMON_OPTIONS,
    apiSpec,
    // Unknown query parameters are already rejected.
    validateRequests: { allErrors, allowUnknownQueryParameters: true },
    validateResponses: false,
  });
  const validator = new RequestValidator(apiSpec, ajvOpts.request);
  for (const ajv of instancesOf(validator)) {
    addKeywords(ajv);
  }
  const routed = routedRequest(method, document);
  return (parts) => validator.validate(asExpress<Request>({ ...routed, ...parts }), NO_RESPONSE, ignore);
}

/** Compiled schemas that the response validators of a document's operations share. Empty at first. */
export interface SharedSchemas {
  ajv?: Ajv;
}

/**
 * Creates the validator of the success responses of a lean document's operation.
 *
 * @param id the ID of the operation
 * @param shared the schemas of the other operations: most components occur in many responses
 * @returns a function that returns the validation error of a response, or undefined; it may modify the body
 */
export function buildResponseValidator(
  document: LeanDocument,
  method: HttpMethod,
  id: string,
  shared: SharedSchemas,
): (status: number, body: unknown) => unknown {
  const apiSpec = document as never;
  const { ajvOpts, options } = new OpenApiValidator({
    ...COMMON_OPTIONS,
    apiSpec,
    validateRequests: false,
    // Only the first error is reported: the caller does not see it, and all errors of nested unions take long.
    validateResponses: { coerceTypes: false, removeAdditional: false },
  });
  const validator = new ResponseValidator(apiSpec, ajvOpts.response, options, SERIAL);
  const isShared = shareSchemas(validator, document, shared);
  const check = validator.validate();
  const routed = routedRequest(method, document);
  if (isShared) {
    // Part of the IDs of the schemas. With a fragment as its ID, a schema refers to the shared components.
    routed.method = `#${id}`;
  }
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
}

/** Returns the Ajv instances of a validator: for parameters and for bodies. */
function instancesOf(validator: RequestValidator): Ajv[] {
  // These properties are private in the types only.
  const { ajv, ajvBody } = validator as unknown as { ajv: Ajv; ajvBody: Ajv };
  return [ajv, ajvBody];
}

/**
 * Makes a validator use the shared Ajv instance, which finds the components of all operations by their references.
 *
 * @returns whether it does; it does not if components refer to parts of components
 */
function shareSchemas(
  validator: ResponseValidator,
  { components }: LeanDocument,
  shared: SharedSchemas,
): boolean {
  // This property is private in the types only.
  const own = validator as unknown as { ajvBody: Ajv };
  if (OTHER_REFERENCE.test(JSON.stringify(components))) {
    addKeywords(own.ajvBody);
    return false;
  }
  if (!shared.ajv) {
    addKeywords(own.ajvBody);
    shared.ajv = own.ajvBody;
  }
  const { ajv } = shared;
  for (const [name, schema] of Object.entries(components.schemas ?? {})) {
    const reference = `#/components/schemas/${name}`;
    if (!(reference in ajv.schemas)) {
      // A copy of a schema of the contract.
      ajv.addSchema(schema as AnySchema, reference);
    }
  }
  own.ajvBody = ajv;
  return true;
}

/** A reference in a component to anything other than a component schema. Only a schema with all components resolves it. */
const OTHER_REFERENCE = new RegExp(`"(?:[$]ref|${COMPILED_ON_USE})":"(?!#/components/schemas/[^"/]+")`);

const JSON_TYPE = { 'content-type': 'application/json' };
const SERIAL = 0;
const ignore = () => undefined;
const NO_RESPONSE = asExpress<Response>({});

/** Returns the request properties that the validator's own routing would set. */
function routedRequest(method: HttpMethod, { paths }: LeanDocument) {
  const schema = paths[LEAN_PATH]?.[method];
  return {
    method: method.toUpperCase(),
    path: LEAN_PATH,
    originalUrl: LEAN_PATH,
    openapi: {
      expressRoute: LEAN_PATH,
      openApiRoute: LEAN_PATH,
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
