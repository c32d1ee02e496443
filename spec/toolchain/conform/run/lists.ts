import type { Json } from '../../document.ts';
import type { List } from '../plan/lists.ts';
import { anonymous } from '../plan/names.ts';
import { idPlaces, type Slot } from '../plan/slots.ts';
import { brief } from './compare.ts';
import type { Event, Failure } from './event.ts';
import { pointed } from './resolve.ts';
import { objectAt, type Session, succeeded } from './session.ts';
import type { Thing } from './thing.ts';

/** The parts of one list that were read so far, one after the other. */
interface Walk {
  events: number[];
  /** The ids that came, with the event that brought each. */
  seen: Map<string, number>;
  /** What the next part is asked for with; undefined at the end. */
  next: string | undefined;
  /** All that parts were asked for with. */
  asked: Set<string>;
}

/** Sees the parts of lists that are read, and judges them together. */
export class ListWatch {
  readonly #session: Session;
  readonly #walks = new Map<string, Walk>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Something changed: parts that were read before and after do not belong together. */
  disturb(): void {
    this.#walks.clear();
  }

  see(event: Event): Failure[] {
    const { resources } = this.#session.ground;
    const list = resources.lists.find(({ operation }) => operation === event.operation);
    const items = list && pointed(event.exchange.answer?.json, list.items.at);
    if (!list || !succeeded(event) || !Array.isArray(items)) return [];
    const query = new URLSearchParams(event.exchange.request.target.split('?')[1] ?? '');
    const { paging } = list;
    const part = paging ? query.get(paging.parameter) : null;
    if (paging) query.delete(paging.parameter);
    const limit = paging?.limit === undefined ? null : query.get(paging.limit);
    const key = `${event.target}?${query}`;
    const ids = items.map((item) => this.#idOf(list, item));
    const failures: Failure[] = [];
    const tell = (check: string, message: string, expected: string, cause: string, involves: number[]) =>
      failures.push({ check, fault: { message, expected, cause }, at: event.n, involves });
    const { id } = event.operation;

    if (limit !== null && items.length > Number(limit) && Number(limit) > 0)
      tell(
        'pages-complete',
        `${id} answers ${items.length} items, where ${limit} at most were asked for.`,
        `${paging?.limit} says how many items a part has at most.`,
        `pages-complete: more than the limit at ${id}`,
        [],
      );

    const starts = part === null || isStart(list, part);
    const before = starts ? undefined : this.#walks.get(key);
    if (!starts && (!before || before.next !== part)) return failures;
    const walk: Walk = before ?? { events: [], seen: new Map(), next: undefined, asked: new Set() };
    for (const one of ids) {
      const at = one === undefined ? undefined : walk.seen.get(one);
      if (one !== undefined && at === undefined) walk.seen.set(one, event.n);
      else if (at !== undefined && failures.length === 0)
        tell(
          'pages-complete',
          `${id} shows ${brief(one)} twice${at === event.n ? ' in one answer' : ', in two parts of the list'}.`,
          'Each thing is in a list once.',
          `pages-complete: duplicates at ${id}`,
          [...walk.events],
        );
    }
    walk.events.push(event.n);
    if (part !== null) walk.asked.add(part);
    walk.next = this.#next(list, event, items.length, limit, part);
    this.#walks.set(key, walk);
    if (walk.next !== undefined && walk.asked.has(walk.next) && failures.length === 0)
      tell(
        'pages-complete',
        `${id} leads to a part of the list that was there before, so that it never ends.`,
        'A list has an end, and each of its parts comes once.',
        `pages-complete: no end at ${id}`,
        [...walk.events],
      );
    const filtered = [...query.keys()].some((name) => name !== paging?.limit);
    if (walk.next === undefined && this.#isWhole(list, items.length, limit) && !filtered)
      failures.push(...this.#missing(list, event, walk));
    return failures;
  }

  /** What the next part is asked for with; undefined where there is none. */
  #next(
    list: List,
    event: Event,
    count: number,
    limit: string | null,
    part: string | null,
  ): string | undefined {
    const { paging } = list;
    if (!paging) return undefined;
    if (paging.style === 'cursor') {
      const from = nextPlace(list, event);
      return from?.value;
    }
    if (count === 0 || (limit !== null && count < Number(limit))) return undefined;
    const from = Number(part ?? (paging.style === 'offset' ? 0 : firstPage(list)));
    return String(paging.style === 'offset' ? from + count : from + 1);
  }

  /** Whether what came last is sure to be the last part. */
  #isWhole(list: List, count: number, limit: string | null): boolean {
    // Some servers take 0 for none, others for no limit.
    if (limit === '0') return false;
    if (list.paging?.style === 'cursor' || list.paging?.style === 'offset' || list.paging?.style === 'page')
      return limit === null ? list.paging.style === 'cursor' || count < 10 : true;
    return count < 10;
  }

  #missing(list: List, event: Event, walk: Walk): Failure[] {
    const { id } = event.operation;
    const things = this.#session.things.filter(
      (thing) => this.#belongs(thing, event) && !this.#hidden(thing, event),
    );
    const lost = things.find((thing) => !walk.seen.has(thing.text) && this.#tells(list, thing.slot));
    if (!lost) return [];
    const walked = walk.events.length > 1;
    const check = walked ? 'pages-complete' : 'list-contains-created';
    const maker = this.#session.events[lost.maker]?.operation.id ?? 'an operation';
    return [
      {
        check,
        fault: {
          message: `${id} does not show what ${maker} made${walked ? `, in none of its ${walk.events.length} parts` : ''}.`,
          expected: `What ${maker} makes is in the list of ${id} until it is deleted.`,
          cause: `${check}: ${id}`,
        },
        at: event.n,
        // What else was made may be what hides it: the whole of a list is told.
        involves: [...things.map(({ maker: n }) => n), ...walk.events],
      },
    ];
  }

  #belongs(thing: Thing, event: Event): boolean {
    if (!thing.alive || thing.altered || thing.found) return false;
    return thing.madeAt === event.target || collectionOf(thing) === event.target;
  }

  /** Whether the thing differs from what the list shows unless told otherwise: `status`, by default `open`. */
  #hidden(thing: Thing, event: Event): boolean {
    const maker = this.#session.events[thing.maker];
    const answer = objectAt(maker?.exchange.answer?.json, '');
    return event.operation.parameters.some(({ name, in: place, schema }) => {
      if (place !== 'query') return false;
      const initial = schema.default ?? this.#session.ground.resources.shapes.flat(schema).default;
      const value = answer?.[name];
      return initial !== undefined && value !== undefined && value !== initial;
    });
  }

  #tells(list: List, slot: Slot): boolean {
    return idPlaces(list.items.schema, slot, this.#session.ground.resources.shapes).length > 0;
  }

  #idOf(list: List, item: Json): string | undefined {
    const { resources } = this.#session.ground;
    const slot =
      [...resources.slots.values()].find(
        ({ collection }) => anonymous(collection) === anonymous(list.operation.path),
      ) ?? this.#session.things.find(({ madeAt }) => madeAt !== '' && isAt(madeAt, list))?.slot;
    const places = slot ? idPlaces(list.items.schema, slot, resources.shapes) : ['/id'];
    for (const place of places) {
      const value = pointed(item, place);
      if (typeof value === 'string') return value;
      if (typeof value === 'number') return String(value);
    }
    return undefined;
  }
}

/** Whether a path is one of a list, whatever its parameters are. */
export const isAt = (path: string, { operation }: List): boolean => {
  const parts = anonymous(operation.path).split('/');
  const given = path.split('/');
  return (
    parts.length === given.length && parts.every((part, at) => part.includes('{}') || part === given[at])
  );
};

const collectionOf = ({ address }: Thing): string | undefined => address?.slice(0, address.lastIndexOf('/'));

const isStart = ({ paging }: List, part: string) =>
  (paging?.style === 'offset' && part === '0') ||
  (paging?.style === 'page' && (part === '1' || part === '0'));

/** The number that pages begin with: the least that the contract lets in, else 1. */
export function firstPage({ operation, paging }: List): number {
  const parameter = operation.parameters.find(
    ({ name, in: place }) => place === 'query' && name === paging?.parameter,
  );
  return parameter?.schema.minimum === 0 ? 0 : 1;
}

/** Where an answer says what the next part is asked for with, as a reference takes it. */
export function nextPlace({ paging }: List, event: Event): { from: string; value: string } | undefined {
  const { answer } = event.exchange;
  for (const place of paging?.next ?? []) {
    if (place === 'header:link') {
      const from = `header:link?${paging?.parameter ?? ''}`;
      const address = /<([^>]*)>[^,]*;\s*rel="?next"?/i.exec(answer?.headers.link ?? '')?.[1];
      const value = address && parameterOf(address, paging?.parameter ?? '');
      if (value) return { from, value };
      continue;
    }
    const value = pointed(answer?.json, place);
    if (typeof value === 'number') return { from: place, value: String(value) };
    if (typeof value !== 'string' || value === '') continue;
    const within = /[/?]/.test(value) ? parameterOf(value, paging?.parameter ?? '') : undefined;
    return within === undefined
      ? { from: place, value }
      : { from: `${place}?${paging?.parameter}`, value: within };
  }
  return undefined;
}

function parameterOf(address: string, name: string): string | undefined {
  if (!URL.canParse(address, 'http://server/')) return undefined;
  return new URL(address, 'http://server/').searchParams.get(name) ?? undefined;
}
