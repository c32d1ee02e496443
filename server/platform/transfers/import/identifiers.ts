const ID_PATTERN = /(?<![0-9A-Za-z_])[a-z]+_[0-9A-Za-z]+(?![0-9A-Za-z_])/g;

/** The IDs that resources get at another server, by the IDs that they had. Most keep theirs. */
export class Identifiers {
  readonly #ids = new Map<string, string>();

  /** Whether all resources keep their IDs. */
  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  set(before: string, after: string): void {
    if (before !== after) {
      this.#ids.set(before, after);
    }
  }

  /** Replaces the IDs in a text, wherever they are: in a link, in JSON, or alone. */
  replace(text: string): string {
    return this.isEmpty ? text : text.replace(ID_PATTERN, (id) => this.#ids.get(id) ?? id);
  }

  /** Returns whether a text contains an ID that is replaced. */
  isIn(text: string): boolean {
    return !this.isEmpty && (text.match(ID_PATTERN) ?? []).some((id) => this.#ids.has(id));
  }
}
