import type { Contract, Operation, Parameter } from '../model/contract/contract.ts';
import type { List } from '../model/plan/lists.ts';
import { anonymous, nounOf } from '../model/plan/names.ts';
import type { Producer, Resources } from '../model/plan/resources.ts';
import type { Slot } from '../model/plan/slots.ts';

/** What an operation does with the state of a mock. Callers choose the ID of an entity that they put. */
export type Role =
  | { kind: 'create'; slot: Slot }
  | { kind: 'list'; slot: Slot; list: List }
  | { kind: EntityKind; slot: Slot }
  /** Lists entities that are not stored. */
  | { kind: 'sampleList'; list: List }
  /** Reads or changes a singleton, such as settings. */
  | { kind: SingletonKind }
  | { kind: 'stateless' };

type EntityKind = 'read' | 'update' | 'replace' | 'delete' | 'put';
type SingletonKind = 'readSingleton' | 'updateSingleton' | 'replaceSingleton';

/**
 * Infers the roles of the operations of a contract from their methods, paths and schemas. Only entities that an
 * operation creates are stored.
 *
 * @returns the roles by operation ID
 */
export function findRoles(contract: Contract, resources: Resources): ReadonlyMap<string, Role> {
  const roles = new Map<string, Role>();
  const add = (operation: Operation | undefined, role: Role | undefined) => {
    if (operation && role && !roles.has(operation.id)) {
      roles.set(operation.id, role);
    }
  };
  const stored = [...resources.slots.values()].filter((slot) => isStored(slot, resources));
  for (const slot of stored) {
    for (const { operation, kind } of ownProducers(slot, resources)) {
      add(operation, kind === 'choose' ? { kind: 'put', slot } : undefined);
    }
    for (const operation of [slot.read, ...slot.updates, slot.remove]) {
      const kind = ENTITY_KINDS[operation?.method ?? ''];
      add(operation, kind && { kind, slot });
    }
  }
  // An operation on the collection of a slot belongs to it; others belong to the slot of the schema that they return.
  for (const isOnCollection of [true, false]) {
    for (const slot of stored) {
      for (const { operation, kind } of ownProducers(slot, resources)) {
        if ((anonymous(operation.path) === anonymous(slot.collection)) === isOnCollection) {
          const list = resources.lists.find((candidate) => candidate.operation === operation);
          add(operation, kind === 'list' ? list && { kind, slot, list } : { kind: 'create', slot });
        }
      }
    }
  }
  for (const { list, slot, creation } of unaddressedEntities(contract, resources)) {
    if (!roles.has(creation.id)) {
      add(creation, { kind: 'create', slot });
      add(list.operation, { kind: 'list', slot, list });
    }
  }
  for (const operation of contract.operations) {
    const list = resources.lists.find((candidate) => candidate.operation === operation);
    add(operation, list ? { kind: 'sampleList', list } : singletonRole(operation, contract));
  }
  return roles;
}

const ENTITY_KINDS: Readonly<Record<string, EntityKind>> = {
  GET: 'read',
  PATCH: 'update',
  PUT: 'replace',
  DELETE: 'delete',
};

const SINGLETON_KINDS: Readonly<Record<string, SingletonKind>> = {
  GET: 'readSingleton',
  PATCH: 'updateSingleton',
  PUT: 'replaceSingleton',
};

const isStored = (slot: Slot, resources: Resources): boolean =>
  ownProducers(slot, resources).some(({ kind }) => kind !== 'list');

/** Returns the producers of a slot with all of its owners in their path; for a list, some are sufficient. */
function ownProducers(slot: Slot, resources: Resources): Producer[] {
  return resources.producersOf(slot).filter((producer) => {
    const owners = resources.slotsOf(producer.operation).map(({ key }) => key);
    const isComplete = producer.kind === 'list' || slot.owners.every(({ key }) => owners.includes(key));
    return producer.slot === slot && isComplete;
  });
}

const ID_PARAMETER: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  style: 'simple',
  explode: false,
  allowReserved: false,
  schema: {},
  examples: [],
};

/** Returns the entities that operations on one path create and list, but that have no path of their own. */
function unaddressedEntities(
  { operations }: Contract,
  resources: Resources,
): { list: List; slot: Slot; creation: Operation }[] {
  const { lists, shapes } = resources;
  return lists.flatMap((list) => {
    const { path } = list.operation;
    const noun = nounOf(path.split('/').at(-1) ?? '');
    const shown = list.items.schema;
    const creation = operations.find((operation) => {
      const [response] = shapes.successes(operation);
      const entity = response && shapes.entity(response.schema, noun)?.schema;
      return operation.method === 'POST' && operation.path === path && entity && shapes.same(entity, shown);
    });
    const slot: Slot = {
      path: `${path}/{id}`,
      key: anonymous(`${path}/{id}`),
      parameter: ID_PARAMETER,
      noun,
      owners: resources.slotsOf(list.operation),
      collection: path,
      read: undefined,
      remove: undefined,
      updates: [],
      shown,
    };
    return creation ? [{ list, slot, creation }] : [];
  });
}

function singletonRole({ method, path }: Operation, { operations }: Contract): Role {
  const kind = SINGLETON_KINDS[method];
  const isReadable = operations.some(
    (other) => other.method === 'GET' && anonymous(other.path) === anonymous(path),
  );
  return kind && isReadable ? { kind } : { kind: 'stateless' };
}
