/** Locates the links of a document. */
import type { Document } from '../markdown/document.ts';
import { addressOfRef, anchorOf, type TextLocation } from './address.ts';
import { linkKey } from './keys.ts';
import { refsOfDocument } from './references.ts';

/**
 * Maps the links of a page to the key of the first block that contains them. Each link is registered under its key in
 * the link index, and under this key with its anchor, see {@link nodeName}. Links outside the text, such as covers, are
 * omitted.
 */
export function nodesByLink(document: Document, page: string, place: TextLocation): Map<string, string> {
  const nodes = new Map<string, string>();
  for (const { node, ref } of refsOfDocument(document)) {
    const address = addressOfRef(ref, place);
    const key = linkKey('reference', address, { kind: 'page', id: page });
    if (key === undefined || node === '') {
      continue;
    }
    for (const name of [key, nodeName(key, anchorOf(address))]) {
      if (!nodes.has(name)) {
        nodes.set(name, node);
      }
    }
  }
  return nodes;
}

/** Returns the name of a link with an anchor in {@link nodesByLink}. */
export const nodeName = (key: string, anchor: string | undefined): string => `${key}\n${anchor ?? ''}`;
