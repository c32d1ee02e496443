/** Creates anchors of headings like Markdown hosts: lower case, with hyphens for spaces. */

/** Creates anchors that are unique within a page: a second `setup` becomes `setup-1`. */
export class Slugs {
  readonly #counts = new Map<string, number>();

  /** Returns the anchor of a heading without an ID of its own. */
  of(title: string): string {
    const base = title
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .trim()
      .replace(/ +/g, '-');
    return this.unique(base === '' ? 'section' : base);
  }

  /** Makes an anchor that is set in the page unique. */
  unique(anchor: string): string {
    let result = anchor;
    for (let count = this.#counts.get(anchor) ?? 0; this.#counts.has(result); ) {
      count++;
      result = `${anchor}-${count}`;
      this.#counts.set(anchor, count);
    }
    this.#counts.set(result, this.#counts.get(result) ?? 0);
    return result;
  }
}
