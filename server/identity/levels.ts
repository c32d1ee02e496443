import type { components } from '../../generated/schema.d.ts';

/** What a member may do, in an organization or on one thing in it. */
export type Role = components['schemas']['Role'];

/** The levels from least to most: each may do all that the ones before it may. */
export const LEVELS = ['read', 'comment', 'edit', 'review', 'create', 'admin'] as const satisfies Role[];

/** Whether a level reaches a needed one; no level (a guest without a grant) reaches none. */
export function reaches(level: Role | undefined, needed: Role): boolean {
  return level !== undefined && LEVELS.indexOf(level) >= LEVELS.indexOf(needed);
}

/** The highest of some levels, undefined where there is none. */
export function highest(levels: readonly (Role | undefined)[]): Role | undefined {
  return levels.reduce((best, level) => (level && (!best || reaches(level, best)) ? level : best), undefined);
}
