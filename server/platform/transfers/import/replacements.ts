const ID_PATTERN = /(?<![0-9A-Za-z_])[a-z]+_[0-9A-Za-z]+(?![0-9A-Za-z_])/g;

/** The public URLs of a server that exported an organization, and of the one that imports it. */
export interface ServerUrls {
  former: string;
  current: string;
}

/** What is replaced in all texts of an organization: the IDs that are new, and the URL of its former server. */
export class Replacements {
  readonly #ids = new Map<string, string>();
  readonly #urls: ServerUrls | undefined;

  constructor(urls: ServerUrls | undefined) {
    this.#urls = urls && urls.former !== urls.current ? urls : undefined;
  }

  /** Sets the ID of a resource, which may be the one that it had. */
  setId(former: string, current: string): void {
    if (former !== current) {
      this.#ids.set(former, current);
    }
  }

  /** Replaces IDs and URLs in a text, wherever they are: in a link, in JSON, or alone. */
  replace(text: string): string {
    const replaced = this.#ids.size === 0 ? text : text.replace(ID_PATTERN, (id) => this.#ids.get(id) ?? id);
    return this.#urls ? replaced.replaceAll(`${this.#urls.former}/`, `${this.#urls.current}/`) : replaced;
  }

  /** Returns whether something is replaced in a text. */
  isIn(text: string): boolean {
    return this.replace(text) !== text;
  }
}
