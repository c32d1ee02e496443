/** The longest slug that the contract takes, in code points. */
const LONGEST = 100;

/** Slugs are the same whichever way their accents are written. */
export const slugKey = (slug: string): string => slug.normalize('NFC');

/** A slug that none of the taken ones is: the first that is free of `setup`, `setup-2`, `setup-3` … */
export function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slugKey(wanted))) return wanted;
  const letters = Array.from(wanted);
  for (let count = 2; ; count++) {
    const suffix = `-${count}`;
    const slug = letters.slice(0, LONGEST - suffix.length).join('') + suffix;
    if (!taken.has(slugKey(slug))) return slug;
  }
}
