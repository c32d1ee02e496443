import type { Operation } from '../contract/contract.ts';
import { anonymous } from '../plan/names.ts';
import { isSecured } from '../wire/credentials.ts';
import type { Engine } from './engine.ts';
import { letsOthersIn } from './isolation.ts';
import type { Scope } from './phases.ts';
import { repeatAt } from './relations.ts';
import { succeeded } from './session.ts';

/** Sends requests of the second user for resources of the first one, reads first and deletions last. */
export async function testIsolation(engine: Engine, { chosen }: Scope): Promise<void> {
  const order = (operation: Operation) =>
    ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(operation.method);
  const operations = engine.resources.contract.operations
    .filter(
      (operation) => chosen.has(operation.id) && isSecured(operation.security) && !letsOthersIn(operation),
    )
    .sort((a, b) => order(a) - order(b));
  let supply = engine.session('isolation');
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
        await supply.ensure(slot, new Map());
      }
    }
    const slot = engine.resources.slotsOf(operation).at(-1);
    const read =
      slot?.remove === operation && slot.read && engine.isTestable(slot.read) ? slot.read : undefined;
    // A deletion only counts for a resource that its owner can read.
    const seen = read && (await supply.request(read));
    const event = await supply.request(operation, { caller: 'second', ...(seen && { env: seen.env }) });
    if (read && event && succeeded(event)) {
      await repeatAt(supply, read, event);
    }
    await engine.settle();
    // A user with access to one resource may have access to others.
    if (engine.findings.size > before) {
      supply = engine.session(`isolation ${operation.id}`);
    }
  }
}

/** Tests that lists of resources of the second user contain no resources of the first one. */
export async function testOwnLists(engine: Engine, { chosen }: Scope): Promise<void> {
  const { contract, lists } = engine.resources;
  const makers = contract.operations.filter(
    (candidate) => engine.isTestable(candidate) && !letsOthersIn(candidate),
  );
  for (const { operation } of lists) {
    const [slot, ...more] = engine.resources.slotsOf(operation);
    if (!slot || more.length > 0 || !chosen.has(operation.id) || !engine.isTestable(operation)) {
      continue;
    }
    const home = makers.find(
      (candidate) =>
        engine.resources.slotsOf(candidate).length === 0 &&
        engine.resources
          .createdBy(candidate)
          .some(({ slot: { noun }, way }) => noun === slot.noun && way === 'create'),
    );
    const filler = makers.find(
      (candidate) => candidate.method !== 'GET' && anonymous(candidate.path) === anonymous(operation.path),
    );
    if (!home || !filler || !isSecured(operation.security)) {
      continue;
    }
    engine.update('isolation', operation.id);
    const supply = engine.session(`own lists ${operation.id}`);
    await supply.request(filler);
    const theirs = await supply.request(home, { caller: 'second' });
    const place = theirs?.made.find((entity) => entity.slot.noun === slot.noun);
    if (!place) {
      continue;
    }
    await supply.request(operation, { caller: 'second', env: new Map([[slot.noun, place]]) });
    await engine.settle();
  }
}
