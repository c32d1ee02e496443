/**
 * Converts pages between Markdown, the stored form, and block documents. The conversion is lossless:
 * `parseMarkdown(printMarkdown(parseMarkdown(x)))` equals `parseMarkdown(x)` for every text.
 */
import { hasSameConditions } from '../expressions/condition-tags.ts';
import type { Document, ProblemReason, Reference } from './document.ts';
import { withKeys } from './keys.ts';
import { costOf, LimitExceeded, MAX_DOCUMENT_BYTES, MAX_PARSED_CHARACTERS } from './limits.ts';
import { printDocument } from './print/print.ts';
import { PassageReader } from './read/parse/passages.ts';
import { type DocumentSource, readDocument } from './read/read.ts';
import { verbatimDocument } from './verbatim.ts';

export type { Document } from './document.ts';
export { withKeys } from './keys.ts';
export { verbatimDocument } from './verbatim.ts';

/** Maximum number of rounds of printing and reading that may change a document before the page is kept verbatim. */
const MAX_ROUND_TRIPS = 4;

/**
 * Parses a page without front matter and title.
 *
 * Never throws: a text that exceeds a limit is kept verbatim, see `verbatimDocument`.
 */
export function parseMarkdown(markdown: string): Document {
  return readMarkdown(markdown).document;
}

/**
 * Parses a page like `parseMarkdown`.
 *
 * @param source filled with the ranges of the blocks of `first` in `normalizedText(markdown)`
 * @returns the document, and the one that was read first: both are equal unless the text has no exact document;
 *   `first` is undefined for a text that is kept verbatim
 */
export function readMarkdown(
  markdown: string,
  source?: DocumentSource,
): { document: Document; first?: Document } {
  const text = normalizedText(markdown);
  const excess = excessOf(text);
  if (excess) {
    return { document: verbatimDocument(markdown, excess) };
  }
  try {
    const { document, first } = settled(text, source);
    return { document: withKeys(document), first };
  } catch (error) {
    // Errors of the third-party parser must not make the page unavailable.
    return { document: verbatimDocument(markdown, reasonOf(error)) };
  }
}

/**
 * Parses a page to be printed, in half of the time of `parseMarkdown`. The document has no keys, and it may contain
 * what Markdown cannot represent exactly.
 *
 * Never throws, as `parseMarkdown`.
 */
export function parseOnce(markdown: string): Document {
  const text = normalizedText(markdown);
  const excess = excessOf(text);
  if (excess) {
    return verbatimDocument(markdown, excess);
  }
  try {
    const document = readDocument(text, new PassageReader());
    boundedJson(document);
    return document;
  } catch (error) {
    return verbatimDocument(markdown, reasonOf(error));
  }
}

/** Returns a text as the parser reads it: with line feeds, and without a byte order mark. */
export const normalizedText = (markdown: string): string =>
  markdown
    .toWellFormed()
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n');

/** Returns why a text is not parsed; undefined if it is. */
const excessOf = (source: string): ProblemReason | undefined =>
  source.length > MAX_PARSED_CHARACTERS ? 'too-long' : costOf(source);

function reasonOf(error: unknown): ProblemReason {
  if (error instanceof LimitExceeded) {
    return error.reason;
  }
  // Stack overflow.
  return error instanceof RangeError ? 'too-deep' : 'unsettled';
}

/**
 * Prints a document as Markdown, ending in a line feed unless it is empty. For a page that is kept verbatim, returns
 * its exact source.
 *
 * `addressOf` formats references. By default, references by ID are written as their kind and ID.
 */
export function printMarkdown(document: Document, addressOf?: (ref: Reference) => string): string {
  return printDocument(document, addressOf);
}

/**
 * Reads, prints and reads again until the document is stable. Usually one round is sufficient. If Markdown cannot
 * represent the document exactly, for example adjacent kinds of emphasis, the closest representable document is
 * returned.
 *
 * @throws LimitExceeded if the document becomes too large or unstable
 */
function settled(text: string, source?: DocumentSource): { document: Document; first: Document } {
  const passages = new PassageReader();
  let markdown = text;
  const first = readDocument(markdown, passages, source);
  let document = first;
  let json = boundedJson(document);
  for (let round = 0; round < MAX_ROUND_TRIPS; round++) {
    const printed = printDocument(document);
    if (printed === markdown) {
      return { document, first };
    }
    // An edit of the document would show what depends on the lost conditions to everyone.
    if (!hasSameConditions(text, printed)) {
      throw new LimitExceeded('unsettled');
    }
    const excess = excessOf(printed);
    if (excess) {
      throw new LimitExceeded(excess);
    }
    const secondDocument = readDocument(printed, passages);
    const secondJson = boundedJson(secondDocument);
    if (secondJson === json) {
      return { document, first };
    }
    markdown = printed;
    document = secondDocument;
    json = secondJson;
  }
  throw new LimitExceeded('unsettled');
}

function boundedJson(document: Document): string {
  const text = JSON.stringify(document);
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) {
    throw new LimitExceeded('too-large');
  }
  return text;
}
