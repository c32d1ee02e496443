/** Anchors of headings, as the places that host markdown make them: lower case, hyphens for spaces. */

/** Makes anchors that are unique in one page: a second `setup` becomes `setup-1`. */
export class Slugs {
  readonly #taken = new Map<string, number>();

  /** The anchor of a heading without an id of its own. */
  of(title: string): string {
    const base = title
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .trim()
      .replace(/ +/g, '-');
    return this.take(base === '' ? 'section' : base);
  }

  /** An anchor that a page sets itself, made unique. */
  take(anchor: string): string {
    let unique = anchor;
    for (let count = this.#taken.get(anchor) ?? 0; this.#taken.has(unique); ) {
      count++;
      unique = `${anchor}-${count}`;
      this.#taken.set(anchor, count);
    }
    this.#taken.set(unique, this.#taken.get(unique) ?? 0);
    return unique;
  }
}
