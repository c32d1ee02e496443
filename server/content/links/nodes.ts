/** Where in a document its links stand. */
import type { Document } from '../markdown/document.ts';
import { addressOfRef, anchorOf, type PlaceOfText } from './address.ts';
import { linkKey } from './keys.ts';
import { refsOfDocument } from './references.ts';

/**
 * The blocks of a page that hold links: the first one's key by the key of the link index, and by that with the
 * anchor that the address goes on with, see {@link nodeName}. What stands in no text, such as a cover, has none.
 */
export function nodesByLink(document: Document, page: string, place: PlaceOfText): Map<string, string> {
  const nodes = new Map<string, string>();
  for (const { node, ref } of refsOfDocument(document)) {
    const address = addressOfRef(ref, place);
    const key = linkKey('reference', address, { kind: 'page', id: page });
    if (key === undefined || node === '') continue;
    for (const name of [key, nodeName(key, anchorOf(address))]) if (!nodes.has(name)) nodes.set(name, node);
  }
  return nodes;
}

/** Names a link in {@link nodesByLink} together with its anchor. */
export const nodeName = (key: string, anchor: string | undefined): string => `${key}\n${anchor ?? ''}`;
