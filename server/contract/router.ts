import { type NextFunction, type Request, type Response, Router } from 'express';
import { readBody } from './body.ts';
import {
  type HttpMethod,
  type OpenApiDocument,
  type OperationObject,
  operationsOf,
  parametersOf,
} from './document.ts';
import { ContractError, methodNotAllowed, unauthorized } from './errors.ts';
import { queryFaults } from './query.ts';
import type { Handlers, OperationRow } from './types.ts';
import { createValidation, type PathValidator, refusal } from './validation.ts';

/** A request on its way to its handler: what a context is made from. */
export interface Arrival {
  operationId: string;
  requestId: string;
  /** The credential of `Authorization: Bearer …`; undefined where there is none. */
  bearer: string | undefined;
  /** Aborts when the caller hangs up. */
  signal: AbortSignal;
}

export interface RouterOptions<Operations, Table, Context> {
  document: OpenApiDocument;
  operations: Table & Readonly<Record<keyof Operations & string, OperationRow>>;
  handlers: Handlers<Operations, Table, Context>;
  /** Finds out who calls; throws an `unauthorized` for a credential that is not good. */
  authenticate: (arrival: Arrival) => Promise<Context>;
  /** Whether what handlers answer is held against the contract. */
  validateResponses: boolean;
  /** Headers that a success declares, such as `Location`, from its body. */
  headersOf?: (operationId: string, body: unknown) => Record<string, string>;
}

type AnyHandler<Context> = (
  request: { path: object; query: object; body: unknown },
  context: Context,
) => Promise<unknown>;

interface Served<Context> {
  id: string;
  row: OperationRow;
  object: OperationObject;
  queryNames: ReadonlySet<string>;
  handler: AnyHandler<Context>;
}

/**
 * An Express router that serves every operation of a contract: reads and validates the request, finds
 * the caller, calls the handler, and sends its answer with the status that the contract gives it.
 * Static segments come before parameters; other methods of a known path are answered with 405.
 */
export function createContractRouter<Operations, Table, Context>(
  options: RouterOptions<Operations, Table, Context>,
): Router {
  const { document } = options;
  const router = Router({ caseSensitive: true, strict: true });
  const validation = createValidation(document, options.validateResponses);
  for (const path of Object.keys(document.paths).sort(staticFirst)) {
    const served = new Map<string, Served<Context>>();
    for (const [method, object] of operationsOf(document.paths[path] ?? {})) {
      served.set(method.toUpperCase(), serving(options, method, object));
    }
    router.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), async (req, res, next) => {
      const operation = served.get(req.method);
      if (!operation) throw methodNotAllowed(req.method, [...served.keys()]);
      res.locals.operationId = operation.id;
      await serve(options, operation, validation(path), req, res, next);
    });
  }
  return router;
}

function serving<Operations, Table, Context>(
  { document, operations, handlers }: RouterOptions<Operations, Table, Context>,
  method: HttpMethod,
  object: OperationObject,
): Served<Context> {
  const id = object.operationId;
  // The tables are keyed by the contract's operation ids; both may still be of another contract.
  const row = (operations as Readonly<Record<string, OperationRow | undefined>>)[id];
  const handler = (handlers as Readonly<Record<string, AnyHandler<Context> | undefined>>)[id];
  if (!row || !handler || row.method !== method)
    throw new Error(
      `The contract's operation ${id} has no ${row ? 'handler' : 'row in the table of operations'}.`,
    );
  const queryNames = parametersOf(document, object).flatMap(({ in: place, name }) =>
    place === 'query' ? [name] : [],
  );
  return { id, row, object, queryNames: new Set(queryNames), handler };
}

async function serve<Operations, Table, Context>(
  options: RouterOptions<Operations, Table, Context>,
  operation: Served<Context>,
  validate: PathValidator,
  req: Request,
  res: Response,
  next: NextFunction,
): Promise<void> {
  const faults = queryFaults(req, operation.queryNames);
  await readBody(req, res, operation.object);
  if (operation.object.requestBody?.required && req.body === undefined)
    faults.push({ in: 'body', path: '', message: 'must be there: the operation needs one' });
  faults.push(...(await validate(req, res, next)));
  if (faults.length > 0) throw refusal(faults);
  // A target that the validator did not recognise (absolute form, say) has not been validated.
  if (!('openapi' in req) || !req.openapi) throw new ContractError(404, 'There is nothing at this path.');
  const context = await options.authenticate({
    operationId: operation.id,
    requestId: String(res.locals.requestId),
    bearer: operation.row.secured ? bearerOf(req) : undefined,
    signal: abortedWith(res),
  });
  const answer = await operation.handler({ path: req.params, query: req.query, body: req.body }, context);
  send(options, operation, answer, res);
}

function bearerOf(req: Request): string {
  const match = /^Bearer +([^\s]+)$/i.exec(req.headers.authorization ?? '');
  if (!match?.[1])
    throw unauthorized('This operation needs an access token: send Authorization: Bearer <token>.');
  return match[1];
}

function abortedWith(res: Response): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => controller.abort());
  return controller.signal;
}

function send<Operations, Table, Context>(
  options: RouterOptions<Operations, Table, Context>,
  { id, row, object }: Served<Context>,
  answer: unknown,
  res: Response,
): void {
  const several = Object.keys(object.responses).filter((status) => status.startsWith('2')).length > 1;
  // Where several successes are declared, the handler's type makes the answer a reply.
  const { status, body } = several
    ? (answer as { status: number; body: unknown })
    : { status: row.status, body: answer };
  const declared = object.responses[String(status)];
  if (!declared) throw new Error(`${id} answered ${status}, which the contract does not declare.`);
  if (!declared.content !== (body === undefined))
    throw new Error(
      `${id} answered ${status} ${body === undefined ? 'without the' : 'with a'} body, against the contract.`,
    );
  res.status(status);
  if (declared.headers && options.headersOf) res.set(options.headersOf(id, body));
  if (body === undefined) res.end();
  // The validator overwrites dates and the like in what it checks: it gets the JSON itself.
  else res.json(options.validateResponses ? JSON.parse(JSON.stringify(body)) : body);
}

/** Orders paths so that a static segment is tried before a parameter in its place. */
function staticFirst(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x = '', y = ''] = [left[i], right[i]];
    if (x !== y) return Number(x.startsWith('{')) - Number(y.startsWith('{')) || (x < y ? -1 : 1);
  }
  return left.length - right.length;
}
