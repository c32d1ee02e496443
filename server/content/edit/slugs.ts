/** Maximum length of a slug in the contract, in code points. */
const MAX_SLUG_CODE_POINTS = 100;

/** Returns a key that is equal for slugs that differ only in the encoding of their accents. */
export const slugKey = (slug: string): string => slug.normalize('NFC');

/** Returns the first unused slug of `setup`, `setup-2`, `setup-3` … */
export function freeSlug(preferred: string, used: ReadonlySet<string>): string {
  if (!used.has(slugKey(preferred))) {
    return preferred;
  }
  const letters = Array.from(preferred);
  for (let count = 2; ; count++) {
    const suffix = `-${count}`;
    const slug = letters.slice(0, MAX_SLUG_CODE_POINTS - suffix.length).join('') + suffix;
    if (!used.has(slugKey(slug))) {
      return slug;
    }
  }
}
