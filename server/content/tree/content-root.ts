import type { components } from '../../../generated/schema.d.ts';
import type { TrieRoot } from './trie.ts';
import { type Load, type Packed, textOf } from './values.ts';

/** Where a whole tree of pages is computed from. */
export type ComputedSource = components['schemas']['ComputedRevisionSource'];

/** What the root object of a revision names. */
export interface ContentRoot {
  /** Pages under {@link pageKey}, the order of their children under {@link childrenKey}. */
  pages: TrieRoot;
  /** Files under {@link fileKey}. */
  files: TrieRoot;
  reusableContents: Packed;
  variables: Packed;
  computed?: Packed;
  /** Made from all the others; revisions that were stored before there was such an index have none. */
  index?: ContentIndex;
}

/** What makes links quick to resolve and to list, see `links/`. */
export interface ContentIndex {
  /** What there is, in lists by the paths that lead to it. */
  places: TrieRoot;
  /** The places that link, by the key of what they want. */
  links: TrieRoot;
}

/** The content of a space without any. */
export const EMPTY: ContentRoot = {
  pages: null,
  files: null,
  reusableContents: [0, []],
  variables: [0, {}],
  index: { places: null, links: null },
};

/** @throws MissingObjectError */
export async function readRoot(hash: string, load: Load): Promise<ContentRoot> {
  // Only planContent writes these texts.
  return JSON.parse(textOf(hash, await load([hash]))) as ContentRoot;
}
