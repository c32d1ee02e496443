import { setTimeout } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import { acceptsJson } from './accept.ts';
import { callerAddress } from './address.ts';
import { type BodyReader, bodyReader, giveTurn } from './body.ts';
import { BodyMemory } from './body-memory.ts';
import {
  type HttpMethod,
  type OpenApiDocument,
  type OperationObject,
  operationsOf,
  parametersOf,
  schemaOf,
} from './document.ts';
import { type Fault, methodNotAllowed, notAcceptable, unauthorized } from './errors.ts';
import { refusal } from './faults.ts';
import { jsonText, sendJson, sizeOf } from './json.ts';
import type { RateLimit } from './rate-limit.ts';
import { type Match, Routes } from './routes.ts';
import { NUMBER_TEXT, parseTarget, type QueryNames, readPath, readQuery } from './target.ts';
import type { Handlers, OperationRow } from './types.ts';
import { createValidation, type Validation } from './validation.ts';

/** A request on its way to its handler: what a context is made from. */
export interface Arrival {
  operationId: string;
  requestId: string;
  /** The caller's IP address; empty where the connection is gone already. */
  address: string;
  /** The credential of `Authorization: Bearer …`; undefined where the operation needs none. */
  bearer: string | undefined;
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal;
}

export interface RouterOptions<Operations, Table, Context> {
  document: OpenApiDocument;
  operations: Table & Readonly<Record<keyof Operations & string, OperationRow>>;
  handlers: Handlers<Operations, Table, Context>;
  /** Finds out who calls; throws an `unauthorized` for a credential that is not good. */
  authenticate: (arrival: Arrival) => Promise<Context>;
  /** Judges whether a caller may use an operation at all; throws where not. */
  authorize?: (operationId: string, context: Context) => void;
  /**
   * What identifies the caller of a context, such as the id of their token: limits are kept by it. Without it
   * they are kept by address.
   */
  callerKey?: (context: Context) => string;
  /** How many requests callers and addresses may send; all they like, where left out. */
  rateLimit?: RateLimit | undefined;
  /** The time that a body may take to arrive, before what its size adds, in milliseconds. */
  bodyDeadlineMs?: number;
  /** Calls the handler of each request; by itself, where left out. */
  perform?: (work: () => Promise<unknown>) => Promise<unknown>;
  /** Whether what handlers answer is held against the contract. */
  validateResponses: boolean;
  /** Whether validators are compiled soon after the start, and not with the first request that needs each. */
  compileAhead?: boolean;
  /** Headers that a success declares, such as `Location`, from its body. */
  headersOf?: (operationId: string, body: unknown) => Record<string, string>;
}

type AnyHandler<Context> = (
  request: { path: object; query: object; body: unknown },
  context: Context,
) => Promise<unknown>;

/** All that is known of an operation before its first request. */
interface Served<Context> {
  id: string;
  row: OperationRow;
  object: OperationObject;
  /** Whether the contract declares several successes, so that the handler says which. */
  several: boolean;
  /** Whether a success has a body. */
  answers: boolean;
  queryNames: QueryNames;
  body: BodyReader;
  validation: Validation;
  handler: AnyHandler<Context>;
}

/** The operations of one path, by method. */
type Methods<Context> = Map<string, Served<Context>>;

/**
 * A request handler that serves every operation of a contract: reads and validates the request, finds
 * the caller, calls the handler, and sends its answer with the status that the contract gives it. It is
 * mounted where the contract's paths begin, at the root; a path that the contract lacks goes on to what
 * is mounted after it, another method of one that it has is a 405.
 */
export function createContractRouter<Operations, Table, Context>(
  options: RouterOptions<Operations, Table, Context>,
): RequestHandler {
  const routes = new Routes<Methods<Context>>();
  const memory = new BodyMemory();
  const responses = new BodyMemory();
  const validations: Validation[] = [];
  for (const [path, item] of Object.entries(options.document.paths)) {
    const served = operationsOf(item).map(([method, object]) => serving(options, memory, method, object));
    routes.add(path, new Map(served.map((operation) => [operation.row.method.toUpperCase(), operation])));
    validations.push(...served.map(({ validation }) => validation));
  }
  if (options.compileAhead) void prepareAll(validations);
  return async (req, res, next) => {
    const { path, query } = await countFailure(options, req, res, () => parseTarget(req.url));
    const match = routes.find(path);
    if (!match) return next();
    await serve(options, responses, match, query, req, res);
  };
}

/** The pause after each validator that is compiled ahead, in milliseconds: requests need the time, too. */
const COMPILE_PAUSE_MS = 10;

/** Prepares one after the other, each in a turn of its own. Keeps no process alive. */
async function prepareAll(validations: readonly Validation[]): Promise<void> {
  for (const validation of validations) {
    await setTimeout(COMPILE_PAUSE_MS, undefined, { ref: false });
    try {
      validation.prepare();
    } catch {
      // The first request that needs it fails the same way, and is reported.
    }
  }
}

function serving<Operations, Table, Context>(
  { document, operations, handlers, bodyDeadlineMs }: RouterOptions<Operations, Table, Context>,
  memory: BodyMemory,
  method: HttpMethod,
  object: OperationObject,
): Served<Context> {
  const id = object.operationId;
  // The tables are keyed by the contract's operation ids; both may still be of another contract.
  const row = (operations as Readonly<Record<string, OperationRow | undefined>>)[id];
  const handler = (handlers as Readonly<Record<string, AnyHandler<Context> | undefined>>)[id];
  if (!row || row.method !== method)
    throw new Error(
      `The table of operations has no row for ${id}, or one of another contract. Generate it anew.`,
    );
  if (!handler) throw new Error(`The contract's operation ${id} has no handler.`);
  const queryNames = parametersOf(document, object).flatMap(({ in: place, name, schema }) => {
    const { type } = schemaOf(document, schema);
    const form = type === 'integer' || type === 'number' ? NUMBER_TEXT : undefined;
    return place === 'query' ? [[name, form] satisfies [string, RegExp | undefined]] : [];
  });
  const successes = Object.entries(object.responses).filter(([status]) => status.startsWith('2'));
  return {
    id,
    row,
    object,
    several: successes.length > 1,
    answers: successes.some(([, { content }]) => content),
    queryNames: new Map(queryNames),
    body: bodyReader(object, memory, bodyDeadlineMs),
    validation: createValidation(document, method, object),
    handler,
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
  const { operation, arrival } = await countFailure(options, req, res, () => judgeHead(match, req, res));
  const context = await admit(options, arrival, req, res);
  options.authorize?.(operation.id, context);
  const faults: Fault[] = [];
  const path = readPath(match.names, match.raw, faults);
  const query = readQuery(rawQuery, operation.queryNames, faults);
  const caller = keyOf(options, context, arrival);
  const { value: body, bytes } = await operation.body.read(req, res, caller, faults);
  const found = operation.validation.request({ path, query, headers: req.headers, body, bytes });
  if (faults.length + found.length > 0) throw refusal([...faults, ...found]);
  await giveTurn(bytes);
  const perform = options.perform ?? ((work) => work());
  const answer = await perform(() => operation.handler({ path, query, body }, context));
  // Nobody waits for it.
  if (res.closed) return;
  // What was changed is answered in any case.
  if (operation.row.method === 'get') responses.count(caller, res)(sizeOf(answer));
  await send(options, operation, answer, res);
}

/**
 * Judges what can be judged of a request by its path, method and headers.
 *
 * @throws ContractError 405, 406, 413, 415; 401 for one without a credential that needs one
 */
function judgeHead<Context>(
  match: Match<Methods<Context>>,
  req: Request,
  res: Response,
): { operation: Served<Context>; arrival: Arrival } {
  const operation = match.value.get(req.method);
  if (!operation) throw methodNotAllowed(req.method, [...match.value.keys()]);
  res.locals.operationId = operation.id;
  if (operation.answers && !acceptsJson(req)) throw notAcceptable();
  operation.body.checkHeaders(req);
  return { operation, arrival: arrivalOf(operation, req, res) };
}

/** Counts a request that fails before its caller is known by its address. */
async function countFailure<Operations, Table, Context, Result>(
  { rateLimit }: RouterOptions<Operations, Table, Context>,
  req: Request,
  res: Response,
  judge: () => Result,
): Promise<Result> {
  try {
    return judge();
  } catch (error) {
    await rateLimit?.countAddress(req, res);
    throw error;
  }
}

/** Finds the caller of a request, and counts it by them. */
async function admit<Operations, Table, Context>(
  options: RouterOptions<Operations, Table, Context>,
  arrival: Arrival,
  req: Request,
  res: Response,
): Promise<Context> {
  const { rateLimit, authenticate } = options;
  if (!rateLimit) return await authenticate(arrival);
  if (arrival.bearer === undefined) {
    await rateLimit.countAddress(req, res);
    return await authenticate(arrival);
  }
  const context = await rateLimit.authenticate(arrival.bearer, req, res, () => authenticate(arrival));
  await rateLimit.countCaller(keyOf(options, context, arrival), res);
  return context;
}

const keyOf = <Operations, Table, Context>(
  { callerKey }: RouterOptions<Operations, Table, Context>,
  context: Context,
  arrival: Arrival,
) => callerKey?.(context) ?? arrival.address;

function arrivalOf({ id, row }: Pick<Served<never>, 'id' | 'row'>, req: Request, res: Response): Arrival {
  let controller: AbortController | undefined;
  return {
    operationId: id,
    requestId: String(res.locals.requestId),
    address: callerAddress(req),
    bearer: row.secured ? bearerOf(req) : undefined,
    get signal() {
      if (!controller) {
        const made = new AbortController();
        controller = made;
        if (res.destroyed) made.abort();
        res.once('close', () => {
          if (!res.writableFinished) made.abort();
        });
      }
      return controller.signal;
    },
  };
}

function bearerOf(req: Request): string {
  const match = /^Bearer +([^\s]+)$/i.exec(req.headers.authorization ?? '');
  if (!match?.[1])
    throw unauthorized('This operation needs an access token: send Authorization: Bearer <token>.');
  return match[1];
}

async function send<Operations, Table, Context>(
  options: RouterOptions<Operations, Table, Context>,
  { id, row, object, several, validation }: Served<Context>,
  answer: unknown,
  res: Response,
): Promise<void> {
  // Where several successes are declared, the handler's type makes the answer a reply.
  const { status, body } = several
    ? (answer as { status: number; body: unknown })
    : { status: row.status, body: answer };
  const declared = String(status).startsWith('2') ? object.responses[String(status)] : undefined;
  if (!declared) throw new Error(`${id} answered ${status}, which the contract does not declare.`);
  if (!declared.content !== (body === undefined))
    throw new Error(
      `${id} answered ${status} ${body === undefined ? 'without the' : 'with a'} body, against the contract.`,
    );
  if (body !== undefined && options.validateResponses)
    validation.response(status, JSON.parse(jsonText(body)));
  if (declared.headers && options.headersOf) res.set(options.headersOf(id, body));
  res.statusCode = status;
  if (body === undefined) {
    res.end();
    return;
  }
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  await sendJson(res, body);
}
