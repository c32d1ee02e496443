/**
 * The parts of a page where tags are text: code and comments. They are found line by line, so this is an estimate of
 * what the parser reads as code; `conditional-text.ts` compares it with the document.
 */
import { isEscaped } from '../markdown/escapes.ts';
import { FencedLines } from '../markdown/fences.ts';

/** Start and end offset. */
export interface TextRange {
  start: number;
  end: number;
}

const ITEM = /^[ \t>]*(?:[*+-]|\d{1,9}[.)])(?:[ \t]|$)/;
const INDENTED = /^(?: {4}| {0,3}\t)/;

/** Returns the ranges of code blocks, code spans, `<pre>`, `<code>` and comments, in order and without overlaps. */
export function literalRanges(markdown: string): TextRange[] {
  const blocks = codeBlocks(markdown);
  const ranges: TextRange[] = [];
  let from = 0;
  for (const block of [...blocks, { start: markdown.length, end: markdown.length }]) {
    for (const range of inlineRanges(markdown, from, block.start)) {
      ranges.push(range);
    }
    if (block.end > block.start) {
      ranges.push(block);
    }
    from = block.end;
  }
  return ranges;
}

/** Returns the ranges of fenced and indented code, in whole lines. */
function codeBlocks(markdown: string): TextRange[] {
  const ranges: TextRange[] = [];
  const fences = new FencedLines();
  let afterBlank = true;
  let inList = false;
  let start = 0;
  for (const line of markdown.split(/(?<=\n)/)) {
    const end = start + line.length;
    const role = fences.next(line);
    const isBlank = line.trim() === '';
    const isIndented: boolean = role === 'text' && !isBlank && afterBlank && !inList && INDENTED.test(line);
    if (role === 'code' || isIndented) {
      const last = ranges.at(-1);
      if (last?.end === start) {
        last.end = end;
      } else {
        ranges.push({ start, end });
      }
    }
    if (role === 'text') {
      if (ITEM.test(line)) {
        inList = true;
      } else if (!isBlank && afterBlank && !/^\s/.test(line)) {
        inList = false;
      }
    }
    afterBlank = isBlank || isIndented || role !== 'text';
    start = end;
  }
  return ranges;
}

/** Starts of what is literal within text; a blank line ends the paragraph that a code span is in. */
const STARTS = /`+|<!--|<(pre|code)(?=[\s>])[^<>]*>|\n[ \t]*(?=\n)/gi;

function inlineRanges(markdown: string, from: number, to: number): TextRange[] {
  const text = markdown.slice(from, to);
  if (!/[`<]/.test(text)) {
    return [];
  }
  const starts = [...text.matchAll(STARTS)];
  const spans = spanEnds(text, starts);
  const lower = text.toLowerCase();
  const ranges: TextRange[] = [];
  const missing = new Set<string>();
  const endBefore = (close: string, after: number): number | undefined => {
    const at = missing.has(close) ? -1 : lower.indexOf(close, after);
    if (at < 0) {
      missing.add(close);
      return undefined;
    }
    return at + close.length;
  };
  let end = 0;
  for (const { 0: all, 1: element, index } of starts) {
    if (index < end) {
      continue;
    }
    const after = index + all.length;
    const close = element !== undefined ? `</${element.toLowerCase()}>` : all === '<!--' ? '-->' : undefined;
    const rangeEnd = close === undefined ? spans.get(index) : endBefore(close, after);
    if (rangeEnd === undefined) {
      continue;
    }
    end = rangeEnd;
    if (all !== '<!--' || isBalanced(text.slice(index, end))) {
      ranges.push({ start: from + index, end: from + end });
    }
  }
  return ranges;
}

/** Maps the start of each code span to its end (CommonMark, section 6.1). */
function spanEnds(text: string, starts: readonly RegExpMatchArray[]): Map<number, number> {
  const ends = new Map<number, number>();
  const nextByLength = new Map<number, number>();
  for (const { 0: run, index = 0 } of starts.toReversed()) {
    if (run.startsWith('\n')) {
      nextByLength.clear();
    } else if (run.startsWith('`')) {
      const next = nextByLength.get(run.length);
      if (next !== undefined && !isEscaped(text, index)) {
        ends.set(index, next + run.length);
      }
      nextByLength.set(run.length, index);
    }
  }
  return ends;
}

/** Returns whether a comment contains both ends of its conditions. Otherwise they extend beyond it, and apply. */
function isBalanced(comment: string): boolean {
  const opened = comment.match(/\{%[^\p{L}%]*if/giu)?.length ?? 0;
  const closed = comment.match(/\{%[^\p{L}%]*end[ \t]*if/giu)?.length ?? 0;
  return opened === closed;
}
