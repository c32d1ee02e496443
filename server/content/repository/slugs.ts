const maximumLength = 100;

/** Marks on letters that people also write without them; in other scripts a mark makes another letter. */
const accents = /(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036F]+/gu;

/**
 * A slug in the platform's way: letters and digits of any script in lower case, joined by single hyphens; Latin
 * and Greek ones without accents.
 */
export function slugify(text: string): string {
  const slug = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(accents, '')
    .replace(/['’]/g, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  const short = Array.from(slug).slice(0, maximumLength).join('');
  return short.replace(/^-+|-+$/g, '') || 'page';
}

/** Gives out names that are unique: the second `setup` becomes `setup-1`. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  /** The number that a name which was wanted before gets next. */
  readonly #next = new Map<string, number>();

  take(wanted: string): string {
    let name = wanted;
    let count = this.#next.get(wanted) ?? 1;
    for (; this.#taken.has(name); count += 1) name = `${wanted}-${count}`;
    this.#next.set(wanted, count);
    this.#taken.add(name);
    return name;
  }
}
