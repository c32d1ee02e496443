import { isObject } from '../document.ts';

/** Keywords whose values are data of the API. */
const DATA = new Set(['example', 'examples', 'default', 'const', 'enum']);

/** Keywords whose members have names from the contract, such as `default`. */
const NAMED = new Set([
  ...['properties', 'patternProperties', '$defs', 'dependentSchemas', 'paths'],
  ...['schemas', 'parameters', 'responses', 'headers', 'requestBodies', 'callbacks', 'links', 'content'],
]);

/** A member of a part of a document. */
export interface Member {
  name: string;
  value: unknown;
  /** Whether the names of its own members are not keywords. */
  isNamed: boolean;
}

/** Returns the members of a part of a document, except data of the API and extensions. */
export function membersOf(part: object, isNamed: boolean): Member[] {
  return Object.entries(part).flatMap(([name, value]) => {
    if (!isNamed && (DATA.has(name) || name.startsWith('x-'))) {
      return [];
    }
    return [{ name, value, isNamed: !isNamed && NAMED.has(name) && isObject(value) }];
  });
}
