import type fc from 'fast-check';
import type { HttpMethod, Operation } from '../contract/contract.ts';
import type { Caller, Fault } from '../plan/plan.ts';
import type { Given, OperationRequests, Parts } from '../requests/requests.ts';
import { isSecured } from '../wire/credentials.ts';
import type { Engine } from './engine.ts';
import { isolation, ownLists } from './outsiders.ts';
import { pages, relations } from './relations.ts';
import { sequence } from './sequences.ts';
import type { Manner } from './supply.ts';

/** Which operations are tried, and with whom. */
export interface Scope {
  /** By `Operation.id`. */
  chosen: ReadonlySet<string>;
  secondToken: boolean;
  signal: AbortSignal;
}

/** So many requests in one session, then a new one starts: what is there gets long to tell. */
const SESSION = 600;

/**
 * Tries everything, the most telling things first: so that a short run sees a little of all. Ends when nothing is left
 * to try; sequences at random never end.
 * @throws {BudgetSpent} when time or requests are used up
 */
export async function everything(engine: Engine, scope: Scope): Promise<void> {
  const operations = engine.resources.contract.operations
    .filter(({ id }) => scope.chosen.has(id))
    .sort((a, b) => orderOf(a) - orderOf(b));
  let supply = engine.session('values');
  let sessions = 0;
  const renew = () => {
    if (supply.session.events.length <= SESSION) return;
    sessions += 1;
    supply = engine.session(`values ${sessions}`);
  };
  const one = async (operation: Operation, phase: string, manner: Manner = {}) => {
    if (!engine.isOpen(operation)) return;
    engine.update(phase, operation.id);
    renew();
    await supply.request(operation, manner);
    await engine.settle();
  };

  const batch: Batch = async (operation, turn, count) => {
    engine.update('values', operation.id);
    renew();
    const each = (requests: OperationRequests, given: Given) => pick(turn * BATCH, count)(requests, given);
    for await (const event of supply.requests(operation, each, turn % 2 === 0)) {
      void event;
      await engine.settle();
    }
  };

  for (const operation of operations) await one(operation, 'first requests');
  const open = () => operations.filter((operation) => engine.isOpen(operation));
  await relations(engine, scope, 0);
  await pages(engine, scope, 0);
  if (scope.secondToken) {
    await isolation(engine, scope);
    await ownLists(engine, scope);
  }
  for (const operation of open())
    for (const caller of callersOf(operation))
      await one(operation, 'tokens', { caller, fault: { name: `caller ${caller}`, kind: 'authentication' } });
  for (const [operation, fault] of wrongMethods(engine, open())) await one(operation, 'methods', { fault });

  for (let round = 1; open().length > 0; round += 1) {
    await relations(engine, scope, round);
    await values(engine, scope, operations, round, batch);
    await pages(engine, scope, round);
    for (let count = 0; count < 50; count += 1) await sequence(engine, scope, round * 50 + count);
  }
}

/** So many requests of an operation go in one turn: what they need is looked for once. */
const BATCH = 5;

type Batch = (operation: Operation, turn: number, count: Count) => Promise<void>;

/** Every value at a limit and beyond, one of each operation in turn, with sequences in between. */
async function values(
  engine: Engine,
  scope: Scope,
  operations: Operation[],
  round: number,
  batch: Batch,
): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    let left = false;
    for (const operation of operations) {
      if (!engine.isOpen(operation)) continue;
      const count = countOf(engine, operation);
      if (turn * BATCH >= count.edges + count.faulty + 3) continue;
      left = true;
      await batch(operation, turn, count);
    }
    if (!left) return;
    if (turn % 4 === 3)
      for (let more = 0; more < 4; more += 1)
        await sequence(engine, scope, round * 100_000 + turn * 4 + more);
  }
}

interface Count {
  edges: number;
  faulty: number;
}

const counts = new WeakMap<Engine, Map<Operation, Count>>();

/** How many kinds of values there are to try. */
function countOf(engine: Engine, operation: Operation): Count {
  const known = counts.get(engine) ?? new Map<Operation, Count>();
  counts.set(engine, known);
  let count = known.get(operation);
  if (!count) {
    const requests = engine.makers.of(operation);
    const given = { path: {} };
    const tried = attempt(() => ({
      edges: requests.edges(given).length,
      faulty: requests.faulty(given).length,
    }));
    count = tried ?? { edges: 0, faulty: 0 };
    known.set(operation, count);
  }
  return count;
}

/** Nothing where values cannot be made: the first request told why. */
function attempt<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** What a turn tries: edges, faults and plain good requests take turns. */
function pick(
  turn: number,
  { edges, faulty }: Count,
): (requests: OperationRequests, given: Given) => fc.Arbitrary<Parts>[] {
  return (requests, given) => {
    const limits = requests.edges(given);
    const beyond = requests.faulty(given).map(({ parts }): fc.Arbitrary<Parts> => parts);
    const mixed: fc.Arbitrary<Parts>[] = [];
    for (let at = 0; at < Math.max(edges, faulty); at += 1)
      mixed.push(...[limits[at], beyond[at]].filter((one) => one !== undefined));
    const rest = Array.from({ length: 3 }, () => requests.good(given));
    return [...mixed, ...rest].slice(turn, turn + BATCH);
  };
}

/** Makers first, and what deletes last. */
function orderOf({ method, path }: Operation): number {
  const order: Record<string, number> = { POST: 0, PUT: 1, GET: 2, HEAD: 2, PATCH: 3, DELETE: 5 };
  return (order[method] ?? 4) * 1000 + path.split('/').length;
}

const callersOf = ({ security }: Operation): Caller[] =>
  isSecured(security) ? ['nobody', 'malformed', 'unknown'] : [];

/** Methods that a path does not have, each on one of its operations. */
function wrongMethods(engine: Engine, open: Operation[]): [Operation, Fault][] {
  const { contract } = engine.resources;
  const tried: HttpMethod[] = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'];
  const paths = new Map<string, Operation>();
  for (const operation of [...open].sort((a, b) => (a.method < b.method ? -1 : 1)))
    if (!paths.has(operation.path)) paths.set(operation.path, operation);
  return [...paths.values()].flatMap((operation) =>
    tried
      .filter(
        (method) =>
          !contract.operations.some((one) => one.method === method && overlap(one.path, operation.path)),
      )
      .map((method): [Operation, Fault] => [operation, { name: `method ${method}`, kind: 'method', method }]),
  );
}

/** Whether one path may be meant by both templates. */
function overlap(one: string, other: string): boolean {
  const [a, b] = [one.split('/'), other.split('/')];
  return (
    a.length === b.length &&
    a.every((part, at) => part === b[at] || part.includes('{') || (b[at] ?? '').includes('{'))
  );
}
