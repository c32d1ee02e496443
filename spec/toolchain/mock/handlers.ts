import { LRUCache } from 'lru-cache';
import { isObject } from '../document.ts';
import type { Operation } from '../model/contract/contract.ts';
import { anonymous, parametersOf, wordsOf } from '../model/plan/names.ts';
import type { Resources } from '../model/plan/resources.ts';
import type { Slot } from '../model/plan/slots.ts';
import type { SampleValues } from '../model/sample/values.ts';
import type { Schema } from '../model/schema/schema.ts';
import { firstText, MockBodies } from './bodies.ts';
import { chooseResponse, type MockReply, type MockRequest, replyWith } from './responses.ts';
import { findRoles, type Role } from './roles.ts';
import { type Entity, type Ids, MAX_MOCK_ENTITIES, MockStore } from './store.ts';

/** Entities of a list before the first request. */
const INITIAL_ENTITIES = 2;
/** Attempts to make an ID that no other entity has. */
const ID_ATTEMPTS = 20;

/** Handler of one operation of a mock. */
export type MockHandler = (request: MockRequest) => MockReply;

/** Reports an entity that does not exist. Its message has the noun of the entity. */
export class MissingEntity extends Error {}

/**
 * Creates the handlers of a contract. Entities that operations create, update and delete are stored in memory; all other
 * operations return examples of the contract, or generated values.
 */
export class MockHandlers {
  readonly #resources: Resources;
  readonly #values: SampleValues;
  readonly #bodies: MockBodies;
  readonly #roles: ReadonlyMap<string, Role>;
  readonly #stored: ReadonlySet<string>;
  readonly #store = new MockStore();
  readonly #seeded = new LRUCache<string, true>({ max: MAX_MOCK_ENTITIES });
  readonly #singletons = new LRUCache<string, Record<string, unknown>>({ max: MAX_MOCK_ENTITIES });

  constructor(resources: Resources, values: SampleValues) {
    this.#resources = resources;
    this.#values = values;
    this.#bodies = new MockBodies(values, resources.shapes);
    this.#roles = findRoles(resources.contract, resources);
    this.#stored = new Set(
      [...this.#roles.values()].flatMap((role) => ('slot' in role ? role.slot.key : [])),
    );
  }

  /** Returns the handler of an operation; it throws a {@link MissingEntity} for an unknown ID of a stored entity. */
  of(operation: Operation): MockHandler {
    const role: Role = this.#roles.get(operation.id) ?? { kind: 'stateless' };
    const slots = this.#resources.slotsOf(operation);
    return (request) => {
      const ids = idsOf(operation, slots, request);
      const existing = role.kind === 'put' ? slots.slice(0, -1) : slots;
      for (const slot of existing) {
        this.#requireEntity(slot, ids);
      }
      return this.#respond(operation, role, slots.at(-1), ids, request);
    };
  }

  #respond(
    operation: Operation,
    role: Role,
    last: Slot | undefined,
    ids: Ids,
    request: MockRequest,
  ): MockReply {
    const { content, ...response } = chooseResponse(operation, request, this.#values);
    const reply = (body: () => unknown, headers: Record<string, string[]> = {}) =>
      replyWith(response, content, body, headers);
    const media = content?.media ?? { schema: undefined, examples: [] };
    const name =
      operation.path
        .split('/')
        .filter((segment) => !segment.includes('{'))
        .at(-1) ?? 'value';
    switch (role.kind) {
      case 'create': {
        const entity = this.#create(role.slot, ids, this.#fields(operation, role.slot, request));
        const location = locationsOf(role.slot, entity.ids, request);
        return reply(() => this.#bodies.entity(media, role.slot, entity), { location });
      }
      case 'list': {
        this.#seed(role.slot, ids);
        const entities = this.#store.list(role.slot, ids);
        const { query } = request;
        const page = this.#bodies.list(media, role.slot, role.list, entities, {
          paging: role.list.paging,
          query,
        });
        return reply(() => page.body, nextLink(request, role.list.paging?.parameter, page.next));
      }
      case 'sampleList':
        return reply(() => this.#bodies.samplePage(media, name, role.list));
      case 'update':
      case 'replace':
      case 'put':
      case 'read': {
        const entity = this.#change(role.kind, role.slot, ids, this.#fields(operation, role.slot, request));
        return reply(() => this.#bodies.entity(media, role.slot, entity));
      }
      case 'delete':
        this.#store.delete(role.slot, ids);
        return reply(() => this.#bodies.sample(media, name));
      case 'readSingleton':
      case 'updateSingleton':
      case 'replaceSingleton': {
        const fields = this.#changeSingleton(role.kind, operation, ids, request);
        const isEntity = last?.key === anonymous(operation.path);
        return reply(() =>
          isEntity
            ? this.#bodies.entity(media, last, { number: 1, ids, fields })
            : this.#bodies.fields(media, name, fields),
        );
      }
      case 'stateless': {
        const entity = last && this.#store.get(last, ids);
        const { shapes } = this.#resources;
        const component = shapes.component(media.schema);
        const isShown = component !== undefined && component === shapes.component(last?.shown);
        return reply(() =>
          last && entity && isShown
            ? this.#bodies.entity(media, last, entity)
            : this.#bodies.sample(media, name),
        );
      }
    }
  }

  #create(slot: Slot, within: Ids, fields: Record<string, unknown>): Entity {
    const number = this.#store.nextNumber(slot);
    const entity = {
      number,
      ids: { ...within, [slot.key]: this.#newId(slot, number, within, fields) },
      fields,
    };
    this.#store.set(slot, entity);
    return entity;
  }

  /** Reads or changes an entity; `put` also creates it. */
  #change(
    kind: 'read' | 'update' | 'replace' | 'put',
    slot: Slot,
    ids: Ids,
    fields: Record<string, unknown>,
  ): Entity {
    const entity = this.#store.get(slot, ids) ?? { number: this.#store.nextNumber(slot), ids, fields: {} };
    if (kind === 'read') {
      return entity;
    }
    const changed = { ...entity, fields: kind === 'update' ? updated(entity.fields, fields) : fields };
    this.#store.set(slot, changed);
    return changed;
  }

  #changeSingleton(
    kind: 'readSingleton' | 'updateSingleton' | 'replaceSingleton',
    operation: Operation,
    ids: Ids,
    request: MockRequest,
  ): Record<string, unknown> {
    const key = JSON.stringify([operation.path, ids]);
    const fields = this.#singletons.get(key) ?? {};
    if (kind === 'readSingleton') {
      return fields;
    }
    const sent = isObject(request.body) ? request.body : {};
    const changed = kind === 'updateSingleton' ? updated(fields, sent) : sent;
    this.#singletons.set(key, changed);
    return changed;
  }

  /**
   * Returns the properties of the entity in a request body. Of a complete entity, the declared properties that were not
   * sent are undefined: the entity does not have them.
   */
  #fields(operation: Operation, slot: Slot, { body }: MockRequest): Record<string, unknown> {
    const { shapes } = this.#resources;
    const schema = shapes.body(operation);
    const part = schema && shapes.entity(schema, slot.noun);
    const inner = part?.at && isObject(body) ? body[part.at.slice(1)] : body;
    const sent = isObject(inner) ? inner : {};
    const declared =
      part && operation.method !== 'PATCH' ? shapes.fields(part.schema) : new Map<string, Schema>();
    const omitted = [...declared].filter(([, field]) => shapes.flat(field).default === undefined);
    return { ...Object.fromEntries(omitted.map(([name]) => [name, undefined])), ...sent };
  }

  /** Adds the initial entities to a list, unless a request created what contains it. */
  #seed(slot: Slot, within: Ids): void {
    const key = JSON.stringify([slot.key, within]);
    const isCreated = slot.owners.some((owner) => {
      const entity = this.#store.get(owner, within);
      return entity !== undefined && Object.keys(entity.fields).length > 0;
    });
    if (this.#seeded.has(key) || isCreated) {
      return;
    }
    this.#seeded.set(key, true);
    for (let count = 0; count < INITIAL_ENTITIES; count++) {
      this.#create(slot, within, {});
    }
  }

  #requireEntity(slot: Slot, ids: Ids): void {
    if (!this.#stored.has(slot.key)) {
      return;
    }
    const within = Object.fromEntries(slot.owners.map(({ key }) => [key, ids[key] ?? '']));
    this.#seed(slot, within);
    if (!this.#store.get(slot, ids)) {
      throw new MissingEntity(slot.noun);
    }
  }

  /** Returns the ID that a request chose, or a new one that is valid in paths and unique. */
  #newId(slot: Slot, number: number, within: Ids, fields: Record<string, unknown>): string {
    const { schema, name } = slot.parameter;
    const isFree = (id: string | undefined): id is string =>
      id !== undefined &&
      (this.#values.accepts(schema, id) || this.#values.accepts(schema, Number(id))) &&
      !this.#store.get(slot, { ...within, [slot.key]: id });
    const chosen = firstText(fields, [`/${name}`, '/id', '/slug', '/key']);
    const readable = [...wordsOf(slot.noun), String(number)].join('-');
    for (const id of [chosen, readable, String(number)]) {
      if (isFree(id)) {
        return id;
      }
    }
    for (let attempt = 0; attempt < ID_ATTEMPTS; attempt++) {
      const id = String(this.#values.value(schema, name, number + attempt * MAX_MOCK_ENTITIES));
      if (isFree(id)) {
        return id;
      }
    }
    return readable;
  }
}

/** Returns fields with the changed ones last. */
function updated(fields: Entity['fields'], changed: Record<string, unknown>): Record<string, unknown> {
  const unchanged = Object.entries(fields).filter(([name]) => !Object.hasOwn(changed, name));
  return { ...Object.fromEntries(unchanged), ...changed };
}

/** Returns the IDs in the path of a request. */
function idsOf({ path }: Operation, slots: readonly Slot[], request: MockRequest): Ids {
  const names = parametersOf(path);
  return Object.fromEntries(
    slots.map(({ key, parameter }, index) => [key, String(request.path[names[index] ?? parameter.name])]),
  );
}

/** Returns the URL of an entity, and its path. */
function locationsOf(slot: Slot, ids: Ids, { baseUrl }: MockRequest): string[] {
  const values = [...slot.owners, slot].map(({ key }) => encodeURIComponent(ids[key] ?? ''));
  let index = 0;
  const url = baseUrl + slot.path.replaceAll(/\{[^}]*\}/g, () => values[index++] ?? '');
  return [url, new URL(url).pathname];
}

/** Returns the `Link` header of the next page (RFC 8288): the URL of this page, with another value of a parameter. */
function nextLink(
  { baseUrl, target }: MockRequest,
  parameter: string | undefined,
  next: string | undefined,
): Record<string, string[]> {
  if (parameter === undefined || next === undefined) {
    return {};
  }
  const url = new URL(baseUrl + target);
  const others = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !new URLSearchParams(pair).has(parameter));
  url.search = [...others, `${encodeURIComponent(parameter)}=${encodeURIComponent(next)}`].join('&');
  return { link: [`<${url.href}>; rel="next"`] };
}
