import type { Judgement } from './approvals.ts';
import { listed } from './canonical.ts';
import type { Change } from './change.ts';
import { type Entry, entriesOf, sectionsOf } from './collapse.ts';
import type { Level } from './rule.ts';
import { ruleOf } from './rules.ts';

/** What a report is made of. */
export interface Comparison {
  /** What was compared, as the person who asked calls it, with the releases they are of. */
  base: { name: string; release: string };
  head: { name: string; release: string };
  changes: readonly Change[];
  judgement: Judgement;
}

/** How a comparison is written. */
export type Format = 'text' | 'markdown' | 'json' | 'changelog';

/** Every way to write a comparison. Each text ends without a line feed. */
export const formats: Readonly<Record<Format, (comparison: Comparison) => string>> = {
  text: formatText,
  markdown: formatMarkdown,
  json: formatJson,
  changelog: formatChangelog,
};

/** What breaks somebody and is not approved. */
export function unapproved({ changes, judgement }: Comparison): Change[] {
  return changes.filter((change) => change.level === 'breaking' && !judgement.approved.has(change));
}

function formatJson({ changes }: Comparison): string {
  const rows = changes.map(({ operation, where, message, level, affects }) => ({
    operation,
    where,
    message,
    level,
    affects,
  }));
  return JSON.stringify({ changes: rows }, null, 2);
}

function summary(comparison: Comparison): string {
  const { changes, judgement } = comparison;
  if (changes.length === 0) return 'Nothing changed that a client or a server could notice.';
  const count = (level: Level) => changes.filter((change) => change.level === level).length;
  const counts = `${count('breaking')} breaking, ${count('risky')} risky, ${count('safe')} safe`;
  const approved = judgement.approved.size;
  return approved === 0 ? `${counts}.` : `${counts}; ${approved} of the breaking ones approved.`;
}

function formatText(comparison: Comparison): string {
  const { base, head, changes, judgement } = comparison;
  const lines = [`${base.name} (${base.release}) → ${head.name} (${head.release})`, summary(comparison)];
  for (const { title, entries } of sectionsOf(changes)) {
    lines.push('', title);
    for (const entry of entries) {
      const { change, operations, wheres } = entry;
      const { why, mend } = ruleOf(change.rule);
      const reasons = reasonsOf(entry, judgement);
      lines.push(`  ${heading(entry, judgement)}  ${listed(wheres, 4)}`, `    ${change.message}`);
      if (operations.length > 1) lines.push(`    In: ${listed(operations, 12)}`);
      lines.push(`    Why: ${why}`);
      if (reasons.length > 0) lines.push(`    Approved: ${reasons.join(' / ')}`);
      else if (mend) lines.push(`    Compatibly: ${mend}`);
    }
  }
  return lines.join('\n');
}

/** `breaking for clients`, or `breaking for clients, approved` when all of it is. */
function heading({ change, all }: Entry, { approved }: Judgement): string {
  const whom = change.affects === 'both' ? 'clients and servers' : change.affects;
  const level = `${change.level} for ${whom}`;
  if (change.level !== 'breaking') return level;
  const count = all.filter((one) => approved.has(one)).length;
  return count === 0
    ? level
    : count === all.length
      ? `${level}, approved`
      : `${level}, ${count} of ${all.length} approved`;
}

/** The reasons of the approvals, when all of an entry is approved. */
function reasonsOf({ all }: Entry, { approved }: Judgement): string[] {
  const found = all.map((change) => approved.get(change)?.reason);
  return found.every((reason) => reason !== undefined) ? [...new Set(found)] : [];
}

function formatMarkdown(comparison: Comparison): string {
  const { base, head, changes, judgement } = comparison;
  const lines = [
    `## Contract: ${escapeText(base.release)} → ${escapeText(head.release)}`,
    '',
    summary(comparison),
  ];
  for (const { title, entries } of sectionsOf(changes)) {
    lines.push('', `### ${escapeText(title)}`, '');
    for (const entry of entries) {
      const { change, operations, wheres } = entry;
      const { why, mend } = ruleOf(change.rule);
      const reasons = reasonsOf(entry, judgement);
      lines.push(
        `- **${heading(entry, judgement)}**, ${listed(wheres.map(code), 4)}: ${escapeText(change.message)}`,
      );
      if (operations.length > 1) lines.push(`  In ${listed(operations.map(code), 12)}.`);
      lines.push(`  *Why:* ${why}`);
      if (reasons.length > 0) lines.push(`  *Approved:* ${escapeText(reasons.join(' / '))}`);
      else if (mend) lines.push(`  *Compatibly:* ${mend}`);
    }
  }
  return lines.join('\n');
}

function formatChangelog({ head, changes, judgement }: Comparison): string {
  const lines = [`## ${escapeText(head.release)}`];
  const titles: Record<Level, string> = { breaking: 'Breaking', risky: 'To look at', safe: 'Compatible' };
  for (const level of ['breaking', 'risky', 'safe'] as const) {
    const entries = entriesOf(changes.filter((change) => change.level === level));
    if (entries.length === 0) continue;
    lines.push('', `### ${titles[level]}`, '');
    for (const entry of entries) {
      const { change, operations, wheres } = entry;
      const whose = change.operation === '*' ? '' : `${listed(operations.map(code), 12)}, `;
      const reasons = reasonsOf(entry, judgement);
      const reason = reasons.length > 0 ? ` ${escapeText(reasons.join(' / '))}` : '';
      lines.push(`- ${whose}${listed(wheres.map(code), 4)}: ${escapeText(change.message)}${reason}`);
    }
  }
  if (changes.length === 0) lines.push('', 'Nothing changed that a client or a server could notice.');
  return lines.join('\n');
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function escapeText(text: string): string {
  return text.replace(/[\\`*_[\]<>|#]/g, '\\$&').replaceAll('\n', ' ');
}
