import type { RequestHandler } from 'express';
import { type HttpMethod, type OpenApiDocument, type OperationObject, parametersOf } from './document.ts';
import { lazily } from './lazily.ts';
import type { BodyMemory } from './limits/body-memory.ts';
import type { RouterLimits } from './limits/limits.ts';
import { type ServeMissing, serveMissing } from './missing-handlers.ts';
import { type BodyReader, bodyReader } from './request/bodies/body.ts';
import { type Authentication, createAuthentication, type SecurityHook } from './request/security.ts';
import { type ParameterReader, parameterReader } from './request/values/parameters.ts';
import { createResponder, type Responder } from './response/responder.ts';
import type { OperationRow } from './types.ts';
import type { ReadOnlyPolicy } from './validation/directions.ts';
import type { NamedFormats } from './validation/named-formats.ts';
import { createValidation, type Validation } from './validation/validation.ts';

/** A handler without the types of its contract. */
export type AnyHandler = (request: object, context: unknown) => Promise<unknown>;

/** An operation prepared for serving. In the development loop, requests may be served without a handler. */
export type ServedOperation = PreparedOperation &
  ({ handler: AnyHandler; missing?: undefined } | { handler?: undefined; missing: ServeMissing });

interface PreparedOperation {
  id: string;
  method: HttpMethod;
  /** Names of the path parameters, in their order. */
  pathNames: readonly string[];
  authentication: Authentication;
  parameters: ParameterReader;
  body: BodyReader;
  validation: Validation;
  responder: Responder;
}

/** What the operations of a router have in common. */
export interface Serving {
  document: OpenApiDocument;
  operations: Readonly<Record<string, OperationRow | undefined>>;
  handlers: Readonly<Record<string, AnyHandler | undefined>>;
  /** Handlers of operations that the router refuses. */
  express: Readonly<Record<string, RequestHandler | undefined>>;
  /** The served operations; all if undefined. */
  only: ReadonlySet<string> | undefined;
  security: Readonly<Record<string, SecurityHook<unknown>>>;
  limits: RouterLimits;
  memory: BodyMemory;
  readOnly: ReadOnlyPolicy;
  /** Whether the table, instead of the document, shows which operations are refused. */
  trustTable: boolean;
  formats: NamedFormats;
  validateResponses: boolean;
  validations: Map<string, Validation>;
}

/**
 * Checks that an operation can be served, and returns a function that prepares its readers and validators of requests with
 * the first one: most processes serve few of the operations.
 *
 * @param declared the operation in the document
 * @param complete returns the complete operation, see `completeOperation`
 * @throws Error if its handler or a security hook is missing, or the operation table does not match the contract
 */
export function serveOperation(
  serving: Serving,
  method: HttpMethod,
  declared: OperationObject,
  complete: () => OperationObject,
  pathNames: readonly string[],
): () => ServedOperation {
  const { document, operations, handlers, security, limits } = serving;
  const id = declared.operationId;
  const handler = handlers[id];
  if (operations[id]?.method !== method) {
    throw new Error(`The operation table does not match the contract: ${id}. Regenerate it.`);
  }
  const inherited = { ...declared, security: declared.security ?? document.security ?? [] };
  const authentication = createAuthentication(document, inherited, security);
  const called = handler ? { handler } : { missing: serveMissing(id, limits) };
  return lazily(() => ({
    ...prepareOperation(serving, method, complete(), pathNames, authentication),
    ...called,
  }));
}

function prepareOperation(
  { document, limits, memory, readOnly, formats, validateResponses, validations }: Serving,
  method: HttpMethod,
  object: OperationObject,
  pathNames: readonly string[],
  authentication: Authentication,
): PreparedOperation {
  const id = object.operationId;
  const parameters = parametersOf(document, object).filter(
    ({ in: location, name }) => location !== 'path' || pathNames.includes(name),
  );
  const inQuery = new Set(parameters.flatMap(({ in: part, name }) => (part === 'query' ? [name] : [])));
  // Credentials, which the handler does not receive.
  const hiddenNames = authentication.queryNames.filter((name) => !inQuery.has(name));
  const validation =
    validations.get(id) ?? createValidation(document, { ...object, parameters }, readOnly, formats);
  validations.set(id, validation);
  return {
    id,
    method,
    pathNames,
    authentication,
    parameters: parameterReader(document, parameters, hiddenNames),
    body: bodyReader(document, object, limits, memory, readOnly),
    validation,
    responder: createResponder(document, object, validateResponses ? validation : undefined),
  };
}
