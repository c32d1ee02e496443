import type fc from 'fast-check';
import type { Operation } from '../../../model/contract/contract.ts';
import { parametersOf } from '../../../model/plan/names.ts';
import type { Caller, Fault } from '../../../model/plan/plan.ts';
import type { OperationRequests, Parts, RequestInputs } from '../../requests/requests.ts';
import { isSecured } from '../../wire/credentials.ts';
import type { Engine } from '../engine.ts';
import type { RequestOptions } from '../request-options.ts';
import { testResources } from './life-cycles.ts';
import { testPages } from './list-pages.ts';
import { testIsolation, testOwnLists } from './outsiders.ts';
import type { Scope } from './scope.ts';
import { sequence } from './sequences.ts';
import { testUnreached } from './unreached.ts';

/** Maximum number of requests in a session. A longer session would make plans too long. */
const MAX_SESSION_REQUESTS = 600;

/**
 * Runs all phases, the most effective ones first, so that a short run covers a part of each. Random sequences continue
 * until a limit is reached or no operation is left.
 * @throws {RunEnded} when the limit of time or requests is reached
 */
export async function runPhases(engine: Engine, scope: Scope): Promise<void> {
  const operations = engine.resources.contract.operations
    .filter(({ id }) => scope.tested.has(id))
    .sort((a, b) => orderOf(a) - orderOf(b));
  let factory = engine.session('values');
  let sessions = 0;
  const renew = async () => {
    if (factory.session.events.length <= MAX_SESSION_REQUESTS) {
      return;
    }
    await engine.close(factory);
    sessions += 1;
    factory = engine.session(`values ${sessions}`);
  };
  const runOnce = async (operation: Operation, phase: string, options: RequestOptions = {}) => {
    if (!engine.isTestable(operation)) {
      return;
    }
    engine.update(phase, operation.id);
    await renew();
    await factory.request(operation, options);
    await engine.settle();
  };

  const batch: Batch = async (operation, turn, count) => {
    engine.update('values', operation.id);
    await renew();
    const each = (requests: OperationRequests, inputs: RequestInputs) =>
      pick(turn * BATCH_SIZE, count)(requests, inputs);
    for await (const event of factory.requests(operation, each, turn % 2 === 0)) {
      void event;
      await engine.settle();
    }
  };

  for (const operation of operations) {
    await runOnce(operation, 'first requests');
  }
  const open = () => operations.filter((operation) => engine.isTestable(operation));
  await testResources(engine, scope, 0);
  await testUnreached(engine, scope);
  await testPages(engine, scope, 0);
  if (scope.secondToken) {
    await testIsolation(engine, scope);
    await testOwnLists(engine, scope);
  }
  for (const operation of open()) {
    for (const caller of callersOf(operation)) {
      await runOnce(operation, 'tokens', {
        caller,
        fault: { name: `caller ${caller}`, kind: 'authentication' },
      });
    }
  }
  for (const [operation, fault] of undeclaredMethods(engine, open())) {
    await runOnce(operation, 'methods', { fault });
  }

  for (let round = 1; open().length > 0; round += 1) {
    await testResources(engine, scope, round);
    await values(engine, scope, operations, round, batch);
    await testPages(engine, scope, round);
    for (let count = 0; count < 50; count += 1) {
      await sequence(engine, scope, round * 50 + count);
    }
  }
}

/** Requests of an operation per turn, which share the resources they need. */
const BATCH_SIZE = 5;

type Batch = (operation: Operation, turn: number, count: Count) => Promise<void>;

/** Sends every value at and beyond a limit, in turns over the operations, with sequences in between. */
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
      if (!engine.isTestable(operation)) {
        continue;
      }
      const count = countOf(engine, operation);
      if (turn * BATCH_SIZE >= count.edges + count.faulty + count.pairs + VALID_REQUESTS) {
        continue;
      }
      left = true;
      await batch(operation, turn, count);
    }
    if (!left) {
      return;
    }
    if (turn % 4 === 3) {
      for (let more = 0; more < 4; more += 1) {
        await sequence(engine, scope, round * 100_000 + turn * 4 + more);
      }
    }
  }
}

/** Number of valid requests of an operation after the others. */
const VALID_REQUESTS = 3;

interface Count {
  edges: number;
  faulty: number;
  pairs: number;
}

const counts = new WeakMap<Engine, Map<Operation, Count>>();

/** Returns the number of edge cases, invalid values and pairs of values. */
function countOf(engine: Engine, operation: Operation): Count {
  const existing = counts.get(engine) ?? new Map<Operation, Count>();
  counts.set(engine, existing);
  let count = existing.get(operation);
  if (!count) {
    const requests = engine.generators.of(operation);
    const inputs = { path: {} };
    const tried = attempt(() => ({
      edges: requests.edges(inputs).length,
      faulty: requests.faulty(inputs).length,
      pairs: requests.pairs(inputs).requests.length,
    }));
    count = tried ?? { edges: 0, faulty: 0, pairs: 0 };
    existing.set(operation, count);
  }
  return count;
}

/** Returns undefined if values cannot be generated. The first request reported the reason. */
function attempt<Generated>(generate: () => Generated): Generated | undefined {
  try {
    return generate();
  } catch {
    return undefined;
  }
}

/** Returns the requests of a turn: edge cases and invalid requests alternate, pairs of values and valid ones follow. */
function pick(
  turn: number,
  { edges, faulty }: Count,
): (requests: OperationRequests, inputs: RequestInputs) => fc.Arbitrary<Parts>[] {
  return (requests, inputs) => {
    const limits = requests.edges(inputs).map(({ parts }) => parts);
    const beyond = requests.faulty(inputs).map(({ parts }): fc.Arbitrary<Parts> => parts);
    const mixed: fc.Arbitrary<Parts>[] = [];
    for (let at = 0; at < Math.max(edges, faulty); at += 1) {
      mixed.push(...[limits[at], beyond[at]].filter((candidate) => candidate !== undefined));
    }
    const pairs = requests.pairs(inputs).requests;
    const rest = Array.from({ length: VALID_REQUESTS }, () => requests.valid(inputs));
    return [...mixed, ...pairs, ...rest].slice(turn, turn + BATCH_SIZE);
  };
}

/** Sorts operations that create first and those that delete last. */
function orderOf({ method, path }: Operation): number {
  const order: Record<string, number> = { POST: 0, PUT: 1, GET: 2, HEAD: 2, PATCH: 3, DELETE: 5 };
  return (order[method] ?? 4) * 1000 + path.split('/').length;
}

const callersOf = ({ security }: Operation): Caller[] =>
  isSecured(security) ? ['anonymous', 'malformed', 'unknown'] : [];

/** Methods that a path does not have, each on one of its operations. */
function undeclaredMethods(engine: Engine, open: Operation[]): [Operation, Fault][] {
  const { contract } = engine.resources;
  const { touchExisting } = engine.options;
  const all = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'];
  const paths = new Map<string, Operation>();
  for (const operation of [...open].sort((a, b) => (a.method < b.method ? -1 : 1))) {
    if (!paths.has(operation.path)) {
      paths.set(operation.path, operation);
    }
  }
  return [...paths.values()].flatMap((operation) =>
    // The server may have undeclared methods that would change whatever exists at a path without identifiers.
    (touchExisting || parametersOf(operation.path).length > 0 ? all : ['GET', 'PROPFIND'])
      .filter(
        (method) =>
          !contract.operations.some(
            (candidate) => candidate.method === method && overlap(candidate.path, operation.path),
          ),
      )
      .map((method): [Operation, Fault] => [operation, { name: `method ${method}`, kind: 'method', method }]),
  );
}

/** Returns whether a path can match both templates. */
function overlap(left: string, right: string): boolean {
  const [a, b] = [left.split('/'), right.split('/')];
  return (
    a.length === b.length &&
    a.every((part, at) => part === b[at] || part.includes('{') || (b[at] ?? '').includes('{'))
  );
}
