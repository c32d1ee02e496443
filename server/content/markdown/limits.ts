/**
 * Limits of pages that are read into documents. Pages that exceed them are kept verbatim.
 *
 * Some texts would take the parser too long for their length: some of its steps examine all preceding markers for each
 * marker of a paragraph, or all preceding lines for each lazy continuation line of a quotation, and each enclosing
 * quotation or list takes time on every line. Such texts are not written by hand.
 */
import type { ProblemReason } from './document.ts';
import { FencedLines } from './fences.ts';
import { TABLE_RULE } from './read/tables.ts';

/** UTF-16 units of Markdown that are parsed. */
export const MAX_PARSED_CHARACTERS = 2_000_000;

/** Nodes of a syntax tree; each line of code counts as one. */
export const MAX_DOCUMENT_NODES = 60_000;

/** Bytes of a document as JSON, without the keys of its blocks. */
export const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;

/** Thrown for Markdown that exceeds a limit. */
export class LimitExceeded extends Error {
  readonly reason: ProblemReason;

  constructor(reason: ProblemReason) {
    super(`The markdown exceeds a limit: ${reason}.`);
    this.reason = reason;
  }
}

/** The remaining bytes of a document. A few bytes of Markdown can expand to many, for example references. */
export class DocumentBudget {
  #bytes = MAX_DOCUMENT_BYTES;

  /** @throws LimitExceeded if the document becomes too large */
  spend(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) {
      throw new LimitExceeded('too-large');
    }
  }
}

/** Maximum number of quotations and lists that one line starts. */
export const MAX_LINE_NESTING = 60;

/** Maximum number of markers of links, emphasis and similar markup in a paragraph. */
export const MAX_PARAGRAPH_MARKERS = 2000;

/** Maximum number of lazy continuation lines, without a marker, of a paragraph in a quotation. */
export const MAX_LAZY_LINES = 500;

const DEEPLY_NESTED_LINE = new RegExp(
  `^(?:[ \\t]{0,8}(?:>|[*+-](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))){${MAX_LINE_NESTING}}`,
);
const MARKER = /[[\]*_~!<`$&{]/g;
const STARTS_PARAGRAPH = /^[ \t>]*(?:[*+-]|\d{1,9}[.)]|#{1,6})[ \t]|^[ \t>]*\{%/;
/** HTML that ends with the next blank line and is not parsed further. */
const HTML_BLOCK = /^ {0,3}<\/?(?:details|div|figure|h[1-6]|ol|p|summary|table|tbody|td|thead|tr|ul)\b/;

const QUOTE_LINE = /^[ \t]*>/;

/** Returns whether the parser needs disproportionate time for a text. */
export function isTooCostly(source: string): boolean {
  return costOf(source) !== undefined;
}

/** Returns why the parser needs disproportionate time for a text; undefined if it does not. */
export function costOf(source: string): 'too-deep' | 'too-complex' | undefined {
  let markers = 0;
  let lazyLines = 0;
  let inQuote = false;
  const fences = new FencedLines();
  let inTable = false;
  let inHtml = false;
  let indent = 0;
  for (const line of source.split('\n')) {
    if (fences.next(line) !== 'text') {
      continue;
    }
    const isBlank = line.trim() === '';
    indent = isBlank ? indent : line.length - line.trimStart().length;
    if (indent > MAX_LINE_NESTING * 4 || DEEPLY_NESTED_LINE.test(line)) {
      return 'too-deep';
    }
    if (line.includes('|') && TABLE_RULE.test(line)) {
      inTable = true;
    }
    if (isBlank) {
      inTable = false;
    }
    const isQuote = QUOTE_LINE.test(line);
    inQuote = !isBlank && (inQuote || isQuote);
    lazyLines = inQuote ? lazyLines + (isQuote ? 0 : 1) : 0;
    if (lazyLines > MAX_LAZY_LINES) {
      return 'too-complex';
    }
    inHtml = !isBlank && (inHtml || HTML_BLOCK.test(line));
    if (inHtml) {
      continue;
    }
    if (isBlank || inTable || STARTS_PARAGRAPH.test(line)) {
      markers = 0;
    }
    markers += line.match(MARKER)?.length ?? 0;
    if (markers > MAX_PARAGRAPH_MARKERS) {
      return 'too-complex';
    }
  }
  return undefined;
}
