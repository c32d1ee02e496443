/** Conditions of the parts of pages in the search index. */
import { type Claims, holds } from './conditions.ts';
import type { PageVariables } from './markdown.ts';
import type { ConditionalPart } from './visible-text.ts';

/** Conditions of a text, and the variables that they may read. */
interface StoredConditions {
  conditions: readonly string[];
  variables?: PageVariables;
}

/** Serializes the conditions of a part; null if it has none. */
export function writeConditions({ conditions }: ConditionalPart, variables: PageVariables): string | null {
  if (conditions.length === 0) {
    return null;
  }
  // Otherwise the parts of different pages have equal conditions.
  const stored: StoredConditions = conditions.some((condition) => condition.includes('vars'))
    ? { conditions, variables }
    : { conditions };
  return JSON.stringify(stored);
}

/** Returns whether conditions that {@link writeConditions} serialized hold for a visitor. */
export function conditionsHold(stored: string, claims: Claims): boolean {
  // Only writeConditions writes these texts.
  const { conditions, variables } = JSON.parse(stored) as StoredConditions;
  return conditions.every((condition) => holds(condition, claims, variables));
}
