import type { Operation } from '../../model/contract/contract.ts';
import { isReading } from '../../model/plan/effects.ts';
import type { Engine } from './engine.ts';
import type { Entity } from './entity.ts';
import { type Event, succeeded } from './event.ts';
import { repeatAt } from './life-cycles.ts';
import type { Scope } from './phases.ts';
import type { RequestFactory } from './request-factory.ts';
import { EXAMPLE } from './request-options.ts';

/** Maximum number of requests for the operations without a success whose paths have the same first parameter. */
const MAX_REQUESTS = 1200;

/**
 * Looks for a success of every operation that has none: with the examples of the contract, and after the operations
 * that change resources with the same owner. A published site can be read only after it was published.
 */
export async function testUnreached(engine: Engine, scope: Scope): Promise<void> {
  const unreached = () =>
    engine.resources.contract.operations.filter(
      (operation) =>
        scope.tested.has(operation.id) &&
        engine.isTestable(operation) &&
        !engine.coverage.hasSucceeded(operation.id),
    );
  const groups = new Map<string | undefined, Operation[]>();
  for (const operation of unreached()) {
    const key = ownerOf(engine, operation);
    groups.set(key, [...(groups.get(key) ?? []), operation]);
  }
  for (const [key, operations] of groups) {
    const left = () => operations.filter(({ id }) => !engine.coverage.hasSucceeded(id));
    const factory = engine.session(`unreached ${key}`);
    // Other operations change the state, so each has its turn below.
    const reads = () => left().filter(({ method }) => isReading(method));
    await tryAll(engine, factory, reads());
    for (const writer of writersOf(engine, key)) {
      if (left().length === 0 || factory.session.events.length > MAX_REQUESTS) {
        break;
      }
      engine.update('reaching', writer.id);
      const event = await factory.request(writer, EXAMPLE);
      await engine.settle();
      if (event && succeeded(event)) {
        factory.retryFailed();
        await tryAll(engine, factory, reads(), entitiesOf(event));
      }
    }
    await tryAll(
      engine,
      factory,
      left().filter(({ method }) => method === 'DELETE'),
    );
    await tryAfterDeletion(engine, factory, left());
    await engine.close(factory);
  }
}

/** @param env the entities that an earlier request changed or created */
async function tryAll(
  engine: Engine,
  factory: RequestFactory,
  operations: Operation[],
  env: ReadonlyMap<string, Entity> = new Map(),
): Promise<void> {
  for (const operation of operations) {
    engine.update('reaching', operation.id);
    await factory.request(operation, { ...EXAMPLE, env });
    await engine.settle();
  }
}

/** Sends actions to deleted resources, which they may restore. */
async function tryAfterDeletion(
  engine: Engine,
  factory: RequestFactory,
  operations: Operation[],
): Promise<void> {
  for (const operation of operations.filter(({ method }) => method === 'POST')) {
    const remove = engine.resources.slotsOf(operation).at(-1)?.remove;
    const removed = remove && engine.isTestable(remove) ? await factory.request(remove) : undefined;
    if (removed && succeeded(removed)) {
      await repeatAt(factory, operation, removed);
    }
    await engine.settle();
  }
}

/** Returns the entities that a request refers to, or created. */
function entitiesOf({ env, uses, created }: Event): Map<string, Entity> {
  const entities = new Map(env);
  for (const entity of [...uses, ...created]) {
    entities.set(entity.slot.noun, entity);
  }
  return entities;
}

/** Returns the key of the first slot in the path of an operation. */
const ownerOf = (engine: Engine, operation: Operation): string | undefined =>
  engine.resources.slotsOf(operation)[0]?.key;

/** Returns the operations that may change the state of an owner, in the order of their paths. */
const writersOf = (engine: Engine, owner: string | undefined): Operation[] =>
  engine.resources.contract.operations.filter(
    (operation) =>
      ['POST', 'PUT', 'PATCH'].includes(operation.method) &&
      engine.isTestable(operation) &&
      ownerOf(engine, operation) === owner,
  );
