/** Where a text can be divided so that both parts can be parsed separately. */
import type { RootContent } from 'mdast';
import { plainQuote } from './quotes.ts';

/** A block that continues after a cut. */
export type CutBlock = 'list' | 'table';

/** A position in a text where a window may end. */
export interface Cut {
  at: number;
  /** The block that the cut is in; undefined between blocks. */
  inside?: CutBlock;
}

/** Growth factor of a window without the end of a block. */
export const WINDOW_GROWTH_FACTOR = 4;

/** Possible ends of a window. The parser determines whether they are real. */
const POSSIBLE_CUT = /\n(?=\n[^\s\ufeff]|[#{`~$*+\-=[\d]|[^\n|]*\|)/g;

/** Blocks that start with a marker, regardless of the preceding line. Other blocks require a preceding blank line. */
const MARKED: Partial<Record<RootContent['type'], string>> = {
  code: '`~',
  footnoteDefinition: '[',
  heading: '#',
  math: '$',
  tagLine: '{',
};

/** Blocks that consist of one line, so that any block may start on the next one. */
const SINGLE_LINE_BLOCKS = new Set<RootContent['type'] | undefined>(['heading', 'tagLine', 'thematicBreak']);

/**
 * Returns the end of a line where a window with at least one possible cut may end.
 *
 * @param isFirst whether this is the first attempt for this start. Later ones must return a later end.
 */
export function windowEnd(
  markdown: string,
  start: number,
  { characters, isFirst }: { characters: number; isFirst: boolean },
): number {
  if (isFirst) {
    // Parsing a long quotation on its own is faster.
    const before = markdown.slice(start, start + characters).lastIndexOf('\n\n>');
    const quote = start + before + 2;
    if (before >= 0 && plainQuote(markdown, quote, characters)) {
      return lineEnd(markdown, quote);
    }
  }
  POSSIBLE_CUT.lastIndex = start + Math.max(characters, 1);
  const possible = POSSIBLE_CUT.exec(markdown);
  const end = possible ? lineEnd(markdown, possible.index + 2) : markdown.length;
  // Lists in a quotation may start and end at excessive cost. Smaller steps detect this in time.
  const isLong = end - start > characters * WINDOW_GROWTH_FACTOR && mayNest(markdown.slice(start, end));
  return isLong ? lineEnd(markdown, start + characters) : end;
}

const QUOTE = /^[ \t]*>/m;

/** A line that is not in the text of a quotation, or that may start a list, a quotation or a note there. */
const NOT_IN_PLAIN_QUOTE = /^(?=.)(?!> ?(?:[^\s>*+\-\d[]|$))/m;

/** Whether quotations of a text may contain lists, quotations and notes, or end before it ends. */
const mayNest = (text: string): boolean => QUOTE.test(text) && NOT_IN_PLAIN_QUOTE.test(text);

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}

/**
 * Returns the last position in a text where a block, list item or row of a table starts independently of the preceding
 * text.
 */
export function lastCut(nodes: RootContent[], text: string): Cut | undefined {
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index];
    if (node?.type === 'list' || node?.type === 'table') {
      const parts: Pick<RootContent, 'position'>[] = node.children;
      const part = parts.findLast((part, place) => place > 0 && startsLine(offsetOf(part), text));
      if (part) {
        return { at: offsetOf(part), inside: node.type };
      }
    }
    const at = node ? offsetOf(node) : 0;
    if (!node || !startsLine(at, text) || isIndented(nodes[index - 1], text)) {
      continue;
    }
    if (text[at - 2] === '\n' || SINGLE_LINE_BLOCKS.has(nodes[index - 1]?.type) || isMarked(node, text[at])) {
      return { at };
    }
  }
  return undefined;
}

/** Returns the nodes of a window before its cut. A list or table that is cut is reduced to its part before the cut. */
export function nodesBefore(nodes: RootContent[], { at, inside }: Cut): RootContent[] {
  const retained = nodes.filter((node) => offsetOf(node) < at);
  const last = retained.at(-1);
  if (inside === 'list' && last?.type === 'list') {
    last.children = last.children.filter((item) => offsetOf(item) < at);
  } else if (inside === 'table' && last?.type === 'table') {
    last.children = last.children.filter((row) => offsetOf(row) < at);
  }
  return retained;
}

const offsetOf = ({ position }: Pick<RootContent, 'position'>): number => position?.start.offset ?? 0;

const startsLine = (offset: number, text: string): boolean =>
  text[offset - 1] === '\n' && /[^\s\ufeff]/.test(text.charAt(offset));

/**
 * Returns whether a node is indented code. Content after it is parsed as if it followed directly, where some blocks
 * cannot start.
 */
const isIndented = (before: RootContent | undefined, text: string): boolean =>
  before?.type === 'code' && !/[`~]/.test(text.charAt(offsetOf(before)));

const isMarked = ({ type }: RootContent, first = ''): boolean => MARKED[type]?.includes(first) ?? false;
