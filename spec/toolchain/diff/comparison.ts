import type { ApprovalResult } from './approvals.ts';
import { type Change, LEVELS, type Limitation } from './change.ts';
import type { Level } from './rules/rule.ts';

/** Result of comparing two documents. */
export interface Comparison {
  /** Documents as specified by the user, with their releases. */
  base: { name: string; release: string };
  head: { name: string; release: string };
  changes: readonly Change[];
  /** Where the comparison is less precise. */
  limitations: readonly Limitation[];
  approvalResult: ApprovalResult;
  /** Number of changes that a filter omits from the report. */
  omitted: number;
}

/** Returns the changes of at least a severity that are not approved. */
export function unapproved({ changes, approvalResult }: Comparison, from: Level = 'breaking'): Change[] {
  return changes.filter(
    (change) => LEVELS.indexOf(change.level) <= LEVELS.indexOf(from) && !approvalResult.approved.has(change),
  );
}
