import type { Definition, ListItem, Nodes, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { Steps } from '../steps.ts';
import { LineScanner } from './line-scanner.ts';
import { listIn, readPlainLines } from './plain-lines.ts';

/** A parsed part of a table of contents. */
export interface SummaryPart {
  nodes: RootContent[];
  /** Number of lines before the part. */
  linesBefore: number;
}

/** A parsed table of contents. */
export interface SummaryParts {
  parts: SummaryPart[];
  /** Targets of link definitions (CommonMark, section 4.7) by identifier. */
  definitions: ReadonlyMap<string, string>;
}

const MIN_PART_LINES = 60;
/** Maximum lines that the parser receives at once; only fenced code and comments of HTML can be longer. */
const MAX_PART_LINES = 500;
const CUT_PATTERN = /^(?:#{1,6} |[*+-] \S)/;
const ITEM_PATTERN = /^( *)(?:[*+-]|\d{1,9}[.)]) +(?=\S)/;
// After a blank line, such a line also starts a paragraph and ends the list before it.
const PARAGRAPH_PATTERN = /^\S/;
const LABEL_PATTERN = /\[([^[\]]{1,999})\]/g;

/**
 * Parses a text in parts, because the parser is several times slower on a thousand entries at once, and one step should
 * be short. The result is the same as at once; where a text of more than {@link MAX_PART_LINES} lines cannot be
 * divided with certainty, each item of a list ends at the next one.
 */
export function* parseInParts(text: string): Steps<SummaryParts> {
  const lines = text.split('\n');
  const isShort = lines.length <= MAX_PART_LINES;
  const cuts = isShort && LineScanner.isUncertain(lines) ? [0] : cutLines(lines);
  const parts: SummaryPart[] = [];
  for (const [at, linesBefore] of cuts.entries()) {
    yield;
    const part = lines.slice(linesBefore, cuts[at + 1]);
    parts.push({ nodes: yield* parsePart(part), linesBefore });
  }
  const definitions = new Map<string, string>();
  for (const { identifier, url } of parts.flatMap(({ nodes }) => definitionsIn(nodes))) {
    if (!definitions.has(identifier)) {
      definitions.set(identifier, url);
    }
  }
  if (definitions.size > 0 && parts.length > 1) {
    for (const [at, part] of parts.entries()) {
      yield;
      const labels = labelsIn(lines.slice(part.linesBefore, cuts[at + 1]), definitions);
      if (labels.length > 0) {
        // Only the labels matter to the parser: the targets are in `definitions`.
        const defined = labels.map((label) => `[${label}]: #`);
        const source = [...defined, '', ...lines.slice(part.linesBefore, cuts[at + 1])];
        parts[at] = {
          nodes: yield* parsePart(source),
          linesBefore: part.linesBefore - defined.length - 1,
        };
      }
    }
  }
  return { parts, definitions };
}

/** Returns the first lines of the parts. */
function cutLines(lines: readonly string[]): number[] {
  const cuts = [0];
  const scanner = new LineScanner();
  for (const [at, line] of lines.entries()) {
    const isBlock = CUT_PATTERN.test(line) || (lines[at - 1]?.trim() === '' && PARAGRAPH_PATTERN.test(line));
    const length = at - (cuts.at(-1) ?? 0);
    if (length >= MAX_PART_LINES && isBlock) {
      scanner.endUncertain();
    }
    scanner.enter(line);
    if (length >= MIN_PART_LINES && isBlock && !scanner.isContinued) {
      cuts.push(at);
    }
    scanner.leave(line);
  }
  return cuts;
}

function* parsePart(lines: readonly string[]): Steps<RootContent[]> {
  const plain = readPlainLines(lines);
  if (plain !== undefined || lines.length <= MAX_PART_LINES) {
    return plain ?? fromMarkdown(lines.join('\n')).children;
  }
  return yield* parseItems(lines);
}

/** Parses a long list with nested items one item at a time. */
function* parseItems(source: readonly string[]): Steps<RootContent[]> {
  const lines = source.map((line) => line.replace(/^\t+/, (tabs) => '    '.repeat(tabs.length)));
  const nodes: RootContent[] = [];
  /** The items that may contain the next one, outermost first, by the column of their content. */
  let open: Array<{ column: number; item: ListItem }> = [];
  for (const [start, end] of itemRanges(lines)) {
    yield;
    const marker = ITEM_PATTERN.exec(lines[start] ?? '');
    const indent = marker?.[1]?.length ?? 0;
    const text = lines.slice(start, end).map((line) => line.slice(Math.min(indent, line.search(/\S|$/))));
    const [first, ...others] = fromMarkdown(text.join('\n')).children;
    for (const node of first === undefined ? [] : [first, ...others]) {
      shiftLines(node, start);
    }
    const [item] = first?.type === 'list' ? first.children : [];
    if (marker !== null && item !== undefined) {
      open = open.filter(({ column }) => column <= indent);
      listIn(open.at(-1)?.item.children ?? nodes).children.push(item);
      open.push({ column: marker[0].length, item });
    } else if (first !== undefined) {
      nodes.push(first);
    }
    if (marker === null || others.length > 0) {
      open = [];
      nodes.push(...others);
    }
  }
  return nodes;
}

/** Returns the first line of each item, and the line after its last. Long texts between items are divided. */
function itemRanges(lines: readonly string[]): [number, number][] {
  const starts = [0];
  const scanner = new LineScanner();
  for (const [at, line] of lines.entries()) {
    scanner.enter(line);
    const isLong = at - (starts.at(-1) ?? 0) >= MAX_PART_LINES && lines[at - 1]?.trim() === '';
    const isStart = ITEM_PATTERN.test(line) || CUT_PATTERN.test(line) || isLong;
    if (at > 0 && isStart && !scanner.isContinued) {
      starts.push(at);
    }
    scanner.leave(line);
  }
  return starts.map((start, at) => [start, starts[at + 1] ?? lines.length]);
}

function shiftLines(node: Nodes, by: number): void {
  if (node.position !== undefined) {
    node.position.start.line += by;
    node.position.end.line += by;
  }
  if ('children' in node) {
    for (const child of node.children) {
      shiftLines(child, by);
    }
  }
}

function definitionsIn(nodes: readonly Nodes[]): Definition[] {
  return nodes.flatMap((node) => {
    if (node.type === 'definition') {
      return [node];
    }
    return 'children' in node && node.type !== 'paragraph' ? definitionsIn(node.children) : [];
  });
}

/** Returns the labels in the lines that are defined in other lines. */
function labelsIn(lines: readonly string[], definitions: ReadonlyMap<string, string>): string[] {
  const text = lines.join('\n');
  const labels = new Map<string, string>();
  for (const [, label = ''] of text.matchAll(LABEL_PATTERN)) {
    const identifier = label.trim().replace(/\s+/g, ' ').toLowerCase();
    if (definitions.has(identifier) && !text.includes(`[${label}]:`)) {
      labels.set(identifier, label.replace(/\s+/g, ' '));
    }
  }
  return [...labels.values()];
}
