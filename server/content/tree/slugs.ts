/** Maximum length of a slug in the contract, in code points. */
const MAX_SLUG_CODE_POINTS = 100;

/** Diacritics of letters that are also written without them; in other scripts a mark forms another letter. */
const ACCENTS = /(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036F]+/gu;

/**
 * Creates the slug of a title or a file name: lower-case letters and digits of any script, joined by single hyphens;
 * Latin and Greek letters without diacritics.
 */
export function slugify(text: string): string {
  const slug = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(ACCENTS, '')
    .replace(/['’]/g, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  const short = Array.from(slug).slice(0, MAX_SLUG_CODE_POINTS).join('');
  return short.replace(/^-+|-+$/g, '') || 'page';
}

/** Returns a key that is equal for slugs that differ only in the encoding of their accents. */
export const slugKey = (slug: string): string => slug.normalize('NFC');

/**
 * Returns the first unused slug of `setup`, `setup-2`, `setup-3` …
 *
 * @param used keys of slugs, see {@link slugKey}
 */
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

/** Assigns unique names: the second `setup` becomes `setup-1`. */
export class UniqueNames {
  readonly #used = new Set<string>();
  /** The next number for each name that was requested before. */
  readonly #next = new Map<string, number>();

  assign(requested: string): string {
    let name = requested;
    let count = this.#next.get(requested) ?? 1;
    for (; this.#used.has(name); count += 1) {
      name = `${requested}-${count}`;
    }
    this.#next.set(requested, count);
    this.#used.add(name);
    return name;
  }
}
