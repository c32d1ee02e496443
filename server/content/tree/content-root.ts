import type { components } from '../../../generated/schema.d.ts';
import type { TrieRoot } from './trie.ts';
import { type Load, type Packed, storedText } from './values.ts';

/** Source of an entirely computed page tree. */
export type ComputedSource = components['schemas']['ComputedRevisionSource'];

/** The root object of a revision. */
export interface ContentRoot {
  /** Pages by {@link pageKey}, and the order of their children by {@link childrenKey}. */
  pages: TrieRoot;
  /** Files by {@link fileKey}. */
  files: TrieRoot;
  reusableContents: Packed;
  variables: Packed;
  computed?: Packed;
  /** Absent if there are none. */
  redirects?: Packed;
  /** Derived from the other fields. Absent in revisions that were stored before the index was introduced. */
  index?: ContentIndex;
}

/** Index for resolving and listing links, see `links/`. */
export interface ContentIndex {
  /** Lists of the existing entries by path. */
  places: TrieRoot;
  /** Sources of links by the key of their destination. */
  links: TrieRoot;
}

/** The content of an empty space. */
export const EMPTY: ContentRoot = {
  pages: null,
  files: null,
  reusableContents: [0, []],
  variables: [0, {}],
  index: { places: null, links: null },
};

/**
 * Reads the root object of a revision.
 * @throws MissingObjectError
 */
export async function readRoot(hash: string, load: Load): Promise<ContentRoot> {
  // Only planContent writes these texts.
  return JSON.parse(storedText(hash, await load([hash]))) as ContentRoot;
}
