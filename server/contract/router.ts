import type { Request, RequestHandler, Response } from 'express';
import { acceptsJson } from './accept.ts';
import { yieldAfter } from './body.ts';
import { BodyMemory } from './body-memory.ts';
import { operationsOf } from './document.ts';
import { type Fault, methodNotAllowed, notAcceptable } from './errors.ts';
import { refusal } from './faults.ts';
import { jsonText, sendJson, sizeOf } from './json.ts';
import { type RequestInfo, requestInfo } from './request-info.ts';
import type { RouterOptions } from './router-options.ts';
import { type Match, Routes } from './routes.ts';
import { type ServedOperation, serveOperation } from './served-operation.ts';
import { parseTarget, readPath, readQuery } from './target.ts';
import { prepareInBackground, type Validation } from './validation.ts';

/** The operations of a path by method. */
type Methods<Context> = Map<string, ServedOperation<Context>>;

/**
 * Creates the request handler of a contract. For each request it authenticates the caller, validates the request,
 * calls the operation's handler and sends the result with the status that the contract declares. Mount it at the
 * root of the contract's paths. Unknown paths are passed on to the next handler; other methods of a known path
 * are rejected with 405.
 */
export function createContractRouter<Operations, Table, Context>(
  options: RouterOptions<Operations, Table, Context>,
): RequestHandler {
  const routes = new Routes<Methods<Context>>();
  const memory = new BodyMemory();
  const responses = new BodyMemory();
  const validations: Validation[] = [];
  for (const [path, item] of Object.entries(options.document.paths)) {
    const served = operationsOf(item).map(([method, object]) =>
      serveOperation(options, memory, method, object),
    );
    routes.add(path, new Map(served.map((operation) => [operation.row.method.toUpperCase(), operation])));
    validations.push(...served.map(({ validation }) => validation));
  }
  if (options.compileAhead) {
    void prepareInBackground(validations);
  }
  return async (req, res, next) => {
    const { path, query } = await countFailure(options, req, res, () => parseTarget(req.url));
    const match = routes.match(path);
    if (!match) {
      return next();
    }
    await serve(options, responses, match, query, req, res);
  };
}

async function serve<Operations, Table, Context>(
  options: RouterOptions<Operations, Table, Context>,
  responses: BodyMemory,
  match: Match<Methods<Context>>,
  rawQuery: string,
  req: Request,
  res: Response,
): Promise<void> {
  const { operation, info } = await countFailure(options, req, res, () => checkHead(match, req, res));
  const context = await authenticate(options, info, req, res);
  options.authorize?.(operation.id, context);
  const faults: Fault[] = [];
  const path = readPath(match.names, match.raw, faults);
  const query = readQuery(rawQuery, operation.queryNames, faults);
  const caller = callerKeyOf(options, context, info);
  const { value: body, bytes } = await operation.body.read(req, res, caller, faults);
  faults.push(...operation.validation.request({ path, query, headers: req.headers, body, bytes }));
  if (faults.length > 0) {
    throw refusal(faults);
  }
  await yieldAfter(bytes);
  const perform = options.perform ?? ((work) => work());
  const result = await perform(() => operation.handler({ path, query, body }, context), {
    operationId: operation.id,
    path,
    headers: req.headers,
    body,
    context,
  });
  // The caller closed the connection.
  if (res.closed) {
    return;
  }
  // Responses of operations that changed something are never rejected.
  if (operation.row.method === 'get') {
    responses.count(caller, res)(sizeOf(result));
  }
  await send(options, operation, { result, context }, res);
}

/**
 * Checks the path, method and headers of a request.
 *
 * @throws ContractError 405, 406, 413, 415; 401 if a required credential is missing
 */
function checkHead<Context>(
  match: Match<Methods<Context>>,
  req: Request,
  res: Response,
): { operation: ServedOperation<Context>; info: RequestInfo } {
  const operation = match.value.get(req.method);
  if (!operation) {
    throw methodNotAllowed(req.method, [...match.value.keys()]);
  }
  res.locals.operationId = operation.id;
  if (operation.hasResponseBody && !acceptsJson(req)) {
    throw notAcceptable();
  }
  operation.body.checkHeaders(req);
  return { operation, info: requestInfo(operation, req, res) };
}

/** Runs a check that precedes authentication. A failure is counted against the address. */
async function countFailure<Operations, Table, Context, Result>(
  { rateLimit }: RouterOptions<Operations, Table, Context>,
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
async function authenticate<Operations, Table, Context>(
  options: RouterOptions<Operations, Table, Context>,
  info: RequestInfo,
  req: Request,
  res: Response,
): Promise<Context> {
  const { rateLimit } = options;
  if (!rateLimit) {
    return await options.authenticate(info);
  }
  if (info.bearer === undefined) {
    await rateLimit.countAddress(req, res);
    return await options.authenticate(info);
  }
  const context = await rateLimit.authenticate(info.bearer, req, res, () => options.authenticate(info));
  await rateLimit.countCaller(callerKeyOf(options, context, info), res);
  return context;
}

const callerKeyOf = <Operations, Table, Context>(
  { callerKey }: RouterOptions<Operations, Table, Context>,
  context: Context,
  info: RequestInfo,
) => callerKey?.(context) ?? info.address;

async function send<Operations, Table, Context>(
  options: RouterOptions<Operations, Table, Context>,
  { id, row, object, hasSeveralStatuses, validation }: ServedOperation<Context>,
  { result, context }: { result: unknown; context: Context },
  res: Response,
): Promise<void> {
  // If several success statuses are declared, the handler's type makes the result a `ReplyOf`.
  const { status, body } = hasSeveralStatuses
    ? (result as { status: number; body: unknown })
    : { status: row.status, body: result };
  const declared = String(status).startsWith('2') ? object.responses[String(status)] : undefined;
  if (!declared) {
    throw new Error(`${id} returned status ${status}, which the contract does not declare.`);
  }
  if (!declared.content !== (body === undefined)) {
    throw new Error(
      `${id} returned status ${status} ${body === undefined ? 'without a body' : 'with a body'}, contrary to the contract.`,
    );
  }
  if (body !== undefined && options.validateResponses) {
    validation.response(status, JSON.parse(jsonText(body)));
  }
  if (declared.headers && options.headersOf) {
    res.set(options.headersOf(id, body, context));
  }
  res.statusCode = status;
  if (body === undefined) {
    res.end();
    return;
  }
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  await sendJson(res, body);
}
