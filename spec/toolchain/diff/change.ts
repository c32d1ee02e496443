import type { Affects, Level } from './rule.ts';
import { type RuleId, ruleOf } from './rules.ts';

/** One difference between two documents, and what it means. */
export interface Change {
  /** The operation's id, or `METHOD /path` where it has none; `*` for the document as a whole. */
  operation: string;
  /** The place within the operation: `response 200: items[].kind`. */
  where: string;
  /** What happened, in one sentence. */
  message: string;
  level: Level;
  affects: Affects;
  rule: RuleId;
  /** `METHOD /path` in the base document, or in the head document for what was added. */
  endpoint: string;
}

/** Takes note of one change at a place within the operation at hand. */
export type Tell = (rule: RuleId, where: string, message: string) => void;

/** Makes a change of what a rule says about it. */
export function changeOf(
  rule: RuleId,
  place: Pick<Change, 'operation' | 'endpoint' | 'where' | 'message'>,
): Change {
  const { level, affects } = ruleOf(rule);
  return { ...place, rule, level, affects };
}

/** Levels, the worst first. */
export const levels: readonly Level[] = ['breaking', 'risky', 'safe'];
