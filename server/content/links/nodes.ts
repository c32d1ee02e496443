/** Locates the links of a document. */
import { type Document, inlineText } from '../markdown/document.ts';
import { FencedLines } from '../markdown/fences.ts';
import { addressOfRef, anchorOf, type TextLocation } from './address.ts';
import { linkKey } from './keys.ts';
import { type DocumentReference, type Labeled, refsOfDocument } from './references.ts';

/**
 * Maps the links of a page to the first reference to them. Each link is registered under its key in
 * the link index, and under this key with its anchor, see {@link nodeName}. Links outside the text, such as covers, are
 * omitted.
 */
export function nodesByLink(
  document: Document,
  page: string,
  location: TextLocation,
): Map<string, DocumentReference> {
  const nodes = new Map<string, DocumentReference>();
  for (const reference of refsOfDocument(document)) {
    const { node, ref } = reference;
    const address = addressOfRef(ref, location);
    const key = linkKey('reference', address, { kind: 'page', id: page });
    if (key === undefined || node === '') {
      continue;
    }
    for (const name of [key, nodeName(key, anchorOf(address))]) {
      if (!nodes.has(name)) {
        nodes.set(name, reference);
      }
    }
  }
  return nodes;
}

/** Returns the name of a link with an anchor in {@link nodesByLink}. */
export const nodeName = (key: string, anchor: string | undefined): string => `${key}\n${anchor ?? ''}`;

/** Position of a link in a page. */
export interface LinkPosition {
  /** Key of the block. */
  node: string;
  /** Text of the link, or alternative text of the image. */
  text?: string;
  /** Line of the text of the page, from 1. */
  line?: number;
}

/** Maximum length of the text of a link in {@link LinkPosition}. */
const MAX_TEXT_CHARACTERS = 512;

/** Returns the positions of references in the text of a page. */
export function positionsOf(
  markdown: string,
  references: ReadonlyMap<string, DocumentReference>,
): Map<string, LinkPosition> {
  const lines = linesOf(
    markdown,
    new Set([...references.values()].flatMap(({ ref }) => (ref.kind === 'url' ? [ref.url] : []))),
  );
  return new Map(
    [...references].map(([name, { node, ref, labeled }]) => {
      const text = labeled && labelOf(labeled).slice(0, MAX_TEXT_CHARACTERS).toWellFormed();
      const line = ref.kind === 'url' ? lines.get(ref.url) : undefined;
      return [name, { node, ...(text && { text }), ...(line !== undefined && { line }) }];
    }),
  );
}

function labelOf({ data, nodes }: Labeled): string {
  return 'alt' in data && typeof data.alt === 'string' ? data.alt : inlineText(nodes);
}

/** Returns the first line, outside code, of each of the destinations. */
function linesOf(markdown: string, destinations: Set<string>): Map<string, number> {
  const lines = new Map<string, number>();
  const fences = new FencedLines();
  for (const [at, line] of markdown.split(/\r\n?|\n/).entries()) {
    if (fences.next(line) !== 'text') {
      continue;
    }
    for (const destination of destinations) {
      if (contains(line, destination)) {
        lines.set(destination, at + 1);
        destinations.delete(destination);
      }
    }
  }
  return lines;
}

/** Returns whether a line contains a destination, and not only one that starts or ends with it. */
function contains(line: string, destination: string): boolean {
  for (let at = line.indexOf(destination); at >= 0; at = line.indexOf(destination, at + 1)) {
    if (
      /^$|[\s("'<=:]/.test(line.charAt(at - 1)) &&
      /^$|[\s)"'>]/.test(line.charAt(at + destination.length))
    ) {
      return true;
    }
  }
  return false;
}
