import type { Json, JsonObject } from '../document.ts';
import type { Path } from './json-text.ts';

/** Where a value is: in a member or item of an object or list. */
export interface At {
  holder: JsonObject | Json[];
  step: string | number;
  parent: At | undefined;
}

/** Returns the objects around a value, outermost first, and the steps between them. */
export function pathOf(at: At | undefined): { holders: object[]; steps: Path } {
  const holders: object[] = [];
  const steps: (string | number)[] = [];
  for (let next = at; next; next = next.parent) {
    holders.unshift(next.holder);
    steps.unshift(next.step);
  }
  return { holders, steps };
}

/** Marks an item of a list that is ignored, until the list is complete. No document contains a symbol. */
export const REMOVED = Symbol('removed') as unknown as Json;

/** Returns the value at a position. */
export function valueAt({ holder, step }: At): Json {
  // A list has only numeric steps, and a step exists.
  return (holder as JsonObject)[step] as Json;
}

/** Replaces the value at a position. */
export function replace({ holder, step }: At, value: Json): void {
  (holder as JsonObject)[step] = value;
}

/** Removes the value at a position. An item of a list is replaced by {@link REMOVED}. */
export function remove(at: At): void {
  if (Array.isArray(at.holder)) {
    replace(at, REMOVED);
  } else {
    delete at.holder[at.step];
  }
}
