import type { Request, RequestHandler, Response } from 'express';
import { yieldAfter } from './bodies/buffered.ts';
import type { Body } from './body.ts';
import { BodyMemory } from './body-memory.ts';
import { completeOperation, type OperationObject, operationsOf } from './document.ts';
import { type Fault, methodNotAllowed } from './errors.ts';
import { refusal } from './faults.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { discardRest } from './linger.ts';
import { requestInfo, type UnverifiedRequest } from './request-info.ts';
import { bodySize, sendResponse } from './responses/send.ts';
import type { CommonOptions, HandlerCall, RouterOptions } from './router-options.ts';
import { type Match, Routes } from './routes.ts';
import type { PresentedCredentials } from './security.ts';
import { type AnyHandler, type ServedOperation, type Serving, serveOperation } from './served-operation.ts';
import { parseTarget, readPath, readQuery } from './target.ts';
import { unsupportedByOperation, unsupportedParts } from './unsupported.ts';
import { prepareInBackground, type Validation } from './validation.ts';

/** The operations of a path by method. */
type Methods = Map<string, ServedOperation>;

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
 * are rejected with 405.
 *
 * @throws Error that lists everything in the document that the router cannot serve, each missing handler and security
 *   hook, and each operation of which the table differs
 */
export function createContractRouter<Operations, Table, Context, Principals = Record<never, never>>(
  options: RouterOptions<Operations, Table, Context, Principals>,
): RequestHandler {
  const { document } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const serving: Serving = {
    document,
    limits,
    memory: new BodyMemory(limits.bufferedBytes, limits.bufferedBytesPerCaller),
    readOnly: options.readOnly ?? 'ignore',
    validateResponses: options.validateResponses,
    validations: options.validations ?? new Map(),
    // These are keyed by the names in the contract, and their types follow from it.
    operations: options.operations as Serving['operations'],
    handlers: options.handlers as unknown as Readonly<Record<string, AnyHandler | undefined>>,
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
    if (!match) {
      return next();
    }
    await serve(perRequest, match, query, req, res);
  };
}

/** @throws Error with everything that the router cannot serve */
function createRoutes(serving: Serving): { routes: Routes<Methods>; validations: Validation[] } {
  const { document } = serving;
  const problems = unsupportedParts(document);
  const routes = new Routes<Methods>();
  const validations: Validation[] = [];
  // Without valid references, operations cannot be read.
  for (const [path, item] of problems.length > 0 ? [] : Object.entries(document.paths)) {
    const methods: Methods = new Map();
    const report = ([method, { operationId }]: [string, OperationObject], problem: unknown) => {
      const reason = problem instanceof Error ? problem.message : String(problem);
      problems.push(`${method.toUpperCase()} ${path} (${operationId}): ${reason}`);
    };
    for (const declared of operationsOf(item)) {
      const [method] = declared;
      const operation = completeOperation(document, item, declared[1]);
      const unsupported = unsupportedByOperation(document, path, operation, declared[1]);
      for (const problem of unsupported) {
        report(declared, problem);
      }
      if (unsupported.length > 0) {
        continue;
      }
      try {
        const served = serveOperation(serving, method, operation);
        methods.set(method.toUpperCase(), served);
        validations.push(served.validation);
      } catch (error) {
        report(declared, error);
      }
    }
    try {
      routes.add(path, methods);
    } catch (error) {
      for (const declared of operationsOf(item)) {
        report(declared, error);
      }
    }
  }
  if (problems.length > 0) {
    throw new Error(`The contract cannot be served:\n- ${problems.join('\n- ')}`);
  }
  return { routes, validations };
}

async function serve<Context>(
  options: Options<Context>,
  match: Match<Methods>,
  rawQuery: string,
  req: Request,
  res: Response,
): Promise<void> {
  const head = await countFailure(options, req, res, () => checkHead(match, rawQuery, req, res));
  const { operation, info } = head;
  const { context, caller } = await authenticate(options, head, req, res);
  options.authorize?.(operation.id, context);
  const { handler, missing } = operation;
  if (missing) {
    return await missing(req, res);
  }
  const faults: Fault[] = [];
  const path = readPath(match.names, match.raw, operation.pathNumbers, faults);
  const query = readQuery(rawQuery, operation.queryNames, faults, options.limits.queryParameters);
  for (const name of operation.hiddenNames) {
    delete query[name];
  }
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
interface Head {
  operation: ServedOperation;
  info: UnverifiedRequest;
  credentials: PresentedCredentials;
  responseType: string | undefined;
}

/**
 * Checks the path, method and headers of a request.
 *
 * @throws ContractError 405, 406, 413, 415; 401 if a required credential is missing
 */
function checkHead(match: Match<Methods>, query: string, req: Request, res: Response): Head {
  const operation = match.value.get(req.method);
  if (!operation) {
    throw methodNotAllowed(req.method, [...match.value.keys()]);
  }
  res.locals.operationId = operation.id;
  const responseType = operation.responder.negotiate(req);
  operation.body.checkHeaders(req);
  const credentials = operation.authentication.read(req, query);
  return { operation, responseType, credentials, info: requestInfo(operation.id, req, res) };
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
  { operation, info, credentials }: Head,
  req: Request,
  res: Response,
): Promise<{ context: Context; caller: string }> {
  const { rateLimit } = options;
  const verify = async () => {
    info.principals = await operation.authentication.verify(credentials, info);
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
