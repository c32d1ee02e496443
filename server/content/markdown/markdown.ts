/**
 * Pages between markdown, which is what is stored, and the block document. The two say the same:
 * `parseMarkdown(printMarkdown(parseMarkdown(x)))` equals `parseMarkdown(x)` for every text.
 */
import type { Document, ProblemReason, Reference } from './document.ts';
import { withKeys } from './keys.ts';
import { costOf, LimitExceeded, MAX_DOCUMENT_BYTES, MAX_PARSED_CHARACTERS } from './limits.ts';
import { printDocument } from './print/print.ts';
import { PassageReader } from './read/passages.ts';
import { readDocument } from './read/read.ts';
import { verbatimDocument } from './verbatim.ts';

export type { Document } from './document.ts';
export { withKeys } from './keys.ts';
export { verbatimDocument } from './verbatim.ts';

/** How often printing and reading may change a document before the page is taken verbatim. */
const MOST_ROUNDS = 4;

/**
 * The document of a page. Front matter and the page's own title are not part of the text.
 *
 * Never throws: a text that exceeds a limit is kept verbatim, see `verbatimDocument`.
 */
export function parseMarkdown(markdown: string): Document {
  const source = markdown
    .toWellFormed()
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n');
  const excess = excessOf(source);
  if (excess) return verbatimDocument(markdown, excess);
  try {
    return withKeys(settled(source));
  } catch (error) {
    // The parser is not ours; whatever it fails on must not take the page away.
    return verbatimDocument(markdown, reasonOf(error));
  }
}

/** Why a text is not to be parsed at all; undefined for one that is. */
const excessOf = (source: string): ProblemReason | undefined =>
  source.length > MAX_PARSED_CHARACTERS ? 'too-long' : costOf(source);

function reasonOf(error: unknown): ProblemReason {
  if (error instanceof LimitExceeded) return error.reason;
  // The stack is exhausted.
  return error instanceof RangeError ? 'too-deep' : 'unsettled';
}

/**
 * The markdown of a document, ending in a line feed unless it is empty. The markdown of a page that is kept
 * verbatim is what it was read from, to the letter.
 *
 * `addressOf` says how references are written; what is referred to by id is else written as its kind and id.
 */
export function printMarkdown(document: Document, addressOf?: (ref: Reference) => string): string {
  return printDocument(document, addressOf);
}

/**
 * Reads, prints and reads again until nothing changes any more. Almost always the first round tells that
 * nothing does; where markdown cannot say quite what was read, such as two ways of emphasis that touch, the
 * document becomes what it can say.
 *
 * @throws LimitExceeded when the document gets too large, or does not settle
 */
function settled(source: string): Document {
  const passages = new PassageReader();
  let markdown = source;
  let document = readDocument(markdown, passages);
  let text = boundedJson(document);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const printed = printDocument(document);
    if (printed === markdown) return document;
    const excess = excessOf(printed);
    if (excess) throw new LimitExceeded(excess);
    const again = readDocument(printed, passages);
    const textAgain = boundedJson(again);
    if (textAgain === text) return document;
    markdown = printed;
    document = again;
    text = textAgain;
  }
  throw new LimitExceeded('unsettled');
}

function boundedJson(document: Document): string {
  const text = JSON.stringify(document);
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) throw new LimitExceeded('too-large');
  return text;
}
