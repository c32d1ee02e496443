const MAX_SLUG_CODE_POINTS = 100;

/** Diacritics of letters that are also written without them; in other scripts a mark forms another letter. */
const accents = /(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036F]+/gu;

/**
 * Creates a slug like the platform: lower-case letters and digits of any script, joined by single hyphens; Latin and
 * Greek letters without diacritics.
 */
export function slugify(text: string): string {
  const slug = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(accents, '')
    .replace(/['’]/g, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  const short = Array.from(slug).slice(0, MAX_SLUG_CODE_POINTS).join('');
  return short.replace(/^-+|-+$/g, '') || 'page';
}

/** Assigns unique names: the second `setup` becomes `setup-1`. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  /** The next number for each name that was requested before. */
  readonly #next = new Map<string, number>();

  take(requested: string): string {
    let name = requested;
    let count = this.#next.get(requested) ?? 1;
    for (; this.#taken.has(name); count += 1) {
      name = `${requested}-${count}`;
    }
    this.#next.set(requested, count);
    this.#taken.add(name);
    return name;
  }
}
