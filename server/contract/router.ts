import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ContractError, type Fault, methodNotAllowed } from './errors.ts';
import { BodyMemory } from './limits/body-memory.ts';
import { DEFAULT_LIMITS } from './limits/limits.ts';
import { discardRest } from './limits/linger.ts';
import type { Body } from './request/bodies/body.ts';
import { yieldAfter } from './request/bodies/buffered.ts';
import { createRoutes, type Methods, type RefusedOperation } from './request/paths/operation-routes.ts';
import type { Match } from './request/paths/routes.ts';
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
  return async (req, res, next) => {
    const { path, query } = await countFailure(perRequest, req, res, () => parseTarget(req.url));
    const match = routes.match(path);
    const operation = match && operationOf(match.value, req.method);
    if (!match || (!operation && serving.only)) {
      return next();
    }
    if (operation && 'refused' in operation) {
      return await refuse(perRequest, operation, match.raw, query, req, res, next);
    }
    await serve(perRequest, operation, match, query, req, res);
  };
}

/** HEAD is served like GET, unless the contract declares it. */
const operationOf = (methods: Methods, method: string) =>
  methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined);

/** Passes a request to the Express handler of an operation, after its caller is authenticated; otherwise throws a 501. */
async function refuse<Context>(
  options: Options<Context>,
  { id, refused, express, pathNames }: RefusedOperation,
  raw: string[],
  query: string,
  req: Request,
  res: Response,
  next: NextFunction,
): Promise<void> {
  res.locals.operationId = id;
  const faults: Fault[] = [];
  const { authentication, handler, credentials } = await countFailure(options, req, res, () => {
    if (!express) {
      throw new ContractError(
        501,
        'not_implemented',
        `The server does not support this operation: ${refused}.`,
      );
    }
    return { ...express, credentials: express.authentication.read(req, query) };
  });
  const info = requestInfo(id, req, res);
  const { context } = await authenticate(options, { authentication, info, credentials }, req, res);
  options.authorize?.(id, context);
  req.params = readPathTexts(pathNames, raw, faults);
  if (faults.length > 0) {
    throw refusal(faults);
  }
  res.locals.context = context;
  await handler(req, res, next);
}

async function serve<Context>(
  options: Options<Context>,
  served: ServedOperation | undefined,
  match: Match<Methods>,
  rawQuery: string,
  req: Request,
  res: Response,
): Promise<void> {
  const head = await countFailure(options, req, res, () => checkHead(served, match, rawQuery, req, res));
  const { operation, info } = head;
  const { context, caller } = await authenticate(options, head, req, res);
  options.authorize?.(operation.id, context);
  const { handler, missing } = operation;
  if (missing) {
    return await missing(req, res);
  }
  const faults: Fault[] = [];
  const path = operation.parameters.path(operation.pathNames, match.raw, faults);
  const query = operation.parameters.query(rawQuery, faults, options.limits.queryParameters);
  const headers = operation.parameters.headers(req.headers, faults);
  const cookies = operation.parameters.cookies(req.headers, faults);
  const body = await operation.body.read(req, res, caller, faults);
  const { json, bytes } = body;
  faults.push(...operation.validation.request({ path, query, headers, cookies, json, bytes }));
  if (faults.length > 0) {
    body.stream?.destroy();
    throw refusal(faults);
  }
  await yieldAfter(bytes);
  const request = { path, query, headers, cookies, body: body.value, responseType: head.responseType };
  const result = await perform(options, res, body, () => handler(request, context), {
    operationId: operation.id,
    path,
    query,
    headers: req.headers,
    body: body.value,
    context,
  });
  // The caller closed the connection.
  if (res.closed) {
    return;
  }
  const response = operation.responder.check(
    result,
    (value) => options.headersOf?.(info.operationId, value, context) ?? {},
  );
  // Responses of operations that changed something are never rejected.
  if (operation.method === 'get') {
    options.responses.count(caller, res)(bodySize(response));
  }
  await sendResponse(res, response, options.limits.stallMs);
}

/** Calls a handler, and then discards what it did not read of the body. */
async function perform<Context>(
  options: Options<Context>,
  res: Response,
  { stream }: Body,
  handle: () => Promise<unknown>,
  call: HandlerCall<Context>,
): Promise<unknown> {
  const wrap = options.perform ?? ((work: typeof handle) => work());
  if (!stream) {
    return await wrap(handle, call);
  }
  try {
    return await wrap(handle, call);
  } finally {
    stream.destroy();
    await discardRest(res.req, res);
  }
}

/** A request whose path, method and headers are valid. */
interface Head extends Presented {
  operation: ServedOperation;
  responseType: string | undefined;
}

/** A request with the credentials that it contains. */
interface Presented {
  authentication: Authentication;
  info: UnverifiedRequest;
  credentials: PresentedCredentials;
}

/**
 * Checks the path, method and headers of a request.
 *
 * @throws ContractError 405, 406, 413, 415; 401 if a required credential is missing
 */
function checkHead(
  operation: ServedOperation | undefined,
  { value: methods }: Match<Methods>,
  query: string,
  req: Request,
  res: Response,
): Head {
  if (!operation) {
    const declared = [...methods.keys()];
    throw methodNotAllowed(req.method, [...new Set(methods.has('GET') ? [...declared, 'HEAD'] : declared)]);
  }
  res.locals.operationId = operation.id;
  const responseType = operation.responder.negotiate(req);
  operation.body.checkHeaders(req);
  const { authentication } = operation;
  const credentials = authentication.read(req, query);
  return { operation, authentication, responseType, credentials, info: requestInfo(operation.id, req, res) };
}

/** Runs a check that precedes authentication. A failure is counted against the address. */
async function countFailure<Context, Result>(
  { rateLimit }: Options<Context>,
  req: Request,
  res: Response,
  check: () => Result,
): Promise<Result> {
  try {
    return check();
  } catch (error) {
    await rateLimit?.countAddress(req, res);
    throw error;
  }
}

/** Authenticates a request and counts it against the limit of its caller. */
async function authenticate<Context>(
  options: Options<Context>,
  { authentication, info, credentials }: Presented,
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
