/** Divides pages by the conditions under which visitors see their blocks. */
import type { Block } from '../markdown/document.ts';
import { parseOnce, printMarkdown } from '../markdown/markdown.ts';
import type { PageVariables } from './markdown.ts';
import { type Claims, holds, isCondition, withoutHiddenSource } from './visible-blocks.ts';

/** The text that visitors see under the same conditions, all of which have to hold. */
export interface ConditionalPart {
  conditions: readonly string[];
  markdown: string;
}

/**
 * Divides a text whose expressions were replaced with their values. The first part is unconditional. A source with
 * conditions that is kept verbatim, because it exceeds a limit, is in no part.
 */
export function conditionalParts(markdown: string): ConditionalPart[] {
  const { nodes, ...document } = parseOnce(markdown);
  return divided(nodes, []).map(({ conditions, nodes: blocks }) => ({
    conditions,
    markdown: printMarkdown({ ...document, nodes: blocks }),
  }));
}

/** Returns blocks without those that have a condition, and then the latter with theirs, at any depth. */
function divided(
  nodes: readonly Block[],
  conditions: readonly string[],
): Array<{ conditions: readonly string[]; nodes: Block[] }> {
  const conditional: ReturnType<typeof divided> = [];
  const unconditional = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.flatMap((item) => {
        if (!isCondition(item)) {
          return [unconditional(withoutHiddenSource(item))];
        }
        conditional.push(...divided(item.nodes, [...conditions, item.data.expression]));
        return [];
      });
    }
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unconditional(member)]))
      : value;
  };
  // Only removes blocks from lists, so that the others keep their types.
  const remaining = unconditional(nodes) as Block[];
  return [{ conditions, nodes: remaining }, ...conditional];
}

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
