import type { Affects, Level } from './rule.ts';
import { type RuleId, ruleOf } from './rules.ts';

/** Difference between two documents. */
export interface Change {
  /** Operation id, or `METHOD /path` without one; `*` for the document as a whole. */
  operation: string;
  /** Location within the operation: `response 200: items[].kind`. */
  location: string;
  /** What happened, in one sentence. */
  message: string;
  level: Level;
  affects: Affects;
  rule: RuleId;
  /** `METHOD /path` in the base document, or in the head document for additions. */
  endpoint: string;
}

/** Reports a change at a location within the current operation. */
export type ReportChange = (rule: RuleId, location: string, message: string) => void;

/** Creates a change with the level of its rule. */
export function changeOf(
  rule: RuleId,
  properties: Pick<Change, 'operation' | 'endpoint' | 'location' | 'message'>,
): Change {
  const { level, affects } = ruleOf(rule);
  return { ...properties, rule, level, affects };
}

/** Levels in descending order of severity. */
export const levels: readonly Level[] = ['breaking', 'risky', 'safe'];
