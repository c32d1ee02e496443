import type { Contract, Operation } from '../contract/contract.ts';
import type { SchemaSet } from '../schema/schema.ts';
import { idSources } from './id-sources.ts';
import { linksTo } from './links.ts';
import { findLists, type List } from './lists.ts';
import { anonymous, nounOf, parametersOf, wordsOf } from './names.ts';
import { Shapes } from './shapes.ts';
import { findSlots, type Slot } from './slots.ts';

/** Operation with values for a slot in its responses. */
export interface Producer {
  operation: Operation;
  slot: Slot;
  /** Source of the value: the operation creates an entity, accepts an id of the client, or lists existing entities. */
  kind: 'create' | 'choose' | 'list';
  /** JSON pointers into the response, or `header:location`; the first existing one is used. */
  from: readonly string[];
  /** Reason for the inference, for reports. */
  because:
    | 'a declared link'
    | 'its path'
    | 'the schema of its response'
    | 'its name'
    | 'the list that contains it'
    | 'the read that returns it';
}

/** Entities of a contract: the slots that refer to them, and the operations that create and list them. */
export class Resources {
  readonly contract: Contract;
  readonly shapes: Shapes;
  /** By key. */
  readonly slots: ReadonlyMap<string, Slot>;
  readonly lists: readonly List[];
  readonly #producers = new Map<string, Producer[]>();

  constructor(contract: Contract, schemas: SchemaSet) {
    this.contract = contract;
    this.shapes = new Shapes(schemas);
    this.slots = findSlots(contract, this.shapes);
    this.lists = findLists(contract, this.shapes);
    for (const slot of this.slots.values()) {
      this.#producers.set(slot.key, this.#find(slot));
    }
  }

  /** Returns the slots of an operation's path in order. */
  slotsOf(operation: Operation): Slot[] {
    return this.pathSlotsOf(operation).map(({ slot }) => slot);
  }

  /** Returns the slots of an operation's path in order, with the name of the parameter in this path. */
  pathSlotsOf({ path }: Operation): { slot: Slot; name: string }[] {
    const segments = path.split('/');
    return segments.flatMap((segment, at) => {
      const slot = this.slots.get(anonymous(segments.slice(0, at + 1).join('/')));
      const name = parametersOf(segment).at(-1);
      return slot && name !== undefined ? [{ slot, name }] : [];
    });
  }

  /** Returns the producers of a slot, most likely first: its own, then those of slots with the same noun. */
  producersOf(slot: Slot): readonly Producer[] {
    const producers = this.#producers.get(slot.key) ?? [];
    const others = [...this.slots.values()]
      .filter((other) => other !== slot && other.noun === slot.noun)
      .flatMap((other) => this.#producers.get(other.key) ?? [])
      .filter(({ kind }) => kind !== 'choose');
    const distinct = new Map<string, Producer>();
    for (const producer of [...producers, ...others]) {
      const key = `${producer.operation.id} ${producer.kind}`;
      if (!distinct.has(key)) {
        distinct.set(key, producer);
      }
    }
    // Created entities take precedence over listed ones, because they belong to this run.
    const order = { create: 0, choose: 1, list: 2 };
    return [...distinct.values()].sort(
      (a, b) => order[a.kind] - order[b.kind] || this.#distance(a, slot) - this.#distance(b, slot),
    );
  }

  /** Returns the slots of the entities that an operation creates. */
  createdBy(operation: Operation): Producer[] {
    return [...this.#producers.values()]
      .flat()
      .filter((candidate) => candidate.operation === operation && candidate.kind !== 'list');
  }

  /** Returns the slots that a name refers to, most likely first: `spaceId`, `teams`, `parent_collection`. */
  slotsNamed(name: string): Slot[] {
    const noun = nounOf(name);
    const words = wordsOf(noun);
    const all = [...this.slots.values()];
    const exact = all.filter((slot) => slot.noun === noun);
    if (exact.length > 0 || noun === '') {
      return exact;
    }
    // The longest ending is the most specific one: `default site space` is a `site space`, not a `space`.
    for (let from = 1; from < words.length; from += 1) {
      const ending = all.filter((slot) => slot.noun === words.slice(from).join(' '));
      if (ending.length > 0) {
        return ending;
      }
    }
    // `section` is a `site section` if nothing else is a section.
    const longer = all.filter((slot) => slot.noun.endsWith(` ${noun}`));
    return new Set(longer.map((slot) => slot.noun)).size === 1 ? longer : [];
  }

  /** Returns whether a parameter selects the page of a list. Such a value refers to no entity. */
  isPartParameter(operation: Operation, location: { in: string; name: string }): boolean {
    return (
      location.in === 'query' &&
      this.lists.some((list) => list.operation === operation && list.paging?.parameter === location.name)
    );
  }

  /** Returns the number of entities required in addition to those of a slot's path. */
  #distance(producer: Producer, slot: Slot): number {
    const ownerNouns = new Set(slot.owners.map(({ noun }) => noun));
    const needed = this.slotsOf(producer.operation).filter(({ noun }) => !ownerNouns.has(noun));
    const keyDistance = producer.slot.key === slot.key ? 0 : 1;
    return needed.length * 2 + keyDistance;
  }

  #find(slot: Slot): Producer[] {
    const producers: Producer[] = [];
    const add = (operation: Operation, because: Producer['because'], from: readonly string[]) => {
      if (from.length > 0 && !producers.some((candidate) => candidate.operation === operation)) {
        producers.push({ operation, slot, kind: 'create', from, because });
      }
    };
    for (const { operation, from } of linksTo(this.contract, slot)) {
      if (operation.method === 'POST' && (isIn(operation, slot) || '201' in operation.responses)) {
        add(operation, 'a declared link', [from]);
      }
    }
    for (const operation of this.contract.operations) {
      if (operation.method !== 'POST' && operation.method !== 'PUT') {
        continue;
      }
      const pointers = this.#pointersIn(operation, slot);
      if (isIn(operation, slot)) {
        add(operation, 'its path', pointers);
        continue;
      }
      // Elsewhere, a response without 201 may show a resource that already existed.
      if (!('201' in operation.responses)) {
        continue;
      }
      const pathSlots = this.slotsOf(operation);
      const isAction = pathSlots.some(({ noun }) => noun === slot.noun);
      const [response] = this.shapes.successes(operation);
      const entity = response && this.shapes.entity(response.schema, slot.noun);
      const shownComponent =
        entity && (this.shapes.component(entity.schema) ?? this.shapes.component(response.schema));
      const named = nounOf(operation.path.split('/').at(-1) ?? '') === slot.noun;
      if (this.#isOfOthers(operation, slot)) {
        continue;
      }
      const isShown = this.#identifies(shownComponent, operation, slot);
      if (isShown && (isAction || pathSlots.at(-1)?.key !== slot.key)) {
        add(operation, 'the schema of its response', pointers);
      } else if (!isAction && operation.method === 'POST' && named) {
        add(operation, 'its name', pointers);
      }
    }
    if (producers.length === 0 && slot.read) {
      for (const operation of this.contract.operations) {
        if (anonymous(operation.path) === slot.key && ['PUT', 'POST'].includes(operation.method)) {
          producers.push({ operation, slot, kind: 'choose', from: [], because: 'its path' });
        }
      }
    }
    return [...producers, ...this.#listsOf(slot), ...this.#readsOf(slot)];
  }

  /**
   * Returns whether a response with a schema contains an entity of a slot. If the schema describes several kinds of
   * entities, because it has only what they share, the path must name the kind.
   */
  #identifies(component: string | undefined, { path }: Operation, slot: Slot): boolean {
    if (component === undefined || component !== this.shapes.component(slot.shown)) {
      return false;
    }
    const slots = [...this.slots.values()].filter(({ shown }) => this.shapes.component(shown) === component);
    // A `page path` identifies a `page`, too.
    const isSame = ({ noun }: Slot) =>
      noun === slot.noun || noun.startsWith(`${slot.noun} `) || slot.noun.startsWith(`${noun} `);
    return slots.every(isSame) || nounOf(path.split('/').at(-1) ?? '') === slot.noun;
  }

  /** Returns whether the path of an operation is that of a collection of other entities, with or without the same schema. */
  #isOfOthers(operation: Operation, slot: Slot): boolean {
    const owners = [...this.slots.values()].filter(
      (other) => isIn(operation, other) && other.read !== undefined,
    );
    return owners.length > 0 && owners.every(({ noun }) => noun !== slot.noun);
  }

  #pointersIn(operation: Operation, slot: Slot): string[] {
    const [response] = this.shapes.successes(operation);
    const part = response && this.shapes.entity(response.schema, slot.noun);
    const shownComponent = this.shapes.component(part?.schema);
    const belongsToOtherSlot =
      shownComponent !== undefined &&
      [...this.slots.values()].some((other) => this.shapes.component(other.shown) === shownComponent) &&
      ![...this.slots.values()].some(
        (other) =>
          other.noun === slot.noun &&
          [shownComponent, undefined].includes(this.shapes.component(other.shown)) &&
          other.shown,
      );
    const isLocated = Object.entries(operation.responses).some(
      ([status, { headers }]) => /^2/.test(status) && 'location' in headers,
    );
    if (!part || belongsToOtherSlot) {
      return isLocated ? ['header:location'] : [];
    }
    return idSources(part.schema, slot, this.shapes, isLocated).map((source) =>
      source.startsWith('/') ? part.at + source : source,
    );
  }

  /** Returns the reads of the owners that return an entity of a slot, such as the current revision of a space. */
  #readsOf(slot: Slot): Producer[] {
    const owners = new Set(slot.owners.map(({ key }) => key));
    return this.contract.operations.flatMap((operation): Producer[] => {
      const [response] = this.shapes.successes(operation);
      if (
        operation.method !== 'GET' ||
        !this.#identifies(this.shapes.component(response?.schema), operation, slot) ||
        operation === slot.read ||
        !this.#slotsBeside(slot, operation).every(({ key }) => owners.has(key))
      ) {
        return [];
      }
      const from = idSources(response?.schema ?? {}, slot, this.shapes);
      return from.length === 0
        ? []
        : [{ operation, slot, kind: 'list', from, because: 'the read that returns it' }];
    });
  }

  /** Returns the slots of an operation, without the one that identifies the same entity in another way: a page by its path. */
  #slotsBeside(slot: Slot, operation: Operation): Slot[] {
    return this.slotsOf(operation).filter(({ read, noun }) => !(read === operation && noun !== slot.noun));
  }

  #listsOf(slot: Slot): Producer[] {
    return this.lists.flatMap(({ operation, items }) => {
      const isInCollection = anonymous(operation.path) === anonymous(slot.collection);
      const isShown = this.#identifies(this.shapes.component(items.schema), operation, slot);
      if (!isInCollection && (!isShown || this.#isOfOthers(operation, slot))) {
        return [];
      }
      const from = idSources(items.schema, slot, this.shapes).map((location) => `${items.at}/0${location}`);
      return from.length === 0
        ? []
        : [{ operation, slot, kind: 'list', from, because: 'the list that contains it' } satisfies Producer];
    });
  }
}

/** Returns whether an operation has the path of a slot's collection. */
const isIn = ({ path }: Operation, { collection }: Slot): boolean =>
  anonymous(path) === anonymous(collection);
