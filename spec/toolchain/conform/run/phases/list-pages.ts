import type { List } from '../../../model/plan/lists.ts';
import { anonymous } from '../../../model/plan/names.ts';
import type { Value } from '../../../model/plan/plan.ts';
import { firstPageNumber, nextCursor } from '../checking/lists.ts';
import type { Engine } from '../engine.ts';
import type { Entity } from '../entities/entity.ts';
import { type Event, succeeded } from '../event.ts';
import type { RequestFactory } from '../request-factory.ts';
import { pointed } from '../resolve.ts';
import type { Scope } from './scope.ts';

/** Tests lists of a few resources with small pages. */
export async function testPages(engine: Engine, scope: Scope, round: number): Promise<void> {
  for (const list of engine.resources.lists) {
    const creator = engine.resources.contract.operations.find(
      (candidate) =>
        engine.isTestable(candidate) &&
        engine.resources
          .createdBy(candidate)
          .some(
            ({ slot, kind }) =>
              kind === 'create' &&
              (anonymous(candidate.path) === anonymous(list.operation.path) ||
                anonymous(slot.collection) === anonymous(list.operation.path)),
          ),
    );
    if (!creator || !list.paging || !engine.isTestable(list.operation)) {
      continue;
    }
    if (!scope.tested.has(list.operation.id) && !scope.tested.has(creator.id)) {
      continue;
    }
    engine.update('lists', list.operation.id);
    const factory = engine.session(`pages ${list.operation.id} ${round}`);
    const env = new Map<string, Entity>();
    for (let count = 0; count < 3 + (round % 5); count += 1) {
      const event = await factory.request(creator, { env });
      for (const [noun, entity] of event?.env ?? []) {
        env.set(noun, entity);
      }
    }
    const limits = list.paging.limit === undefined ? [undefined] : [1 + (round % 3), 2 + (round % 3)];
    for (const limit of limits) {
      await walk(factory, list, env, limit);
    }
    await engine.close(factory);
  }
}

/** Reads a list to its end, or to a maximum number of pages. */
async function walk(
  factory: RequestFactory,
  list: List,
  env: ReadonlyMap<string, Entity>,
  limit: number | undefined,
): Promise<void> {
  const { operation, paging } = list;
  if (!paging) {
    return;
  }
  let next: Value | undefined;
  let first = firstPageNumber(list);
  if (paging.style === 'offset') {
    first = 0;
  }
  for (let part = 0; part < 60; part += 1) {
    const query: [string, Value][] = [
      ...(paging.limit !== undefined && limit !== undefined
        ? [[paging.limit, String(limit)] satisfies [string, Value]]
        : []),
      ...(next === undefined ? [] : [[paging.parameter, next] satisfies [string, Value]]),
    ];
    const event = await factory.request(operation, {
      env,
      parts: (requests, inputs) =>
        requests.minimal(inputs).map((parts) => ({ ...parts, query: [...parts.query, ...query] })),
    });
    if (!event || !succeeded(event)) {
      return;
    }
    const count = countOf(list, event);
    if (paging.style === 'cursor') {
      const cursor = nextCursor(list, event);
      if (!cursor) {
        return;
      }
      next = { step: event.n, from: cursor.from };
    } else {
      if (count === 0 || (limit !== undefined && count < limit)) {
        return;
      }
      first += paging.style === 'offset' ? count : 1;
      next = String(first);
    }
  }
}

function countOf({ items }: List, event: Event): number {
  const { json } = event.exchange.response ?? {};
  const list = pointed(json, items.at);
  return Array.isArray(list) ? list.length : 0;
}
