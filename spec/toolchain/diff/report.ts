import type { ApprovalResult } from './approvals.ts';
import { listed } from './canonical.ts';
import type { Change } from './change.ts';
import { type Entry, entriesOf, sectionsOf } from './collapse.ts';
import type { Level } from './rule.ts';
import { ruleOf } from './rules.ts';

const NO_CHANGES = 'No changes that affect clients or servers.';

/** Result of comparing two documents. */
export interface Comparison {
  /** Documents as specified by the user, with their releases. */
  base: { name: string; release: string };
  head: { name: string; release: string };
  changes: readonly Change[];
  approvalResult: ApprovalResult;
}

/** Output format. */
export type Format = 'text' | 'markdown' | 'json' | 'changelog';

/** Formatters of a comparison. Their texts end without a line feed. */
export const formats: Readonly<Record<Format, (comparison: Comparison) => string>> = {
  text: formatText,
  markdown: formatMarkdown,
  json: formatJson,
  changelog: formatChangelog,
};

/** Returns the breaking changes that are not approved. */
export function unapproved({ changes, approvalResult }: Comparison): Change[] {
  return changes.filter((change) => change.level === 'breaking' && !approvalResult.approved.has(change));
}

function formatJson({ changes }: Comparison): string {
  const rows = changes.map(({ operation, location, message, level, affects }) => ({
    operation,
    location,
    // Previous name of `location`, for existing scripts.
    where: location,
    message,
    level,
    affects,
  }));
  return JSON.stringify({ changes: rows }, null, 2);
}

function summary(comparison: Comparison): string {
  const { changes, approvalResult } = comparison;
  if (changes.length === 0) {
    return NO_CHANGES;
  }
  const count = (level: Level) => changes.filter((change) => change.level === level).length;
  const counts = `${count('breaking')} breaking, ${count('risky')} risky, ${count('safe')} safe`;
  const approved = approvalResult.approved.size;
  return approved === 0 ? `${counts}.` : `${counts}; ${approved} breaking approved.`;
}

function formatText(comparison: Comparison): string {
  const { base, head, changes, approvalResult } = comparison;
  const lines = [`${base.name} (${base.release}) → ${head.name} (${head.release})`, summary(comparison)];
  for (const { title, entries } of sectionsOf(changes)) {
    lines.push('', title);
    for (const entry of entries) {
      const { change, operations, locations } = entry;
      const { why, alternative } = ruleOf(change.rule);
      const reasons = reasonsOf(entry, approvalResult);
      lines.push(`  ${heading(entry, approvalResult)}  ${listed(locations, 4)}`, `    ${change.message}`);
      if (operations.length > 1) {
        lines.push(`    In: ${listed(operations, 12)}`);
      }
      lines.push(`    Why: ${why}`);
      if (reasons.length > 0) {
        lines.push(`    Approved: ${reasons.join(' / ')}`);
      } else if (alternative) {
        lines.push(`    Compatible alternative: ${alternative}`);
      }
    }
  }
  return lines.join('\n');
}

/** Formats `breaking for clients`, with `approved` or the number of approved changes. */
function heading({ change, all }: Entry, { approved }: ApprovalResult): string {
  const affected = change.affects === 'both' ? 'clients and servers' : change.affects;
  const level = `${change.level} for ${affected}`;
  if (change.level !== 'breaking') {
    return level;
  }
  const count = all.filter((change) => approved.has(change)).length;
  return count === 0
    ? level
    : count === all.length
      ? `${level}, approved`
      : `${level}, ${count} of ${all.length} approved`;
}

/** Returns the reasons of the approvals if all changes of an entry are approved. */
function reasonsOf({ all }: Entry, { approved }: ApprovalResult): string[] {
  const reasons = all.map((change) => approved.get(change)?.reason);
  return reasons.every((reason) => reason !== undefined) ? [...new Set(reasons)] : [];
}

function formatMarkdown(comparison: Comparison): string {
  const { base, head, changes, approvalResult } = comparison;
  const lines = [
    `## Contract: ${escapeText(base.release)} → ${escapeText(head.release)}`,
    '',
    summary(comparison),
  ];
  for (const { title, entries } of sectionsOf(changes)) {
    lines.push('', `### ${escapeText(title)}`, '');
    for (const entry of entries) {
      const { change, operations, locations } = entry;
      const { why, alternative } = ruleOf(change.rule);
      const reasons = reasonsOf(entry, approvalResult);
      lines.push(
        `- **${heading(entry, approvalResult)}**, ${listed(locations.map(code), 4)}: ${escapeText(change.message)}`,
      );
      if (operations.length > 1) {
        lines.push(`  In ${listed(operations.map(code), 12)}.`);
      }
      lines.push(`  *Why:* ${why}`);
      if (reasons.length > 0) {
        lines.push(`  *Approved:* ${escapeText(reasons.join(' / '))}`);
      } else if (alternative) {
        lines.push(`  *Compatible alternative:* ${alternative}`);
      }
    }
  }
  return lines.join('\n');
}

function formatChangelog({ head, changes, approvalResult }: Comparison): string {
  const lines = [`## ${escapeText(head.release)}`];
  const titles: Record<Level, string> = { breaking: 'Breaking', risky: 'Risky', safe: 'Compatible' };
  for (const level of ['breaking', 'risky', 'safe'] as const) {
    const entries = entriesOf(changes.filter((change) => change.level === level));
    if (entries.length === 0) {
      continue;
    }
    lines.push('', `### ${titles[level]}`, '');
    for (const entry of entries) {
      const { change, operations, locations } = entry;
      const prefix = change.operation === '*' ? '' : `${listed(operations.map(code), 12)}, `;
      const reasons = reasonsOf(entry, approvalResult);
      const reason = reasons.length > 0 ? ` ${escapeText(reasons.join(' / '))}` : '';
      lines.push(`- ${prefix}${listed(locations.map(code), 4)}: ${escapeText(change.message)}${reason}`);
    }
  }
  if (changes.length === 0) {
    lines.push('', NO_CHANGES);
  }
  return lines.join('\n');
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function escapeText(text: string): string {
  return text.replace(/[\\`*_[\]<>|#]/g, '\\$&').replaceAll('\n', ' ');
}
