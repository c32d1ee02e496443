import type { Origin } from './form/origin.ts';
import type { Affects, Level } from './rules/rule.ts';
import { type RuleId, ruleOf } from './rules/rules.ts';

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
  /** Tags of the operation in both documents. */
  tags: readonly string[];
  /** Component schema that changed, if the change is within one. */
  origin?: Origin;
}

/** Comparison with bounded precision. */
export interface Limitation {
  operation: string;
  /** Tags of the operation in both documents. */
  tags: readonly string[];
  location: string;
  /** Component schema that is compared with bounded precision, if it has a name. */
  origin?: Origin;
  /** What was not compared, and why. */
  message: string;
}

/** Differences between two documents, and where the comparison is less precise. */
export interface Differences {
  changes: Change[];
  limitations: Limitation[];
}

/** Reports a change at a location within the current operation. */
export type ReportChange = (rule: RuleId, location: string, message: string, origin?: Origin) => void;

/** Reports a location with a comparison of bounded precision. */
export type ReportLimitation = (location: string, message: string, origin?: Origin) => void;

/** Creates a change with the level of its rule. */
export function changeOf(
  rule: RuleId,
  properties: Pick<Change, 'operation' | 'endpoint' | 'tags' | 'location' | 'message' | 'origin'>,
): Change {
  const { level, affects } = ruleOf(rule);
  return { ...properties, rule, level, affects };
}

/** Levels in descending order of severity. */
export const LEVELS: readonly Level[] = ['breaking', 'risky', 'safe'];
