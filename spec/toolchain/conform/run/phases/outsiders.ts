import type { Operation } from '../../../model/contract/contract.ts';
import { anonymous } from '../../../model/plan/names.ts';
import { isSecured } from '../../wire/credentials.ts';
import { grantsAccess } from '../checking/isolation.ts';
import type { Engine } from '../engine.ts';
import type { Entity } from '../entities/entity.ts';
import { succeeded } from '../event.ts';
import { repeatAt } from './life-cycles.ts';
import type { Scope } from './scope.ts';

/** Sends requests of the second user for resources of the first one, reads first and deletions last. */
export async function testIsolation(engine: Engine, { tested }: Scope): Promise<void> {
  const order = (operation: Operation) =>
    ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(operation.method);
  const operations = engine.resources.contract.operations
    .filter(
      (operation) => tested.has(operation.id) && isSecured(operation.security) && !grantsAccess(operation),
    )
    .sort((a, b) => order(a) - order(b));
  let factory = engine.session('isolation');
  for (const operation of operations) {
    if (!engine.isTestable(operation)) {
      continue;
    }
    engine.update('isolation', operation.id);
    const before = engine.findings.size;
    // Creates resources that could be visible.
    for (const slot of engine.resources.slots.values()) {
      if (
        slot.collection === operation.path ||
        engine.resources.createdBy(operation).some((candidate) => candidate.slot === slot)
      ) {
        await factory.entities.ensure(slot, new Map());
      }
    }
    const slot = engine.resources.slotsOf(operation).at(-1);
    const read =
      slot?.remove === operation && slot.read && engine.isTestable(slot.read) ? slot.read : undefined;
    // A deletion only counts for a resource that its owner can read.
    const existing = read && (await factory.request(read));
    const event = await factory.request(operation, {
      caller: 'second',
      ...(existing && { env: existing.env }),
    });
    if (read && event && succeeded(event)) {
      await repeatAt(factory, read, event);
    }
    await engine.settle();
    // A user with access to one resource may have access to others.
    if (engine.findings.size > before) {
      await engine.close(factory);
      factory = engine.session(`isolation ${operation.id}`);
    }
  }
  await engine.close(factory);
}

/** Tests that lists of resources of the second user contain no resources of the first one. */
export async function testOwnLists(engine: Engine, { tested }: Scope): Promise<void> {
  const { contract, lists } = engine.resources;
  const creators = contract.operations.filter(
    (candidate) => engine.isTestable(candidate) && !grantsAccess(candidate),
  );
  let factory = engine.session('own lists');
  // Containers of the second user by operation, because it may be impossible to delete them.
  let containers = new Map<string, Entity | undefined>();
  for (const { operation } of lists) {
    const [slot, ...more] = engine.resources.slotsOf(operation);
    if (!slot || more.length > 0 || !tested.has(operation.id) || !engine.isTestable(operation)) {
      continue;
    }
    const containerCreator = creators.find(
      (candidate) =>
        engine.resources.slotsOf(candidate).length === 0 &&
        engine.resources
          .createdBy(candidate)
          .some(({ slot: { noun }, kind }) => noun === slot.noun && kind === 'create'),
    );
    const itemCreator = creators.find(
      (candidate) => candidate.method !== 'GET' && anonymous(candidate.path) === anonymous(operation.path),
    );
    if (!containerCreator || !itemCreator || !isSecured(operation.security)) {
      continue;
    }
    engine.update('isolation', operation.id);
    await factory.request(itemCreator);
    if (!containers.has(containerCreator.id)) {
      const event = await factory.request(containerCreator, { caller: 'second', isNeeded: true });
      containers.set(
        containerCreator.id,
        event?.created.find((entity) => entity.slot.noun === slot.noun),
      );
    }
    const container = containers.get(containerCreator.id);
    if (!container) {
      continue;
    }
    const before = engine.findings.size;
    await factory.request(operation, { caller: 'second', env: new Map([[slot.noun, container]]) });
    await engine.settle();
    if (engine.findings.size > before) {
      await engine.close(factory);
      factory = engine.session(`own lists ${operation.id}`);
      containers = new Map();
    }
  }
  await engine.close(factory);
}
