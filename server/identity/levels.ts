import type { components } from '../../generated/schema.d.ts';

/** Level of a member in an organization, or on a space or a collection. */
export type Role = components['schemas']['Role'];

/** Levels in ascending order. Each includes the levels before it. */
const LEVELS = ['read', 'comment', 'edit', 'review', 'create', 'admin'] as const satisfies Role[];

/** Returns whether a level includes a required one. No level (a guest without a grant) includes none. */
export function includesLevel(level: Role | undefined, required: Role): boolean {
  return level !== undefined && LEVELS.indexOf(level) >= LEVELS.indexOf(required);
}

/** Returns the highest of some levels, or undefined if there is none. */
export function highestLevel(levels: readonly (Role | undefined)[]): Role | undefined {
  return levels.reduce(
    (best, level) => (level && (!best || includesLevel(level, best)) ? level : best),
    undefined,
  );
}
