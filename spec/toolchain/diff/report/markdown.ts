import { listed } from '../../report/text.ts';
import type { Comparison } from '../comparison.ts';
import { type Entry, entriesOf, limitationEntriesOf, sectionsOf } from '../entries.ts';
import type { Level } from '../rules/rule.ts';
import {
  alternativesOf,
  explanationsOf,
  headingOf,
  locationsOf,
  locationsText,
  MAX_LISTED_OPERATIONS,
  operationsText,
  reasonsOf,
  summaryOf,
} from './parts.ts';

/** Formats a comparison for a pull request. */
export function formatMarkdown(comparison: Comparison): string {
  const { base, head, changes, limitations } = comparison;
  const entries = entriesOf(changes);
  const lines = [
    `## Contract: ${escapeText(base.release)} → ${escapeText(head.release)}`,
    '',
    summaryOf(entries, comparison),
  ];
  for (const section of sectionsOf(entries)) {
    lines.push('', `### ${escapeText(section.title)}`, '');
    lines.push(...section.entries.flatMap((entry) => entryLines(entry, comparison)));
  }
  const limited = limitationEntriesOf(limitations);
  if (limited.length > 0) {
    lines.push('', '### Compared with less precision', '');
    for (const { place, message, operations } of limited) {
      lines.push(`- ${code(place)}: ${escapeText(message)} ${operationsText(operations, code)}.`);
    }
  }
  return lines.join('\n');
}

function entryLines(entry: Entry, { approvalResult }: Comparison): string[] {
  const places = locationsText(locationsOf(entry).map(code));
  const lines = [`- **${headingOf(entry, approvalResult)}**, ${places}: ${escapeText(entry.message)}`];
  if (entry.operations.length > 1) {
    lines.push(`  ${operationsText(entry.operations, code)}.`);
  }
  lines.push(...explanationsOf(entry).map((why) => `  *Why:* ${why}`));
  const reasons = reasonsOf(entry, approvalResult);
  if (reasons.length > 0) {
    lines.push(`  *Approved:* ${escapeText(reasons.join(' / '))}`);
  } else {
    lines.push(...alternativesOf(entry).map((alternative) => `  *Fix:* ${alternative}`));
  }
  return lines;
}

/** Formats a comparison as the section of a changelog. */
export function formatChangelog(comparison: Comparison): string {
  const { head, changes, approvalResult } = comparison;
  const lines = [`## ${escapeText(head.release)}`];
  const titles: Record<Level, string> = { breaking: 'Breaking', risky: 'Risky', safe: 'Compatible' };
  const entries = entriesOf(changes);
  for (const level of ['breaking', 'risky', 'safe'] as const) {
    const ofLevel = entries.filter(({ change }) => change.level === level);
    if (ofLevel.length === 0) {
      continue;
    }
    lines.push('', `### ${titles[level]}`, '');
    for (const entry of ofLevel) {
      const operations = listed(entry.operations.map(code), MAX_LISTED_OPERATIONS);
      const prefix = entry.change.operation === '*' ? '' : `${operations}, `;
      const places = locationsText(locationsOf(entry).map(code));
      const reasons = reasonsOf(entry, approvalResult);
      const reason = reasons.length > 0 ? ` ${escapeText(reasons.join(' / '))}` : '';
      lines.push(`- ${prefix}${places}: ${escapeText(entry.message)}${reason}`);
    }
  }
  if (changes.length === 0) {
    lines.push('', summaryOf(entries, comparison));
  }
  return lines.join('\n');
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function escapeText(text: string): string {
  return text.replace(/[\\`*_[\]<>|#]/g, '\\$&').replaceAll('\n', ' ');
}
