import type { Request, RequestHandler, Response } from 'express';
import { acceptsJson } from './accept.ts';
import { type BodyReader, bodyReader, yieldAfter } from './body.ts';
import { BodyMemory } from './body-memory.ts';
import {
  type HttpMethod,
  type OpenApiDocument,
  type OperationObject,
  operationsOf,
  parametersOf,
  schemaOf,
} from './document.ts';
import { type Fault, methodNotAllowed, notAcceptable } from './errors.ts';
import { refusal } from './faults.ts';
import { jsonText, sendJson, sizeOf } from './json.ts';
import { missingHandler } from './missing-handlers.ts';
import type { RateLimit } from './rate-limit.ts';
import { type RequestInfo, requestInfo } from './request-info.ts';
import { type Match, Routes } from './routes.ts';
import { NUMBER_TEXT, parseTarget, type QueryNames, readPath, readQuery } from './target.ts';
import type { Handlers, OperationRow } from './types.ts';
import { createValidation, prepareInBackground, type Validation } from './validation.ts';

export interface RouterOptions<Operations, Table, Context> {
  document: OpenApiDocument;
  operations: Table & Readonly<Record<keyof Operations & string, OperationRow>>;
  handlers: Handlers<Operations, Table, Context>;
  /** Returns the context of a caller; throws `unauthenticated` for an invalid credential. */
  authenticate: (request: RequestInfo) => Promise<Context>;
  /** Throws if the caller may not use the operation at all. */
  authorize?: (operationId: string, context: Context) => void;
  /**
   * Returns the key that a caller's limits are counted under, such as a token ID. Defaults to the address.
   */
  callerKey?: (context: Context) => string;
  /** Rate limit of callers and addresses. None by default. */
  rateLimit?: RateLimit | undefined;
  /** Time limit in milliseconds for receiving a body, extended in proportion to its size. */
  bodyDeadlineMs?: number;
  /** Wraps the call of each handler. */
  perform?: (work: () => Promise<unknown>) => Promise<unknown>;
  /** Whether responses are validated against the contract. */
  validateResponses: boolean;
  /** Whether validators are compiled after startup instead of with the first request that uses them. */
  compileAhead?: boolean;
  /** Validations to share with other routers of the same document, by operation id. Missing ones are added. */
  validations?: Map<string, Validation>;
  /** Returns the response headers that a success declares, such as `Location`, from its body. */
  headersOf?: (operationId: string, body: unknown) => Record<string, string>;
}

type AnyHandler<Context> = (
  request: { path: object; query: object; body: unknown },
  context: Context,
) => Promise<unknown>;

/** An operation prepared for serving. */
interface ServedOperation<Context> {
  id: string;
  row: OperationRow;
  object: OperationObject;
  /** Whether the contract declares several success statuses, so that the handler returns the status. */
  hasSeveralStatuses: boolean;
  /** Whether a success response has a body. */
  hasResponseBody: boolean;
  queryNames: QueryNames;
  body: BodyReader;
  validation: Validation;
  handler: AnyHandler<Context>;
}

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

function serveOperation<Operations, Table, Context>(
  { document, operations, handlers, bodyDeadlineMs, validations }: RouterOptions<Operations, Table, Context>,
  memory: BodyMemory,
  method: HttpMethod,
  object: OperationObject,
): ServedOperation<Context> {
  const id = object.operationId;
  // Both tables are keyed by operation id, but may have been generated from another contract.
  const row = (operations as Readonly<Record<string, OperationRow | undefined>>)[id];
  const handler = (handlers as Readonly<Record<string, AnyHandler<Context> | undefined>>)[id];
  if (!row || row.method !== method) {
    throw new Error(`The operation table does not match the contract: ${id}. Regenerate it.`);
  }
  const queryNames = parametersOf(document, object).flatMap(({ in: place, name, schema }) => {
    const { type } = schemaOf(document, schema);
    const form = type === 'integer' || type === 'number' ? NUMBER_TEXT : undefined;
    return place === 'query' ? [[name, form] satisfies [string, RegExp | undefined]] : [];
  });
  const validation = validations?.get(id) ?? createValidation(document, method, object);
  validations?.set(id, validation);
  const successes = Object.entries(object.responses).filter(([status]) => status.startsWith('2'));
  return {
    id,
    row,
    object,
    hasSeveralStatuses: successes.length > 1,
    hasResponseBody: successes.some(([, { content }]) => content),
    queryNames: new Map(queryNames),
    body: bodyReader(object, memory, bodyDeadlineMs),
    validation,
    handler: handler ?? missingHandler(id),
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
  const result = await perform(() => operation.handler({ path, query, body }, context));
  // The caller closed the connection.
  if (res.closed) {
    return;
  }
  // Responses of operations that changed something are never rejected.
  if (operation.row.method === 'get') {
    responses.count(caller, res)(sizeOf(result));
  }
  await send(options, operation, result, res);
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
  result: unknown,
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
    res.set(options.headersOf(id, body));
  }
  res.statusCode = status;
  if (body === undefined) {
    res.end();
    return;
  }
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  await sendJson(res, body);
}
