import type { Contract, Operation, Parameter } from '../contract/contract.ts';
import type { Schema } from '../schema/schema.ts';
import { anonymous, nounOf, parametersOf, singular, wordsOf } from './names.ts';
import type { Shapes } from './shapes.ts';

/** Path parameter that identifies an entity: `/orgs/{organizationId}/teams/{teamId}`. */
export interface Slot {
  /** Path template up to and including the parameter. */
  path: string;
  /** Path template without parameter names. Paths that differ only in names share a slot. */
  key: string;
  parameter: Parameter;
  /** Kind of entity: `team`. Slots with the same noun accept the same values. */
  noun: string;
  /** Preceding slots of the path in order. */
  owners: readonly Slot[];
  /** Path template without the last segment. */
  collection: string;
  /** Operations on the entity itself. */
  read: Operation | undefined;
  remove: Operation | undefined;
  /** PATCH and PUT. */
  updates: readonly Operation[];
  /** Schema of the entity in responses. */
  shown: Schema | undefined;
  /** Field that identifies the entity, if another parameter also identifies it: `path` for `pagePath` beside `pageId`. */
  alternative?: string;
}

/** Returns whether no operation deletes an entity of a slot, nor one that contains it. */
export const isPermanent = ({ remove, owners }: Slot): boolean =>
  remove === undefined && owners.every(isPermanent);

/** Returns the slots of all paths of a contract by key. */
export function findSlots(contract: Contract, shapes: Shapes): ReadonlyMap<string, Slot> {
  const slots = new Map<string, Slot>();
  const generic = genericNames(contract);
  for (const operation of contract.operations) {
    slotsOf(operation, contract, shapes, slots, generic);
  }
  for (const slot of slots.values()) {
    const component = shapes.component(slot.shown);
    const other = [...slots.values()].find(
      ({ noun, shown }) => slot.noun.startsWith(`${noun} `) && shapes.component(shown) === component,
    );
    if (component !== undefined && other) {
      slot.alternative = slot.noun.slice(other.noun.length + 1);
    }
  }
  return slots;
}

/** Returns parameter names that follow different collections and so identify no kind of entity: `id`, `number`. */
function genericNames(contract: Contract): ReadonlySet<string> {
  const collections = new Map<string, Set<string>>();
  for (const { path } of contract.operations) {
    for (const { name, before } of positions(path)) {
      const nouns = collections.get(name) ?? new Set();
      collections.set(name, nouns.add(singular(wordsOf(before).at(-1) ?? '')));
    }
  }
  return new Set(
    [...collections].filter(([name, all]) => nounOf(name) === '' && all.size > 0).map(([name]) => name),
  );
}

function positions(path: string): { name: string; before: string; upTo: string }[] {
  const segments = path.split('/');
  return segments.flatMap((segment, at) =>
    parametersOf(segment).map((name) => ({
      name,
      before: segments[at - 1] ?? '',
      upTo: segments.slice(0, at + 1).join('/'),
    })),
  );
}

function slotsOf(
  operation: Operation,
  contract: Contract,
  shapes: Shapes,
  slots: Map<string, Slot>,
  generic: ReadonlySet<string>,
): void {
  const owners: Slot[] = [];
  for (const { name, before, upTo } of positions(operation.path)) {
    const parameter = operation.parameters.find(
      (candidate) => candidate.in === 'path' && candidate.name === name,
    );
    if (!parameter) {
      continue;
    }
    const key = anonymous(upTo);
    let slot = slots.get(key);
    if (!slot) {
      const on = contract.operations.filter(({ path }) => anonymous(path) === key);
      const read = on.find(({ method }) => method === 'GET');
      const updates = on.filter(({ method }) => method === 'PATCH' || method === 'PUT');
      // The operations on the entity itself declare its identifier; those of its descendants may name it differently.
      const own = [read, ...on].flatMap((candidate) => (candidate ? declarationOf(candidate) : []))[0];
      const declared = own ?? { path: upTo, parameter };
      const ownName = declared.parameter.name;
      const noun = generic.has(ownName) ? nounOf(before) || singular(before) : nounOf(ownName);
      const showing = [read, ...updates].flatMap((candidate) =>
        candidate ? shapes.successes(candidate) : [],
      );
      slot = {
        ...declared,
        key,
        noun,
        owners: [...owners],
        collection: declared.path.slice(0, declared.path.lastIndexOf('/')),
        read,
        remove: on.find(({ method }) => method === 'DELETE'),
        updates,
        shown: showing[0] && (shapes.entity(showing[0].schema, noun)?.schema ?? showing[0].schema),
      };
      slots.set(key, slot);
    }
    owners.push(slot);
  }
}

/** Returns the path of an operation on an entity with the parameter that identifies the entity. */
function declarationOf({ path, parameters }: Operation): Pick<Slot, 'path' | 'parameter'>[] {
  const name = parametersOf(path).at(-1);
  const parameter = parameters.find((candidate) => candidate.in === 'path' && candidate.name === name);
  return parameter ? [{ path, parameter }] : [];
}
