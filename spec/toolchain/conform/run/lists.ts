import type { Json } from '../../document.ts';
import type { List } from '../plan/lists.ts';
import { anonymous } from '../plan/names.ts';
import { idPlaces, type Slot } from '../plan/slots.ts';
import { brief } from './compare.ts';
import type { Entity } from './entity.ts';
import type { Event, Failure } from './event.ts';
import { pointed } from './resolve.ts';
import { objectAt, type Session, succeeded } from './session.ts';

/** Pages of one list read so far, in order. */
interface ListTraversal {
  events: number[];
  /** Returned ids, with the event of each. */
  seen: Map<string, number>;
  /** Cursor or number of the next page; undefined at the end. */
  next: string | undefined;
  /** Cursors and numbers of the requested pages. */
  requested: Set<string>;
}

/** Checks the pages of lists together. */
export class ListWatch {
  readonly #session: Session;
  readonly #walks = new Map<string, ListTraversal>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Starts over after a change, because pages before and after it are not consistent. */
  disturb(): void {
    this.#walks.clear();
  }

  see(event: Event): Failure[] {
    const { resources } = this.#session.ground;
    const list = resources.lists.find(({ operation }) => operation === event.operation);
    const items = list && pointed(event.exchange.answer?.json, list.items.at);
    if (!list || !succeeded(event) || !Array.isArray(items)) {
      return [];
    }
    const query = new URLSearchParams(event.exchange.request.target.split('?')[1] ?? '');
    const { paging } = list;
    const part = paging ? query.get(paging.parameter) : null;
    if (paging) {
      query.delete(paging.parameter);
    }
    const limit = paging?.limit === undefined ? null : query.get(paging.limit);
    const key = `${event.target}?${query}`;
    const ids = items.map((item) => this.#idOf(list, item));
    const failures: Failure[] = [];
    const report = (check: string, message: string, expected: string, cause: string, involves: number[]) =>
      failures.push({ check, fault: { message, expected, cause }, at: event.n, involves });
    const { id } = event.operation;

    if (limit !== null && items.length > Number(limit) && Number(limit) > 0) {
      report(
        'pages-complete',
        `${id} returned ${items.length} items for a limit of ${limit}.`,
        `${paging?.limit} is the maximum number of items per page.`,
        `pages-complete: more than the limit at ${id}`,
        [],
      );
    }

    const starts = part === null || isStart(list, part);
    const before = starts ? undefined : this.#walks.get(key);
    if (!starts && (!before || before.next !== part)) {
      return failures;
    }
    const walk: ListTraversal = before ?? {
      events: [],
      seen: new Map(),
      next: undefined,
      requested: new Set(),
    };
    for (const itemId of ids) {
      const at = itemId === undefined ? undefined : walk.seen.get(itemId);
      if (itemId !== undefined && at === undefined) {
        walk.seen.set(itemId, event.n);
      } else if (at !== undefined && failures.length === 0) {
        report(
          'pages-complete',
          `${id} returned ${brief(itemId)} twice${at === event.n ? ' in itemId response' : ', on two pages'}.`,
          'A list contains each item once.',
          `pages-complete: duplicates at ${id}`,
          [...walk.events],
        );
      }
    }
    walk.events.push(event.n);
    if (part !== null) {
      walk.requested.add(part);
    }
    walk.next = this.#next(list, event, items.length, limit, part);
    this.#walks.set(key, walk);
    if (walk.next !== undefined && walk.requested.has(walk.next) && failures.length === 0) {
      report(
        'pages-complete',
        `${id} returned the cursor of an earlier page, so the list never ends.`,
        'A list ends, and each of its pages occurs once.',
        `pages-complete: no end at ${id}`,
        [...walk.events],
      );
    }
    const filtered = [...query.keys()].some((name) => name !== paging?.limit);
    if (walk.next === undefined && this.#isWhole(list, items.length, limit) && !filtered) {
      failures.push(...this.#missing(list, event, walk));
    }
    return failures;
  }

  /** Returns the cursor or number of the next page; undefined if there is none. */
  #next(
    list: List,
    event: Event,
    count: number,
    limit: string | null,
    part: string | null,
  ): string | undefined {
    const { paging } = list;
    if (!paging) {
      return undefined;
    }
    if (paging.style === 'cursor') {
      const from = nextCursor(list, event);
      return from?.value;
    }
    if (count === 0 || (limit !== null && count < Number(limit))) {
      return undefined;
    }
    const from = Number(part ?? (paging.style === 'offset' ? 0 : firstPageNumber(list)));
    return String(paging.style === 'offset' ? from + count : from + 1);
  }

  /** Returns whether the last page is certainly the end of the list. */
  #isWhole(list: List, count: number, limit: string | null): boolean {
    // Servers interpret 0 as no items or as no limit.
    if (limit === '0') {
      return false;
    }
    if (list.paging?.style === 'cursor' || list.paging?.style === 'offset' || list.paging?.style === 'page') {
      return limit === null ? list.paging.style === 'cursor' || count < 10 : true;
    }
    return count < 10;
  }

  #missing(list: List, event: Event, walk: ListTraversal): Failure[] {
    const { id } = event.operation;
    const entities = this.#session.entities.filter(
      (entity) => this.#belongs(entity, event) && !this.#hidden(entity, event),
    );
    const missing = entities.find(
      (entity) => !walk.seen.has(entity.text) && this.#showsIds(list, entity.slot),
    );
    if (!missing) {
      return [];
    }
    const walked = walk.events.length > 1;
    const check = walked ? 'pages-complete' : 'list-contains-created';
    const maker = this.#session.events[missing.maker]?.operation.id ?? 'an operation';
    return [
      {
        check,
        fault: {
          message: `${id} omits a resource that ${maker} created${walked ? `, on all of its ${walk.events.length} pages` : ''}.`,
          expected: `${id} lists the resources that ${maker} creates until they are deleted.`,
          cause: `${check}: ${id}`,
        },
        at: event.n,
        // Other created resources may hide it, so the plan includes the whole list.
        involves: [...entities.map(({ maker: n }) => n), ...walk.events],
      },
    ];
  }

  #belongs(entity: Entity, event: Event): boolean {
    if (!entity.alive || entity.altered || entity.found) {
      return false;
    }
    return entity.madeAt === event.target || collectionOf(entity) === event.target;
  }

  /** Returns whether a default filter of the list excludes the resource: `status`, by default `open`. */
  #hidden(entity: Entity, event: Event): boolean {
    const maker = this.#session.events[entity.maker];
    const answer = objectAt(maker?.exchange.answer?.json, '');
    return event.operation.parameters.some(({ name, in: place, schema }) => {
      if (place !== 'query') {
        return false;
      }
      const initial = schema.default ?? this.#session.ground.resources.shapes.flat(schema).default;
      const value = answer?.[name];
      return initial !== undefined && value !== undefined && value !== initial;
    });
  }

  #showsIds(list: List, slot: Slot): boolean {
    return idPlaces(list.items.schema, slot, this.#session.ground.resources.shapes).length > 0;
  }

  #idOf(list: List, item: Json): string | undefined {
    const { resources } = this.#session.ground;
    const slot =
      [...resources.slots.values()].find(
        ({ collection }) => anonymous(collection) === anonymous(list.operation.path),
      ) ?? this.#session.entities.find(({ madeAt }) => madeAt !== '' && isAt(madeAt, list))?.slot;
    const places = slot ? idPlaces(list.items.schema, slot, resources.shapes) : ['/id'];
    for (const place of places) {
      const value = pointed(item, place);
      if (typeof value === 'string') {
        return value;
      }
      if (typeof value === 'number') {
        return String(value);
      }
    }
    return undefined;
  }
}

/** Returns whether a path matches the path template of a list. */
export const isAt = (path: string, { operation }: List): boolean => {
  const parts = anonymous(operation.path).split('/');
  const actual = path.split('/');
  return (
    parts.length === actual.length && parts.every((part, at) => part.includes('{}') || part === actual[at])
  );
};

const collectionOf = ({ address }: Entity): string | undefined => address?.slice(0, address.lastIndexOf('/'));

const isStart = ({ paging }: List, part: string) =>
  (paging?.style === 'offset' && part === '0') ||
  (paging?.style === 'page' && (part === '1' || part === '0'));

/** Returns the number of the first page: 0 if the contract's minimum is 0, otherwise 1. */
export function firstPageNumber({ operation, paging }: List): number {
  const parameter = operation.parameters.find(
    ({ name, in: place }) => place === 'query' && name === paging?.parameter,
  );
  return parameter?.schema.minimum === 0 ? 0 : 1;
}

/** Returns the cursor of the next page and its location in the response, as used by references. */
export function nextCursor({ paging }: List, event: Event): { from: string; value: string } | undefined {
  const { answer } = event.exchange;
  for (const place of paging?.next ?? []) {
    if (place === 'header:link') {
      const from = `header:link?${paging?.parameter ?? ''}`;
      const address = /<([^>]*)>[^,]*;\s*rel="?next"?/i.exec(answer?.headers.link ?? '')?.[1];
      const value = address && parameterOf(address, paging?.parameter ?? '');
      if (value) {
        return { from, value };
      }
      continue;
    }
    const value = pointed(answer?.json, place);
    if (typeof value === 'number') {
      return { from: place, value: String(value) };
    }
    if (typeof value !== 'string' || value === '') {
      continue;
    }
    const within = /[/?]/.test(value) ? parameterOf(value, paging?.parameter ?? '') : undefined;
    return within === undefined
      ? { from: place, value }
      : { from: `${place}?${paging?.parameter}`, value: within };
  }
  return undefined;
}

function parameterOf(address: string, name: string): string | undefined {
  if (!URL.canParse(address, 'http://server/')) {
    return undefined;
  }
  return new URL(address, 'http://server/').searchParams.get(name) ?? undefined;
}
