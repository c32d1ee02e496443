const maximumLength = 100;

/**
 * A slug in the platform's way: letters and digits of any script in lower case, without accents, joined by
 * single hyphens.
 */
export function slugify(text: string): string {
  const slug = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .normalize('NFC');
  const short = Array.from(slug).slice(0, maximumLength).join('');
  return short.replace(/^-+|-+$/g, '') || 'page';
}

/** Gives out slugs that are unique among siblings: the second `setup` becomes `setup-1`. */
export class SiblingSlugs {
  readonly #taken = new Set<string>();

  take(wanted: string): string {
    let slug = wanted;
    for (let count = 1; this.#taken.has(slug); count += 1) slug = `${wanted}-${count}`;
    this.#taken.add(slug);
    return slug;
  }
}
