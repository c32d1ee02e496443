import type { Operation } from '../../../model/contract/contract.ts';
import { isReading } from '../../../model/plan/effects.ts';
import type { Engine } from '../engine.ts';
import { type Entity, isForeign, selectEntity } from '../entities/entity.ts';
import { type Event, succeeded } from '../event.ts';
import type { RequestFactory } from '../request-factory.ts';
import { EXAMPLE } from '../request-options.ts';
import { repeatAt } from './life-cycles.ts';
import type { Scope } from './scope.ts';

/** Maximum number of requests for the operations without a success that share the first path parameter. */
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
    const writers = writersOf(engine, key);
    // The second time, resources have the content that the first one gave them: a change request with files is merged.
    for (const writer of [...writers, ...writers]) {
      if (left().length === 0 || factory.session.events.length > MAX_REQUESTS) {
        break;
      }
      engine.update('reaching', writer.id);
      const event = await tryOperation(engine, factory, writer);
      if (event && succeeded(event)) {
        factory.entities.retryFailed();
        await tryAll(engine, factory, reads(), entitiesOf(event));
      }
    }
    await tryAll(
      engine,
      factory,
      left().filter(({ method }) => method === 'DELETE'),
    );
    await tryAfterDeletion(engine, factory, left());
    for (const operation of left().filter(({ method }) => !isReading(method))) {
      await tryOften(engine, factory, operation);
    }
    for (const operation of reads()) {
      await factory.request(operation, { ...EXAMPLE, isOfExisting: true });
      await engine.settle();
    }
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
    await tryOperation(engine, factory, operation, env);
  }
}

/** Number of further attempts of an operation: the resources that its fields name are chosen at random. */
const FURTHER_ATTEMPTS = 8;

/** Sends an operation until it succeeds, as its example and with its required fields only. */
async function tryOften(engine: Engine, factory: RequestFactory, operation: Operation): Promise<void> {
  for (let count = 0; count < FURTHER_ATTEMPTS && !engine.coverage.hasSucceeded(operation.id); count += 1) {
    await factory.request(operation, count % 2 === 0 ? {} : EXAMPLE);
    await engine.settle();
  }
}

/** Maximum number of other resources to try an operation without a success on. */
const MAX_OTHERS = 2;

/**
 * Sends an operation, and if it never succeeded, also to earlier resources: the last one of a list cannot be moved to the
 * end.
 */
async function tryOperation(
  engine: Engine,
  factory: RequestFactory,
  operation: Operation,
  env: ReadonlyMap<string, Entity> = new Map(),
): Promise<Event | undefined> {
  const first = await factory.request(operation, { ...EXAMPLE, env });
  await engine.settle();
  const slot = engine.resources.slotsOf(operation).at(-1);
  const used = slot && first?.env.get(slot.noun);
  if (!used || engine.coverage.hasSucceeded(operation.id)) {
    return first;
  }
  const others = factory.session.entities.filter(
    (entity) => entity !== used && entity.exists && entity.slot.key === slot.key && !isForeign(entity),
  );
  for (const other of others.slice(-MAX_OTHERS)) {
    const selected = new Map<string, Entity>();
    selectEntity(selected, other);
    const event = await factory.request(operation, { ...EXAMPLE, env: selected });
    await engine.settle();
    if (event && succeeded(event)) {
      return event;
    }
  }
  return first;
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
