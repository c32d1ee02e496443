import type { SummaryEntry } from '../read/summary.ts';

/** An entry of an existing table of contents, with its lines. */
export interface SourceEntry {
  entry: SummaryEntry;
  /** A list item, a heading, text outside lists, or another entry on the line of the previous one. */
  kind: 'item' | 'heading' | 'paragraph' | 'attached';
  /** White space before the marker of an item. */
  indent: string;
  /** The bullet or number of an item, and the spaces after it. */
  marker: string;
  /** Lines between the previous entry and this one, retained as they are. */
  lead: string[];
  /** Lines of the entry, without its children. */
  lines: string[];
  /** Lines of its first children as far as the reader ignores them, such as links to headings of the same page. */
  ignored: string[];
  children: SourceEntry[];
}

/** An existing table of contents in lines. */
export interface SummarySource {
  entries: SourceEntry[];
  /** Lines after the last entry. */
  tail: string[];
}

const ITEM_PATTERN = /^([\s\u200B-\u200D\u2060\uFEFF]*)((?:[*+-]|\d{1,9}[.)])(?:[ \t]+|$))/;
const HEADING_PATTERN = /^ {0,3}#{1,6}(?=[ \t]|$)/;
const UNDERLINE_PATTERN = /^ {0,3}(?:=+|-+)[ \t]*$/;
const BREAK_PATTERN = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const FENCE_PATTERN = /^[ \t]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})/;

/** Whether a line is a thematic break, which ends a group. */
export function isBreak(line: string): boolean {
  return BREAK_PATTERN.test(line);
}

/** Whether a line is empty or white space. */
export function isBlank(line: string): boolean {
  return line.trim() === '';
}

/** Returns the width of white space or a marker in columns; a tab counts as four. */
export function columnsOf(text: string): number {
  return Array.from(text).reduce((columns, character) => columns + (character === '\t' ? 4 : 1), 0);
}

/**
 * Divides a table of contents into its entries and the lines between them.
 *
 * @param lines of the whole file
 * @param offset number of lines before the text that the entries were read from
 * @returns undefined if the entries are not in the order of their lines
 */
export function divideSummary(
  lines: readonly string[],
  entries: readonly SummaryEntry[],
  offset: number,
): SummarySource | undefined {
  const starts = [...flatten(entries)].map(({ line }) => line - 1 + offset);
  if (starts.some((start, at) => start < (starts[at - 1] ?? 0) || start >= lines.length)) {
    return undefined;
  }
  let at = -1;
  let position = 0;
  const divide = (entry: SummaryEntry): SourceEntry => {
    at += 1;
    const start = starts[at] ?? 0;
    const isAttached = start === starts[at - 1];
    let later = at + 1;
    while (starts[later] === start) {
      later += 1;
    }
    const next = starts[later] ?? lines.length;
    const end = isAttached ? position : endOf(lines, start, next);
    const lead = isAttached ? [] : lines.slice(position, start);
    position = end;
    return {
      entry,
      ...formOf(lines, start, isAttached),
      lead,
      lines: isAttached ? [] : lines.slice(start, end),
      ignored: [],
      children: entry.entries.map(divide),
    };
  };
  const divided = entries.map(divide);
  return { entries: divided, tail: lines.slice(position) };
}

/** Yields entries, each before its descendants. */
function* flatten(entries: readonly SummaryEntry[]): Generator<SummaryEntry> {
  for (const entry of entries) {
    yield entry;
    yield* flatten(entry.entries);
  }
}

function formOf(
  lines: readonly string[],
  start: number,
  isAttached: boolean,
): Pick<SourceEntry, 'kind' | 'indent' | 'marker'> {
  const line = lines[start] ?? '';
  const [, indent = '', marker = ''] = ITEM_PATTERN.exec(line) ?? [];
  if (isAttached) {
    return { kind: 'attached', indent, marker };
  }
  if (marker !== '') {
    return { kind: 'item', indent, marker: /\s$/.test(marker) ? marker : `${marker} ` };
  }
  const isHeading = HEADING_PATTERN.test(line) || UNDERLINE_PATTERN.test(lines[start + 1] ?? '');
  return { kind: isHeading ? 'heading' : 'paragraph', indent: '', marker: '' };
}

/**
 * Returns the end of an entry that starts on a line: with an item belong the lines that continue it, and those below
 * it that are indented more than its marker.
 */
function endOf(lines: readonly string[], start: number, next: number): number {
  const line = lines[start] ?? '';
  const item = ITEM_PATTERN.exec(line);
  if (item === null) {
    const isUnderlined = !HEADING_PATTERN.test(line) && UNDERLINE_PATTERN.test(lines[start + 1] ?? '');
    return Math.min(next, start + (isUnderlined ? 2 : 1));
  }
  const column = columnsOf(item[1] ?? '');
  let fence = FENCE_PATTERN.exec(line)?.[1];
  let end = start + 1;
  for (let at = start + 1; at < next; at += 1) {
    const text = lines[at] ?? '';
    if (isBlank(text)) {
      continue;
    }
    const isIndented = columnsOf(/^\s*/.exec(text)?.[0] ?? '') > column;
    const isLazy = at === end && !isBreak(text) && !HEADING_PATTERN.test(text) && !/^\s*[<[]/.test(text);
    if (!isIndented && !isLazy && fence === undefined) {
      break;
    }
    if (fence !== undefined && text.trim().startsWith(fence)) {
      fence = undefined;
    }
    end = at + 1;
  }
  return end;
}
