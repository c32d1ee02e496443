/**
 * What a page may have to be read into a document. Pages with more are kept verbatim.
 *
 * Some texts would take the parser too long for their length: some of its steps look, for each marker in a
 * paragraph, at all the markers before it, or for each line that goes on with a quotation without saying so at all
 * the lines before it; and each quotation or list that a line stands in costs time on every line. Nobody writes such
 * texts by hand.
 */
import type { ProblemReason } from './document.ts';
import { fenceEnds, fenceStart } from './fences.ts';
import { TABLE_RULE } from './read/tables.ts';

/** UTF-16 units of markdown that are parsed. */
export const MAX_PARSED_CHARACTERS = 2_000_000;

/** Nodes of a syntax tree, each line of code counted as one. */
export const MAX_DOCUMENT_NODES = 60_000;

/** Bytes of a document as JSON, without the keys of its blocks. */
export const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;

/** Markdown that a limit keeps from being read. */
export class LimitExceeded extends Error {
  readonly reason: ProblemReason;

  constructor(reason: ProblemReason) {
    super(`The markdown exceeds a limit: ${reason}.`);
    this.reason = reason;
  }
}

/** What is left of the bytes that a document may have. Few bytes of markdown may say many, such as references. */
export class DocumentBudget {
  #bytes = MAX_DOCUMENT_BYTES;

  /** @throws LimitExceeded when the document gets larger than it may be */
  spend(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) throw new LimitExceeded('too-large');
  }
}

/** How many quotations and lists one line may start. */
export const MAX_LINE_NESTING = 60;

/** How many markers of links, emphasis and the like one paragraph may have. */
export const MAX_PARAGRAPH_MARKERS = 2000;

/** How many lines of a paragraph in a quotation may go on without its marker. */
export const MAX_LAZY_LINES = 500;

const DEEP_LINE = new RegExp(
  `^(?:[ \\t]{0,8}(?:>|[*+-](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))){${MAX_LINE_NESTING}}`,
);
const MARKER = /[[\]*_~!<`$&{]/g;
const STARTS_PARAGRAPH = /^[ \t>]*(?:[*+-]|\d{1,9}[.)]|#{1,6})[ \t]|^[ \t>]*\{%/;
/** HTML that goes on to the next blank line, and is not looked into. */
const HTML_BLOCK = /^ {0,3}<\/?(?:details|div|figure|h[1-6]|ol|p|summary|table|tbody|td|thead|tr|ul)\b/;

const QUOTE_LINE = /^[ \t]*>/;

/** Whether a text is of a kind that takes the parser more than a little time for its length. */
export function isTooCostly(source: string): boolean {
  return costOf(source) !== undefined;
}

/** Why a text takes the parser more than a little time for its length; undefined for one that does not. */
export function costOf(source: string): 'too-deep' | 'too-complex' | undefined {
  let markers = 0;
  let lazyLines = 0;
  let inQuote = false;
  let fence: string | undefined;
  let inTable = false;
  let inHtml = false;
  let indent = 0;
  for (const line of source.split('\n')) {
    if (fence !== undefined) {
      if (fenceEnds(line, fence)) fence = undefined;
      continue;
    }
    fence = fenceStart(line);
    if (fence !== undefined) continue;
    const isBlank = line.trim() === '';
    indent = isBlank ? indent : line.length - line.trimStart().length;
    if (indent > MAX_LINE_NESTING * 4 || DEEP_LINE.test(line)) return 'too-deep';
    if (line.includes('|') && TABLE_RULE.test(line)) inTable = true;
    if (isBlank) inTable = false;
    const isQuote = QUOTE_LINE.test(line);
    inQuote = !isBlank && (inQuote || isQuote);
    lazyLines = inQuote ? lazyLines + (isQuote ? 0 : 1) : 0;
    if (lazyLines > MAX_LAZY_LINES) return 'too-complex';
    inHtml = !isBlank && (inHtml || HTML_BLOCK.test(line));
    if (inHtml) continue;
    if (isBlank || inTable || STARTS_PARAGRAPH.test(line)) markers = 0;
    markers += line.match(MARKER)?.length ?? 0;
    if (markers > MAX_PARAGRAPH_MARKERS) return 'too-complex';
  }
  return undefined;
}
