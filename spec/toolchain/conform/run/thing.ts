import type { Value } from '../plan/plan.ts';
import type { Slot } from '../plan/slots.ts';

/** Something that a session made, or found within what it made. */
export interface Thing {
  slot: Slot;
  /** How steps name it. */
  value: Value;
  /** What stands in paths. */
  text: string;
  /** The number of the event whose answer brought it. */
  maker: number;
  /** The path that made it. */
  madeAt: string;
  /** Its own path, percent-encoded; undefined where its owners are not known. */
  address: string | undefined;
  /** What it belongs to, by noun: everything that the path of its maker names, and what that belongs to. */
  owners: ReadonlyMap<string, Thing>;
  /** What the body of its maker names. */
  uses: readonly Thing[];
  /** Found in a list, not made. */
  found: boolean;
  alive: boolean;
  /** Something happened to it that may have moved or hidden it. */
  altered: boolean;
  /** How many requests changed something about it. */
  wear: number;
}

/** Whether a thing was there before the run, as far as anybody can tell: it is only looked at. */
export function isForeign(thing: Thing): boolean {
  return thing.found && [...thing.owners.values()].every((owner) => owner === thing || isForeign(owner));
}

/** Whether a thing can stand where others stand: what both belong to is the same. */
export function fits(thing: Thing, env: ReadonlyMap<string, Thing>): boolean {
  for (const [noun, owner] of thing.owners) {
    const other = env.get(noun);
    if (other && other.text !== owner.text) return false;
  }
  return true;
}

/** Adds a thing and what it belongs to to what is chosen. */
export function choose(env: Map<string, Thing>, thing: Thing): void {
  for (const [noun, owner] of thing.owners) if (!env.has(noun)) env.set(noun, owner);
  env.set(thing.slot.noun, thing);
}
