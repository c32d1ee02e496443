import type { Ajv } from 'ajv';
import type { Request, Response } from 'express';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import type { HttpMethod } from './document.ts';
import { addKeywords } from './keywords.ts';
import { LEAN_PATH, type LeanDocument } from './lean.ts';

/*
 * The one place that knows express-openapi-validator from the inside: the two classes in it that
 * validate. The middleware around them routes each request anew, hops from promise to promise, and for
 * every instance compiles a validator of OpenAPI documents (100 ms), and each schema once too often to
 * look for Date objects, read-only properties and discriminators, which no lean document has.
 * package.json names the exact version; the tests of the glue cover what is used here.
 */

/** The parts of a request that are validated. Query, path parameters and body are changed in place. */
export interface RequestParts {
  headers: object;
  query: object;
  params: object;
  body: unknown;
}

type Options = ConstructorParameters<typeof OpenApiValidator>[0];

const BASE: Pick<
  Options,
  'validateApiSpec' | 'validateSecurity' | 'ajvFormats' | 'formats' | 'fileUploader'
> = {
  validateApiSpec: false,
  validateSecurity: false,
  // Else a date like 2026-13-01 passes.
  ajvFormats: { mode: 'full' },
  // The pattern of ajv-formats exceeds the stack from 6 MB on, and looks at one line of several.
  formats: { byte: { type: 'string', validate: isBase64 } },
  fileUploader: false,
};

/** Whether a text is base64 with padding (RFC 4648, section 4), in one pass. */
function isBase64(text: string): boolean {
  const end = text.search(/[^A-Za-z\d+/]/);
  return text.length % 4 === 0 && (end === -1 || /^={1,2}$/.test(text.slice(end, end + 3)));
}

/**
 * Builds what validates the requests of a lean document's operation.
 *
 * @param allErrors whether each fault is told, not only the first of each part
 * @returns a function that throws what the validator has against a request
 */
export function buildRequestValidator(
  document: LeanDocument,
  method: HttpMethod,
  allErrors: boolean,
): (parts: RequestParts) => void {
  // The validator's types want literals where an emitted document has text.
  const apiSpec = document as never;
  const { ajvOpts } = new OpenApiValidator({
    ...BASE,
    apiSpec,
    // The glue has sorted out unknown query parameters already.
    validateRequests: { allErrors, allowUnknownQueryParameters: true },
    validateResponses: false,
  });
  const validator = new RequestValidator(apiSpec, ajvOpts.request);
  for (const ajv of instancesOf(validator)) addKeywords(ajv);
  const known = knownOf(method, document);
  return (parts) => validator.validate(asExpress<Request>({ ...known, ...parts }), NO_RESPONSE, ignore);
}

/**
 * Builds what validates the JSON of the successes of a lean document's operation.
 *
 * @returns a function that answers what the validator has against a response, undefined where nothing;
 *   it may change the body
 */
export function buildResponseValidator(
  document: LeanDocument,
  method: HttpMethod,
): (status: number, body: unknown) => unknown {
  const apiSpec = document as never;
  const { ajvOpts, options } = new OpenApiValidator({
    ...BASE,
    apiSpec,
    validateRequests: false,
    // The first fault will do: the caller is not told, and trees of unions take long to be told in full.
    validateResponses: { coerceTypes: false, removeAdditional: false },
  });
  const validator = new ResponseValidator(apiSpec, ajvOpts.response, options, SERIAL);
  for (const ajv of instancesOf(validator)) addKeywords(ajv);
  const check = validator.validate();
  const known = knownOf(method, document);
  return (statusCode, body) => {
    let failure: unknown;
    const res = { statusCode, headersSent: false, getHeaders: () => JSON_TYPE, json: ignore };
    // The check replaces `json` of the response by a function that validates first, and tells `next`.
    check(asExpress<Request>({ ...known, headers: {} }), asExpress<Response>(res), (error?: unknown) => {
      failure = error;
    });
    (res.json as (body: unknown) => void)(body);
    return failure;
  };
}

/** What the two classes validate with: Ajv for parameters and for bodies, which they create before the first use. */
function instancesOf(validator: RequestValidator | ResponseValidator): Ajv[] {
  // Their properties are private to their types alone.
  const { ajv, ajvBody } = validator as unknown as { ajv?: Ajv; ajvBody: Ajv };
  return ajv ? [ajv, ajvBody] : [ajvBody];
}

const JSON_TYPE = { 'content-type': 'application/json' };
const SERIAL = 0;
const ignore = () => undefined;
const NO_RESPONSE = asExpress<Response>({});

/** What the routing of the validator would have found out about a request. */
function knownOf(method: HttpMethod, { paths }: LeanDocument) {
  const schema = paths[LEAN_PATH]?.[method];
  return {
    method: method.toUpperCase(),
    path: LEAN_PATH,
    originalUrl: LEAN_PATH,
    openapi: {
      expressRoute: LEAN_PATH,
      openApiRoute: LEAN_PATH,
      // Were there any, they would take the place of `params`.
      pathParams: {},
      schema,
      _responseSchema: schema,
      serial: SERIAL,
    },
  };
}

/** The validator reads a few plain properties of its request and response, and nothing else of Express. */
function asExpress<Type extends Request | Response>(parts: object): Type {
  return parts as Type;
}
