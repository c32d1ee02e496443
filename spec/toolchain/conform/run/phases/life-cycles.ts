import { isObject } from '../../../document.ts';
import type { Operation } from '../../../model/contract/contract.ts';
import type { List } from '../../../model/plan/lists.ts';
import { anonymous, parametersOf } from '../../../model/plan/names.ts';
import type { Value } from '../../../model/plan/plan.ts';
import type { Slot } from '../../../model/plan/slots.ts';
import { type Drawn, draw, mapDrawn, seedOf } from '../../../model/sample/draw.ts';
import type { OperationRequests, Parts } from '../../requests/requests.ts';
import type { Engine } from '../engine.ts';
import { type Entity, selectEntity, withoutNoun } from '../entities/entity.ts';
import { type Event, succeeded } from '../event.ts';
import type { RequestFactory } from '../request-factory.ts';
import type { RequestOptions } from '../request-options.ts';
import type { Scope } from './scope.ts';

/** Requests with any valid values; minimal ones in the first round. */
const optionsOf = (round: number): RequestOptions =>
  round === 0
    ? {}
    : { parts: (requests: OperationRequests, inputs) => requests.valid(inputs), includeOptional: true };

/** Tests the life cycle of every resource: create, read, list, update, read, delete, read, delete again. */
export async function testResources(engine: Engine, scope: Scope, round: number): Promise<void> {
  for (const slot of engine.resources.slots.values()) {
    const creator = creatorOf(engine, slot);
    const others = [slot.read, slot.remove, ...slot.updates].filter((candidate) => candidate !== undefined);
    if (!creator || ![creator, ...others].some(({ id }) => scope.tested.has(id))) {
      continue;
    }
    engine.update('resources', creator.id);
    await testLifeCycle(engine, scope, { slot, creator, round });
  }
  for (const operation of engine.resources.contract.operations) {
    if (operation.path.endsWith('}') || !scope.tested.has(operation.id) || !engine.isTestable(operation)) {
      continue;
    }
    if (operation.method !== 'PUT' && operation.method !== 'PATCH') {
      continue;
    }
    const read = readAt(engine, operation.path);
    if (!read) {
      continue;
    }
    engine.update('resources', operation.id);
    const factory = engine.session(`settings ${operation.id} ${round}`);
    await factory.request(read);
    for (let time = 0; time < 2; time += 1) {
      await factory.request(operation, optionsOf(round + time));
      await factory.request(read);
    }
    await engine.close(factory);
  }
}

/** Returns the operation that creates the resource of a slot. */
function creatorOf(engine: Engine, slot: Slot): Operation | undefined {
  return engine.resources
    .producersOf(slot)
    .find(
      ({ kind, operation, slot: { key } }) =>
        kind !== 'list' && key === slot.key && engine.isTestable(operation),
    )?.operation;
}

function readAt(engine: Engine, path: string): Operation | undefined {
  const { contract, lists } = engine.resources;
  const read = contract.operations.find(
    (candidate) => candidate.method === 'GET' && anonymous(candidate.path) === anonymous(path),
  );
  return read && engine.isTestable(read) && !lists.some(({ operation }) => operation === read)
    ? read
    : undefined;
}

interface LifeCycle {
  slot: Slot;
  creator: Operation;
  round: number;
}

async function testLifeCycle(engine: Engine, scope: Scope, lifeCycle: LifeCycle): Promise<void> {
  const factory = engine.session(`life ${lifeCycle.slot.key} ${lifeCycle.round}`);
  await liveOnce(engine, scope, factory, lifeCycle);
  await engine.close(factory);
}

async function liveOnce(
  engine: Engine,
  scope: Scope,
  factory: RequestFactory,
  { slot, creator, round }: LifeCycle,
): Promise<void> {
  let event = await factory.request(creator, optionsOf(round));
  if (!event || !succeeded(event)) {
    event = await factory.request(creator);
  }
  const entity = event?.created.find((candidate) => candidate.slot.noun === slot.noun);
  if (!event || !entity) {
    return;
  }
  const env = new Map(event.env);
  selectEntity(env, entity);
  const on = async (operation: Operation | undefined, options: RequestOptions = {}) =>
    operation && engine.isTestable(operation) && (operation === slot.read || scope.tested.has(operation.id))
      ? await factory.request(operation, { ...options, env })
      : undefined;
  const lists = listsOf(engine, entity, creator);
  await on(slot.read);
  for (const list of lists) {
    await on(list.operation);
  }
  for (const update of slot.updates) {
    await on(update, optionsOf(round));
    await on(slot.read);
    if (update.method === 'PATCH') {
      await patchEachField(engine, factory, { update, read: slot.read, env, round });
    }
  }
  if (!slot.remove || !engine.isTestable(slot.remove) || !scope.tested.has(slot.remove.id)) {
    return;
  }
  // A second resource shows whether only the requested one is deleted.
  await factory.request(creator, { env: withoutNoun(env, slot.noun) });
  const removed = await on(slot.remove);
  if (!removed || !succeeded(removed)) {
    return;
  }
  for (const repeated of [slot.read, slot.remove]) {
    if (repeated && engine.isTestable(repeated)) {
      await repeatAt(factory, repeated, removed);
    }
  }
  for (const list of lists) {
    await on(list.operation);
  }
}

/** Sends an operation to the path of an earlier request. Their path templates differ only in parameter names. */
export async function repeatAt(
  factory: RequestFactory,
  operation: Operation,
  { step, env, operation: earlier }: Event,
): Promise<void> {
  const names = parametersOf(earlier.path);
  const path = Object.fromEntries(
    parametersOf(operation.path).flatMap((name, at): [string, Value][] => {
      const value = step.path[names[at] ?? ''];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  await factory.repeat(operation, path, env);
}

/** Returns the lists that must contain a resource. */
function listsOf(engine: Engine, entity: Entity, creator: Operation): List[] {
  return engine.resources.lists.filter(
    ({ operation }) =>
      engine.isTestable(operation) &&
      (anonymous(operation.path) === anonymous(entity.slot.collection) ||
        anonymous(operation.path) === anonymous(creator.path)),
  );
}

interface PatchOptions {
  update: Operation;
  read: Operation | undefined;
  env: ReadonlyMap<string, Entity>;
  round: number;
}

/** Sends patches of one field each. No other field may change. */
async function patchEachField(
  engine: Engine,
  factory: RequestFactory,
  { update, read, env, round }: PatchOptions,
): Promise<void> {
  const { shapes } = engine.resources;
  const body = shapes.body(update);
  const requests = engine.generators.of(update);
  for (const name of body ? shapes.fields(body).keys() : []) {
    const prepared = await factory.prepare(update, { env, includeOptional: true });
    const seed = seedOf(engine.options.seed, `${update.id} ${name} ${round}`);
    const only = draw(requests.valid(prepared.inputs), seed, 6)
      .map((drawn) => mapDrawn(drawn, (parts) => onlyField(parts, name)))
      .find((drawn) => drawn !== undefined && accepts(engine, update, drawn));
    if (!only) {
      continue;
    }
    await factory.send(update, only, prepared.env);
    if (read && engine.isTestable(read)) {
      await factory.request(read, { env: prepared.env });
    }
  }
}

function onlyField(parts: Parts, name: string): Parts | undefined {
  const { body } = parts;
  if (!body || !('json' in body) || !isObject(body.json) || !(name in body.json)) {
    return undefined;
  }
  const value = body.json[name];
  return {
    ...parts,
    body: {
      ...body,
      json: value === undefined ? {} : { [name]: value },
      references: body.references.filter(({ at }) => at[0] === name),
    },
  };
}

function accepts(engine: Engine, operation: Operation, { value: { body } }: Drawn<Parts>): boolean {
  const schema = engine.resources.shapes.body(operation);
  return (
    body !== undefined && 'json' in body && schema !== undefined && engine.schemas.accepts(schema, body.json)
  );
}
