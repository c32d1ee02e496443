import type { ApprovalResult } from './approvals.ts';
import { type Change, type Limitation, levels } from './change.ts';
import { formatHtml } from './html-report.ts';
import { formatJson } from './json-report.ts';
import { formatChangelog, formatMarkdown } from './markdown-report.ts';
import type { Level } from './rule.ts';
import { formatText } from './text-report.ts';

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

/** Output format. */
export type Format = 'text' | 'markdown' | 'json' | 'changelog' | 'html';

/** Formatters of a comparison. Their texts end without a line feed. */
export const formats: Readonly<Record<Format, (comparison: Comparison) => string>> = {
  text: formatText,
  markdown: formatMarkdown,
  json: formatJson,
  changelog: formatChangelog,
  html: formatHtml,
};

/** Returns the changes of at least a severity that are not approved. */
export function unapproved({ changes, approvalResult }: Comparison, from: Level = 'breaking'): Change[] {
  return changes.filter(
    (change) => levels.indexOf(change.level) <= levels.indexOf(from) && !approvalResult.approved.has(change),
  );
}
