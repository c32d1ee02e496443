import type { Json } from '../../../document.ts';
import { idSources } from '../../../model/plan/id-sources.ts';
import type { List } from '../../../model/plan/lists.ts';
import { anonymous } from '../../../model/plan/names.ts';
import type { Slot } from '../../../model/plan/slots.ts';
import type { Entity } from '../entities/entity.ts';
import type { Event, Failure } from '../event.ts';
import { succeeded } from '../event.ts';
import { nextLink, objectAt, pointed, scalarAt } from '../resolve.ts';
import type { SessionHistory } from '../session-history.ts';
import { briefField } from './compare.ts';

/** Pages of one list read so far, in order. */
interface ListTraversal {
  events: number[];
  /** Returned ids, with the event of each. */
  returned: Map<string, number>;
  /** Cursor or number of the next page; undefined at the end. */
  next: string | undefined;
  /** Cursors and numbers of the requested pages. */
  requested: Set<string>;
}

/** Checks the pages of lists together. */
export class ListChecker {
  readonly #session: SessionHistory;
  readonly #traversals = new Map<string, ListTraversal>();

  constructor(session: SessionHistory) {
    this.#session = session;
  }

  /** Starts over after a change, because pages before and after it are not consistent. */
  reset(): void {
    this.#traversals.clear();
  }

  check(event: Event): Failure[] {
    const { resources } = this.#session.context;
    const list = resources.lists.find(({ operation }) => operation === event.operation);
    const items = list && pointed(event.exchange.response?.json, list.items.at);
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
    const before = starts ? undefined : this.#traversals.get(key);
    if (!starts && (!before || before.next !== part)) {
      return failures;
    }
    const traversal: ListTraversal = before ?? {
      events: [],
      returned: new Map(),
      next: undefined,
      requested: new Set(),
    };
    for (const itemId of ids) {
      const at = itemId === undefined ? undefined : traversal.returned.get(itemId);
      if (itemId !== undefined && at === undefined) {
        traversal.returned.set(itemId, event.n);
      } else if (at !== undefined && failures.length === 0) {
        report(
          'pages-complete',
          `${id} returned ${briefField(itemId)} twice${at === event.n ? ' in one response' : ', on two pages'}.`,
          'A list contains each item once.',
          `pages-complete: duplicates at ${id}`,
          [...traversal.events],
        );
      }
    }
    traversal.events.push(event.n);
    if (part !== null) {
      traversal.requested.add(part);
    }
    traversal.next = this.#next(list, event, items.length, limit, part);
    this.#traversals.set(key, traversal);
    if (traversal.next !== undefined && traversal.requested.has(traversal.next) && failures.length === 0) {
      report(
        'pages-complete',
        `${id} returned the cursor of an earlier page, so the list never ends.`,
        'A list ends, and each of its pages occurs once.',
        `pages-complete: no end at ${id}`,
        [...traversal.events],
      );
    }
    const filtered = [...query.keys()].some((name) => name !== paging?.limit);
    if (traversal.next === undefined && this.#isComplete(list, items.length, limit) && !filtered) {
      failures.push(...this.#missing(list, event, traversal));
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
  #isComplete(list: List, count: number, limit: string | null): boolean {
    // Servers interpret 0 as no items or as no limit.
    if (limit === '0') {
      return false;
    }
    if (list.paging?.style === 'cursor' || list.paging?.style === 'offset' || list.paging?.style === 'page') {
      return limit === null ? list.paging.style === 'cursor' || count < 10 : true;
    }
    return count < 10;
  }

  #missing(list: List, event: Event, traversal: ListTraversal): Failure[] {
    const { id } = event.operation;
    const entities = this.#session.entities.filter(
      (entity) => this.#belongs(entity, event) && !this.#hidden(entity, event),
    );
    const missing = entities.find(
      (entity) => !traversal.returned.has(entity.text) && this.#showsIds(list, entity.slot),
    );
    if (!missing) {
      return [];
    }
    const walked = traversal.events.length > 1;
    const check = walked ? 'pages-complete' : 'list-contains-created';
    const creator = this.#session.events[missing.sourceEvent]?.operation.id ?? 'an operation';
    return [
      {
        check,
        fault: {
          message: `${id} omits a resource that ${creator} created${walked ? `, on all of its ${traversal.events.length} pages` : ''}.`,
          expected: `${id} lists the resources that ${creator} creates until they are deleted.`,
          cause: `${check}: ${id}`,
        },
        at: event.n,
        // Other created resources may hide it, so the plan includes the whole list.
        involves: [...entities.map(({ sourceEvent: n }) => n), ...traversal.events],
      },
    ];
  }

  #belongs(entity: Entity, event: Event): boolean {
    if (!entity.exists || entity.altered || entity.isDiscovered || entity.isShared) {
      return false;
    }
    return entity.creationPath === event.target || collectionOf(entity) === event.target;
  }

  /**
   * Returns whether the list may omit a resource: one that is `unlisted`, or that a default filter excludes (`status`, by
   * default `open`).
   */
  #hidden(entity: Entity, event: Event): boolean {
    const creator = this.#session.events[entity.sourceEvent];
    const response = objectAt(creator?.exchange.response?.json, '');
    if (Object.values(response ?? {}).some((value) => value === 'unlisted' || value === 'hidden')) {
      return true;
    }
    return event.operation.parameters.some(({ name, in: pointer, schema }) => {
      if (pointer !== 'query') {
        return false;
      }
      const initial = schema.default ?? this.#session.context.resources.shapes.flat(schema).default;
      const value = response?.[name];
      return initial !== undefined && value !== undefined && value !== initial;
    });
  }

  #showsIds(list: List, slot: Slot): boolean {
    return idSources(list.items.schema, slot, this.#session.context.resources.shapes).length > 0;
  }

  #idOf(list: List, item: Json): string | undefined {
    const { resources } = this.#session.context;
    const slot =
      [...resources.slots.values()].find(
        ({ collection }) => anonymous(collection) === anonymous(list.operation.path),
      ) ??
      this.#session.entities.find(({ creationPath }) => creationPath !== '' && isAt(creationPath, list))
        ?.slot;
    const pointers = slot ? idSources(list.items.schema, slot, resources.shapes) : ['/id'];
    for (const pointer of pointers) {
      const value = scalarAt(item, pointer);
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
    ({ name, in: pointer }) => pointer === 'query' && name === paging?.parameter,
  );
  return parameter?.schema.minimum === 0 ? 0 : 1;
}

/** Returns the cursor of the next page and its location in the response, as used by references. */
export function nextCursor({ paging }: List, event: Event): { from: string; value: string } | undefined {
  const { response } = event.exchange;
  for (const pointer of paging?.next ?? []) {
    if (pointer === 'header:link') {
      const from = `header:link?${paging?.parameter ?? ''}`;
      const address = nextLink(response?.headers.link ?? '');
      const value = address && parameterOf(address, paging?.parameter ?? '');
      if (value) {
        return { from, value };
      }
      continue;
    }
    const value = pointed(response?.json, pointer);
    if (typeof value === 'number') {
      return { from: pointer, value: String(value) };
    }
    if (typeof value !== 'string' || value === '') {
      continue;
    }
    const within = /[/?]/.test(value) ? parameterOf(value, paging?.parameter ?? '') : undefined;
    return within === undefined
      ? { from: pointer, value }
      : { from: `${pointer}?${paging?.parameter}`, value: within };
  }
  return undefined;
}

function parameterOf(address: string, name: string): string | undefined {
  if (!URL.canParse(address, 'http://server/')) {
    return undefined;
  }
  return new URL(address, 'http://server/').searchParams.get(name) ?? undefined;
}
