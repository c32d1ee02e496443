import type { Readable } from 'node:stream';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ContractError, type Fault, methodNotAllowed } from './errors.ts';
import { BodyMemory } from './limits/body-memory.ts';
import { DEFAULT_LIMITS, type RouterLimits } from './limits/limits.ts';
import { discardRest } from './limits/linger.ts';
import { yieldAfter } from './request/bodies/buffered.ts';
import { createRoutes, type Methods } from './request/paths/operation-routes.ts';
import type { Routes } from './request/paths/routes.ts';
import { parseTarget } from './request/paths/target.ts';
import { requestInfo, type UnverifiedRequest } from './request/request-info.ts';
import type { Authentication, PresentedCredentials } from './request/security.ts';
import { readPathTexts } from './request/values/parameters.ts';
import { bodySize, sendResponse } from './response/send.ts';
import type { CommonOptions, HandlerCall, RouterOptions } from './router-options.ts';
import type { AnyHandler, ServedOperation, Serving } from './served-operation.ts';
import { refusal } from './validation/faults.ts';
import { NO_FORMATS } from './validation/named-formats.ts';
import { prepareInBackground } from './validation/validation.ts';

/** The options that apply to each request. */
type Options<Context> = Pick<
  CommonOptions<unknown, unknown, Context, unknown>,
  'authorize' | 'callerKey' | 'rateLimit' | 'perform' | 'headersOf'
> & {
  context: (request: UnverifiedRequest) => Context | Promise<Context>;
  limits: Serving['limits'];
  responses: BodyMemory;
};

/**
 * Creates the request handler of a contract. For each request it authenticates the caller, validates the request,
 * calls the operation's handler and sends the result with the status that the contract declares. Mount it at the
 * root of the contract's paths. Unknown paths are passed on to the next handler; other methods of a known path
 * are rejected with 405, and HEAD is served like GET, without the body. With the option `only`, everything else is
 * passed on.
 *
 * An operation that the router cannot serve is refused with 501 and the reason, before the caller is authenticated:
 * see `unsupportedPlaces`.
 *
 * @throws Error that lists each missing handler and security hook, and each operation of which the table differs; also
 *   if the document is not OpenAPI 3.1
 */
export function createContractRouter<
  Operations,
  Table,
  Context,
  Principals = Record<never, never>,
  Only extends keyof Operations = never,
>(options: RouterOptions<Operations, Table, Context, Principals, Only>): RequestHandler {
  const { document } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const serving: Serving = {
    document,
    limits,
    memory: new BodyMemory(limits.bufferedBytes, limits.bufferedBytesPerCaller),
    readOnly: options.readOnly ?? 'ignore',
    trustTable: options.trustTable ?? false,
    formats: options.formats ?? NO_FORMATS,
    validateResponses: options.validateResponses,
    validations: options.validations ?? new Map(),
    // These are keyed by the names in the contract, and their types follow from it.
    operations: options.operations as Serving['operations'],
    handlers: options.handlers as unknown as Readonly<Record<string, AnyHandler | undefined>>,
    // Without the members of a prototype, whose names operations can have.
    express: Object.assign(Object.create(null), options.express),
    only: options.only && new Set<string>(options.only as readonly string[]),
    security: options.security as Serving['security'],
  };
  const { routes, validations } = createRoutes(serving);
  if (options.compileAhead) {
    void prepareInBackground(validations);
  }
  const perRequest: Options<Context> = {
    ...options,
    limits,
    responses: new BodyMemory(limits.bufferedBytes, limits.bufferedBytesPerCaller),
    // Without this option, the type of the options ensures that the request is the context.
    context:
      (options.context as Options<Context>['context'] | undefined) ?? ((request) => request as Context),
  };
  const { rateLimit, authorize, perform } = perRequest;
  return async function serve(req, res, next) {
    let head: Head | undefined;
    try {
      head = readHead(routes, serving.only, req, res);
    } catch (error) {
      await rateLimit?.countAddress(req, res);
      throw error;
    }
    if (!head) {
      return next();
    }
    const { context, caller } = await authenticate(perRequest, head, req, res);
    authorize?.(head.info.operationId, context);
    if ('express' in head) {
      return await callExpress(head, context, req, res, next);
    }
    const { operation } = head;
    if (operation.missing) {
      return await operation.missing(req, res);
    }
    const { request, stream } = await readRequest(head, limits, caller, req, res);
    const handle = () => operation.handler(request, context);
    let result: unknown;
    try {
      result = await (perform ? perform(handle, callOf(head, request, req, context)) : handle());
    } finally {
      if (stream) {
        // What the handler did not read.
        stream.destroy();
        await discardRest(req, res);
      }
    }
    // Otherwise the caller closed the connection.
    if (!res.closed) {
      await respond(perRequest, operation, result, { context, caller }, res);
    }
  };
}

/** The head of a request, before its caller is authenticated. */
type Head = ServedHead | ExpressHead;

/** What the heads of all requests have in common. */
interface CommonHead {
  info: UnverifiedRequest;
  authentication: Authentication;
  credentials: PresentedCredentials;
  /** The values of the path parameters, as they were sent. */
  rawPath: string[];
}

/** A request of an operation that the router serves. Its path, method and headers are valid. */
interface ServedHead extends CommonHead {
  operation: ServedOperation;
  rawQuery: string;
  responseType: string | undefined;
}

/** A request of an operation that an Express handler serves. */
interface ExpressHead extends CommonHead {
  express: RequestHandler;
  pathNames: readonly string[];
}

/**
 * Finds the operation of a request, and checks its path, method and headers.
 *
 * @returns undefined for a request that the router passes on
 * @throws ContractError 405, 406, 413, 415; 401 if a required credential is missing; 501 for a refused operation
 */
function readHead(
  routes: Routes<Methods>,
  only: ReadonlySet<string> | undefined,
  req: Request,
  res: Response,
): Head | undefined {
  const { path, query: rawQuery } = parseTarget(req.url);
  const match = routes.match(path);
  if (!match) {
    return undefined;
  }
  const { value: methods, raw: rawPath } = match;
  // HEAD is served like GET, unless the contract declares it.
  const operation = (methods.get(req.method) ?? (req.method === 'HEAD' ? methods.get('GET') : undefined))?.();
  if (!operation) {
    if (only) {
      return undefined;
    }
    const declared = [...methods.keys()];
    throw methodNotAllowed(req.method, [...new Set(methods.has('GET') ? [...declared, 'HEAD'] : declared)]);
  }
  const { id, pathNames } = operation;
  res.locals.operationId = id;
  if ('refused' in operation) {
    const { express, refused } = operation;
    if (!express) {
      throw new ContractError(
        501,
        'not_implemented',
        `The server does not support this operation: ${refused}.`,
      );
    }
    const { authentication, handler } = express;
    const credentials = authentication.read(req, rawQuery);
    const info = requestInfo(id, req, res);
    return { info, authentication, credentials, rawPath, express: handler, pathNames };
  }
  const responseType = operation.responder.negotiate(req);
  operation.body.checkHeaders(req);
  const { authentication } = operation;
  const credentials = authentication.read(req, rawQuery);
  const info = requestInfo(id, req, res);
  return { info, authentication, credentials, rawPath, operation, rawQuery, responseType };
}

/** Authenticates a request and counts it against the limit of its caller. */
async function authenticate<Context>(
  options: Options<Context>,
  { authentication, info, credentials }: Head,
  req: Request,
  res: Response,
): Promise<{ context: Context; caller: string }> {
  const { rateLimit } = options;
  const verify = async () => {
    info.principals = await authentication.verify(credentials, info);
    return await options.context(info);
  };
  let context: Context;
  if (!rateLimit || credentials.id === undefined) {
    await rateLimit?.countAddress(req, res);
    context = await verify();
  } else {
    context = await rateLimit.authenticate(credentials.id, req, res, verify);
  }
  const caller = options.callerKey?.(context) ?? info.address;
  if (credentials.id !== undefined) {
    await rateLimit?.countCaller(caller, res);
  }
  return { context, caller };
}

/** Calls the Express handler of an operation. */
async function callExpress(
  { express, pathNames, rawPath }: ExpressHead,
  context: unknown,
  req: Request,
  res: Response,
  next: NextFunction,
): Promise<void> {
  const faults: Fault[] = [];
  req.params = readPathTexts(pathNames, rawPath, faults);
  if (faults.length > 0) {
    throw refusal(faults);
  }
  res.locals.context = context;
  await express(req, res, next);
}

/** A request as the handler receives it. */
interface ValidRequest {
  path: object;
  query: object;
  headers: object;
  cookies: object;
  body: unknown;
  responseType: string | undefined;
}

/**
 * Reads and validates the parameters and the body of a request.
 *
 * @throws ContractError 400 with all faults, or an error of {@link BodyReader.read}
 */
async function readRequest(
  { operation, rawPath, rawQuery, responseType }: ServedHead,
  limits: RouterLimits,
  caller: string,
  req: Request,
  res: Response,
): Promise<{ request: ValidRequest; stream: Readable | undefined }> {
  const { parameters, pathNames, validation } = operation;
  const faults: Fault[] = [];
  const path = parameters.path(pathNames, rawPath, faults);
  const query = parameters.query(rawQuery, faults, limits.queryParameters);
  const headers = parameters.headers(req.headers, faults);
  const cookies = parameters.cookies(req.headers, faults);
  const { json, bytes, value: body, stream } = await operation.body.read(req, res, caller, faults);
  faults.push(...validation.request({ path, query, headers, cookies, json, bytes }));
  if (faults.length > 0) {
    stream?.destroy();
    throw refusal(faults);
  }
  await yieldAfter(bytes);
  return { request: { path, query, headers, cookies, body, responseType }, stream };
}

/** Describes the call of a handler for the option `perform`. */
const callOf = <Context>(
  { info: { operationId } }: ServedHead,
  { path, query, body }: ValidRequest,
  { headers }: Request,
  context: Context,
): HandlerCall<Context> => ({ operationId, path, query, headers, body, context });

/** Checks the result of a handler against the contract, and sends it. */
async function respond<Context>(
  { headersOf, responses, limits }: Options<Context>,
  { id, method, responder }: ServedOperation,
  result: unknown,
  { context, caller }: { context: Context; caller: string },
  res: Response,
): Promise<void> {
  const response = responder.check(result, (body) => headersOf?.(id, body, context) ?? {});
  const bytes = bodySize(response);
  // Responses of operations that changed something are never rejected.
  if (method === 'get' && bytes > 0) {
    responses.count(caller, res)(bytes);
  }
  await sendResponse(res, response, limits.stallMs);
}
