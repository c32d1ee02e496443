import { formatPointer } from '../../../server/contract/json-values.ts';
import { pointed } from '../conform/run/resolve.ts';
import type { Json } from '../document.ts';
import type { MediaType } from '../model/contract/contract.ts';
import { idPointers } from '../model/plan/id-sources.ts';
import type { List, Paging } from '../model/plan/lists.ts';
import { joinedWords } from '../model/plan/names.ts';
import type { Shapes } from '../model/plan/shapes.ts';
import type { Slot } from '../model/plan/slots.ts';
import type { SampleValues } from '../model/sample/values.ts';
import { branchesOf, type Schema } from '../model/schema/schema.ts';
import { withMember } from './pointers.ts';
import type { Entity, Ids } from './store.ts';

/** Pagination of a request for a list. */
export interface PageRequest {
  paging: Paging | undefined;
  query: Readonly<Record<string, unknown>>;
}

/** Items of a page if the contract or the request does not state a number. */
const DEFAULT_PAGE_ITEMS = 20;

/** Names of the number of items on all pages, of the number of pages, and of the number of a page. */
const TOTALS = /^(count|total|totalcount|totalitems|totalresults)$/;
const PAGE_COUNTS = /^(pages|pagecount|totalpages|lastpage)$/;
const PAGE_NUMBERS = /^(page|pagenumber|currentpage)$/;

/** Makes JSON bodies of responses. */
export class MockBodies {
  readonly #values: SampleValues;
  readonly #shapes: Shapes;

  constructor(values: SampleValues, shapes: Shapes) {
    this.#values = values;
    this.#shapes = shapes;
  }

  /** Returns a body without state. */
  sample({ schema = {}, examples }: MediaType, name: string): unknown {
    return this.#values.value(schema, name, 1, examples);
  }

  /** Returns the only page of a list without state. */
  samplePage(media: MediaType, name: string, { paging }: List): unknown {
    const { schema = {} } = media;
    return pointersTo(paging).reduce(
      (body, pointer) => this.#withNext(schema, body, pointer, undefined),
      this.sample(media, name),
    );
  }

  /** Returns a body with an entity, or with a part of it. */
  entity({ schema = {}, examples }: MediaType, slot: Slot, entity: Entity): unknown {
    const part = this.#shapes.entity(schema, slot.noun) ?? { at: '', schema };
    const shown = this.#entity(part.schema, slot, entity, part.at === '' ? examples : []);
    if (part.at === '') {
      return shown;
    }
    return withMember(this.#values.value(schema, slot.noun, entity.number, examples), part.at, shown);
  }

  /** Returns a body with values that requests set. */
  fields(
    { schema = {}, examples }: MediaType,
    name: string,
    fields: Readonly<Record<string, unknown>>,
  ): unknown {
    return this.#overlaid(schema, fields, (shape) => this.#values.value(shape, name, 1, examples));
  }

  /** Returns a page of a list. */
  list(
    { schema = {}, examples }: MediaType,
    slot: Slot,
    { items }: List,
    entities: readonly Entity[],
    { paging, query }: PageRequest,
  ): { body: unknown; next: string | undefined } {
    const size = pageSize(paging, query);
    const start = pageStart(paging, query, size);
    const page = entities.slice(start, start + size);
    const shown = page.map((entity) => this.#entity(items.schema, slot, entity, []));
    const isLast = start + size >= entities.length;
    const nextPage = paging?.style === 'page' ? Math.floor(start / size) + 2 : start + size;
    const next = isLast ? undefined : String(nextPage);
    if (items.at === '') {
      return { body: shown, next };
    }
    let body = withMember(this.#values.value(schema, slot.noun, 1, examples), items.at, shown);
    const pages = Math.ceil(entities.length / size);
    for (const [name, field] of this.#shapes.fields(schema)) {
      const [, number] =
        [
          [TOTALS, entities.length] as const,
          [PAGE_COUNTS, pages] as const,
          [PAGE_NUMBERS, Math.floor(start / size) + 1] as const,
        ].find(([pattern]) => pattern.test(joinedWords(name))) ?? [];
      if (number !== undefined && this.#shapes.types(field).includes('integer')) {
        body = withMember(body, formatPointer([name]), number);
      }
    }
    for (const pointer of pointersTo(paging)) {
      body = this.#withNext(schema, body, pointer, next);
    }
    return { body, next };
  }

  /** Sets the location of the next page, or removes it from the last one. */
  #withNext(schema: Schema, body: unknown, pointer: string, next: string | undefined): unknown {
    const container = pointer.slice(0, pointer.lastIndexOf('/'));
    const candidates =
      next === undefined
        ? [
            ...(container === '' ? [] : [withMember(body, container, undefined)]),
            withMember(body, pointer, undefined),
            withMember(body, pointer, null),
            ...(container === '' ? [] : [withMember(body, container, null)]),
            withMember(body, pointer, ''),
          ]
        : [withMember(body, pointer, next)];
    return candidates.find((candidate) => this.#values.accepts(schema, candidate)) ?? body;
  }

  #entity(
    schema: Schema,
    slot: Slot,
    { number, ids, fields }: Entity,
    examples: readonly unknown[],
  ): unknown {
    const id = ids[slot.key] ?? '';
    const withId = (value: unknown) => {
      const [pointer] = idPointers(schema, slot, this.#shapes);
      if (pointer === undefined) {
        return value;
      }
      const candidates = [id, Number(id)].map((member) => withMember(value, pointer, member));
      return candidates.find((candidate) => this.#values.accepts(schema, candidate)) ?? value;
    };
    const shown = { ...this.#ownerIds(schema, slot, ids), ...fields };
    return withId(
      this.#overlaid(schema, shown, (shape) => this.#values.value(shape, slot.noun, number, examples)),
    );
  }

  /** Returns the fields with the IDs of the entities that contain an entity. */
  #ownerIds(schema: Schema, { owners }: Slot, ids: Ids): Record<string, unknown> {
    return Object.fromEntries(
      [...this.#shapes.fields(schema)].flatMap(([name, field]) => {
        const owner = owners.find(({ parameter }) => joinedWords(parameter.name) === joinedWords(name));
        const id = owner && ids[owner.key];
        const values = id === undefined ? [] : [id, Number(id)];
        return values.filter((value) => this.#values.accepts(field, value)).map((value) => [name, value]);
      }),
    );
  }

  /**
   * Returns a value with the given fields that its schema permits: all of them for the first variant that accepts all,
   * or else each valid field. Variants that declare the newest field take precedence.
   */
  #overlaid(
    schema: Schema,
    fields: Readonly<Record<string, unknown>>,
    make: (shape: Schema) => unknown,
  ): unknown {
    const newest = Object.keys(fields).at(-1) ?? '';
    const variants = [schema, ...branchesOf(this.#shapes.flat(schema))].filter(
      (variant): variant is Schema => typeof variant === 'object',
    );
    const declaresNewest = (variant: Schema) => Number(this.#shapes.fields(variant).has(newest));
    for (const variant of variants.sort((a, b) => declaresNewest(b) - declaresNewest(a))) {
      const candidate = this.#withFields(variant, make(variant), Object.entries(fields));
      if (this.#values.isExact(schema, candidate)) {
        return candidate;
      }
    }
    return Object.entries(fields).reduce<unknown>((value, field) => {
      const candidate = this.#withFields(schema, value, [field]);
      return this.#values.isExact(schema, candidate) ? candidate : value;
    }, make(schema));
  }

  /** Sets the fields that a schema declares. A null that the schema does not permit removes its field. */
  #withFields(schema: Schema, value: unknown, fields: readonly (readonly [string, unknown])[]): unknown {
    const known = this.#shapes.fields(schema);
    const { required = [] } = this.#shapes.flat(schema);
    return fields.reduce((changed, [name, member]) => {
      const field = known.get(name);
      const settled = member === null && !this.#values.accepts(field ?? true, null) ? undefined : member;
      const isKept = field === undefined || (settled === undefined && required.includes(name));
      return isKept ? changed : withMember(changed, formatPointer([name]), settled);
    }, value);
  }
}

/** Returns the member at the first of several pointers that exists, as text. */
export function firstText(body: unknown, pointers: readonly string[]): string | undefined {
  for (const pointer of pointers) {
    // Bodies of requests and responses are JSON.
    const member = pointed(body as Json, pointer);
    if (typeof member === 'string' || typeof member === 'number') {
      return String(member);
    }
  }
  return undefined;
}

/** Returns the locations of the next page in the body. */
const pointersTo = (paging: Paging | undefined): string[] =>
  paging?.next.filter((location) => location.startsWith('/')) ?? [];

function pageSize(paging: Paging | undefined, query: PageRequest['query']): number {
  const limit = paging?.limit === undefined ? undefined : query[paging.limit];
  if (paging === undefined) {
    return Number.POSITIVE_INFINITY;
  }
  return typeof limit === 'number' && limit > 0 ? limit : DEFAULT_PAGE_ITEMS;
}

function pageStart(paging: Paging | undefined, query: PageRequest['query'], size: number): number {
  const value = Number(
    paging === undefined ? 0 : (query[paging.parameter] ?? (paging.style === 'page' ? 1 : 0)),
  );
  // A cursor that this mock did not issue starts the list over.
  const position = Number.isInteger(value) && value > 0 ? value : 0;
  return paging?.style === 'page' ? Math.max(0, position - 1) * size : position;
}
