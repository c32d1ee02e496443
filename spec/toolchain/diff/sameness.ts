import { isDeepStrictEqual } from 'node:util';
import { unescapeFragmentToken } from '../../../server/contract/json-values.ts';
import { isObject, type Json, type JsonObject } from '../document.ts';
import type { Source } from '../source.ts';
import type { Schema } from './form/form.ts';
import { type Inheritance, inheritancesOf } from './form/inheritance.ts';
import type { ListedOperation } from './operations/operation-list.ts';

/** Keywords with schemas by name as their value. */
export const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
]);
/** Keywords with a list of schemas as their value. */
export const SCHEMA_LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
/** Keywords with a schema as their value. */
export const SCHEMA_VALUES: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
]);
const TEXT_MEMBERS = new Set(['title', 'description', 'summary', 'example', 'examples', 'externalDocs']);

const COMPONENT_PREFIX = '#/components/';

/** Whether parts of two documents are written identically. Most parts of two releases are. */
export interface Sameness {
  /** Whether two schemas are, apart from texts. Their meaning need not be compared then. */
  isSameSchema(base: Schema, head: Schema): boolean;
  /** Whether two operations are, including all texts, security, and what they refer to. */
  isSameOperation(base: ListedOperation, head: ListedOperation): boolean;
}

/** Whether both documents have the same component, such as `schemas/Space`. */
type IsSameComponent = (name: string) => boolean;

/** Compares how two documents are written. */
export function createSameness(base: Source, head: Source): Sameness {
  if (dialectOf(base) !== dialectOf(head)) {
    return { isSameSchema: () => false, isSameOperation: () => false };
  }
  const different = differentComponents(
    componentsOf(base),
    componentsOf(head),
    inheritancesOf(base),
    inheritancesOf(head),
  );
  const isSameComponent = (name: string) => !different.has(name);
  const isSameSecurity = isDeepStrictEqual(securityOf(base), securityOf(head));
  return {
    isSameSchema: (one, other) => isSame(one, other, isSameComponent),
    isSameOperation: (one, other) =>
      isSameSecurity &&
      one.endpoint === other.endpoint &&
      isDeepStrictEqual(one.servers, other.servers) &&
      isIdentical(one.operation, other.operation, isSameComponent) &&
      isIdentical(one.parameters, other.parameters, isSameComponent),
  };
}

/** Components that are written differently, or that refer to one that is. */
function differentComponents(
  before: Map<string, Json>,
  after: Map<string, Json>,
  heirsBefore: ReadonlyMap<string, Inheritance>,
  heirsAfter: ReadonlyMap<string, Inheritance>,
): Set<string> {
  const different = new Set<string>();
  const users = new Map<string, string[]>();
  for (const [name, component] of before) {
    const other = after.get(name);
    const isSameComponent = (used: string) => {
      const names = users.get(used);
      if (names === undefined) {
        users.set(used, [name]);
      } else {
        names.push(name);
      }
      return before.has(used) && after.has(used);
    };
    const compare = name.startsWith('schemas/') ? isSame : isIdentical;
    if (other === undefined || !compare(component, other, isSameComponent)) {
      different.add(name);
    }
  }
  // A schema that others inherit from means them as well.
  for (const name of new Set([...heirsBefore.keys(), ...heirsAfter.keys()])) {
    const [one, other] = [heirsBefore.get(name), heirsAfter.get(name)];
    if (!isDeepStrictEqual(one, other)) {
      different.add(`schemas/${name}`);
    }
    for (const member of [...(one?.members ?? []), ...(other?.members ?? [])]) {
      const used = `schemas/${member.name}`;
      users.set(used, [...(users.get(used) ?? []), `schemas/${name}`]);
    }
  }
  for (const name of different) {
    for (const user of users.get(name) ?? []) {
      different.add(user);
    }
  }
  return different;
}

/** Whether values are equal, and the same components are behind their references. */
function isIdentical(base: Json, head: Json, isSameComponent: IsSameComponent): boolean {
  if (Array.isArray(base) && Array.isArray(head)) {
    return (
      base.length === head.length &&
      base.every((item, index) => isIdentical(item, head[index] ?? null, isSameComponent))
    );
  }
  if (!isObject(base) || !isObject(head)) {
    return base === head;
  }
  return everyMember(base, head, isKey, (key, one, other) =>
    key === '$ref' && typeof one === 'string'
      ? one === other && isSameReference(one, isSameComponent)
      : isIdentical(one, other, isSameComponent),
  );
}

const isKey = () => true;

/** Whether two objects have the same relevant keys, and all of their values pass a test. Creates no lists of keys. */
function everyMember(
  base: JsonObject,
  head: JsonObject,
  isRelevantKey: (key: string) => boolean,
  test: (key: string, one: Json, other: Json) => boolean,
): boolean {
  let count = 0;
  for (const key in head) {
    count += isRelevantKey(key) ? 1 : 0;
  }
  for (const key in base) {
    if (!isRelevantKey(key)) {
      continue;
    }
    count -= 1;
    const [one, other] = [base[key], Object.hasOwn(head, key) ? head[key] : undefined];
    if (one === undefined || other === undefined || !test(key, one, other)) {
      return false;
    }
  }
  return count === 0;
}

/** @param isSameComponent whether both documents have the same component of a name */
function isSame(base: Json, head: Json, isSameComponent: IsSameComponent): boolean {
  if (!isObject(base) || !isObject(head)) {
    return base === head;
  }
  return everyMember(base, head, isRelevant, (key, one, other) => {
    if (key === '$ref') {
      return one === other && typeof one === 'string' && isSameReference(one, isSameComponent);
    }
    if (SCHEMA_VALUES.has(key)) {
      return isSame(one, other, isSameComponent);
    }
    if (SCHEMA_LISTS.has(key)) {
      return isSameList(one, other, isSameComponent);
    }
    if (SCHEMA_MAPS.has(key)) {
      return isSameMap(one, other, isSameComponent);
    }
    return one === other || isDeepStrictEqual(one, other);
  });
}

function isSameList(base: Json, head: Json, isSameComponent: IsSameComponent): boolean {
  return (
    Array.isArray(base) &&
    Array.isArray(head) &&
    base.length === head.length &&
    base.every((schema, index) => isSame(schema, head[index] ?? true, isSameComponent))
  );
}

function isSameMap(base: Json, head: Json, isSameComponent: IsSameComponent): boolean {
  if (!isObject(base) || !isObject(head)) {
    return false;
  }
  return everyMember(base, head, isKey, (_, one, other) => isSame(one, other, isSameComponent));
}

/** References to other locations than components are followed by the comparison of meanings. */
function isSameReference(reference: string, isSameComponent: IsSameComponent): boolean {
  let name = componentNames.get(reference);
  if (name === undefined) {
    name = componentNameOf(reference);
    componentNames.set(reference, name);
  }
  return name !== '' && isSameComponent(name);
}

/** Component names by reference; empty for other locations. */
const componentNames = new Map<string, string>();

function componentNameOf(reference: string): string {
  const [group, name, ...more] = reference.startsWith(COMPONENT_PREFIX)
    ? reference.slice(COMPONENT_PREFIX.length).split('/')
    : [];
  return name === undefined || more.length > 0 ? '' : `${group}/${unescapeFragmentToken(name)}`;
}

function isRelevant(key: string): boolean {
  return !TEXT_MEMBERS.has(key) && !key.startsWith('x-');
}

/** Components by group and name. */
function componentsOf({ root: { components } }: Source): Map<string, Json> {
  return new Map(
    Object.entries(isObject(components) ? components : {}).flatMap(([group, named]) =>
      Object.entries(isObject(named) ? named : {}).map(([name, component]): [string, Json] => [
        `${group}/${name}`,
        component,
      ]),
    ),
  );
}

function securityOf({ root: { components, security } }: Source): Json[] {
  return [security ?? null, (isObject(components) && components.securitySchemes) || null];
}

function dialectOf({ root }: Source): string {
  return String(root.openapi).slice(0, 3);
}
