/** Decides which anchor of a page the fragment of a link leads to. */

/** IDs of the elements of a page by all names that lead to them: themselves, other forms, and keys. */
export type AnchorNames = ReadonlyMap<string, string>;

/** Precedes keys, so that they differ from the other names. */
const KEY_MARK = '~';
/** Precedes IDs on GitHub. */
const GITHUB_PREFIX = 'user-content-';

/**
 * Precedes the IDs of elements that are not content, so that no author can set them: the page around the content, notes,
 * tabs.
 */
export const SITE_ID_PREFIX = 'site:';

/**
 * Returns the ID of the element that a fragment leads to; undefined if there is none. The fragment may be percent-encoded,
 * and differ in case and punctuation.
 */
export function findAnchor(names: AnchorNames, fragment: string): string | undefined {
  const written = decoded(fragment);
  return (
    names.get(fragment) ??
    names.get(written) ??
    names.get(keyOf(written)) ??
    (written.startsWith(GITHUB_PREFIX) ? findAnchor(names, written.slice(GITHUB_PREFIX.length)) : undefined)
  );
}

/** Returns the name that an anchor has regardless of case and punctuation. */
export function keyOf(anchor: string): string {
  const key = anchor.normalize('NFC').toLowerCase();
  return KEY_MARK + (key.replace(/[^\p{L}\p{M}\p{N}]/gu, '') || key);
}

function decoded(anchor: string): string {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
}
