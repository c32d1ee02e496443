import type { Comparison } from '../comparison.ts';
import { type Entry, entriesOf, limitationEntriesOf, sectionsOf } from '../entries.ts';
import {
  alternativesOf,
  explanationsOf,
  headingOf,
  locationsOf,
  locationsText,
  operationsText,
  reasonsOf,
  summaryOf,
} from './parts.ts';

/** Formats a comparison for a terminal. */
export function formatText(comparison: Comparison): string {
  const { base, head, changes, limitations } = comparison;
  const entries = entriesOf(changes);
  const lines = [
    `${base.name} (${base.release}) → ${head.name} (${head.release})`,
    summaryOf(entries, comparison),
  ];
  for (const section of sectionsOf(entries)) {
    lines.push('', section.title, ...section.entries.flatMap((entry) => entryLines(entry, comparison)));
  }
  const limited = limitationEntriesOf(limitations);
  if (limited.length > 0) {
    lines.push('', 'Compared with less precision');
    for (const { place, message, operations } of limited) {
      lines.push(`  ${place}`, `    ${message}`, `    ${operationsText(operations)}`);
    }
  }
  return lines.join('\n');
}

function entryLines(entry: Entry, { approvalResult }: Comparison): string[] {
  const { message, operations, locations } = entry;
  const lines = [
    `  ${headingOf(entry, approvalResult)}  ${locationsText(locationsOf(entry))}`,
    `    ${message}`,
  ];
  if (operations.length > 1) {
    lines.push(`    ${operationsText(operations)}`);
    if (entry.origin) {
      lines.push(`    At: ${locationsText(locations)}`);
    }
  }
  lines.push(...explanationsOf(entry).map((why) => `    Why: ${why}`));
  const reasons = reasonsOf(entry, approvalResult);
  if (reasons.length > 0) {
    lines.push(`    Approved: ${reasons.join(' / ')}`);
  } else {
    lines.push(...alternativesOf(entry).map((alternative) => `    Fix: ${alternative}`));
  }
  return lines;
}
