import { type ComputedSource, type ContentRoot, readRoot } from './content-root.ts';
import {
  childrenKey,
  type FileRecord,
  fileKey,
  type PageNode,
  type PageRecord,
  pageKey,
  pathWithin,
  type RedirectRecord,
  type ReusableRecord,
  slugOf,
  type Variables,
} from './records.ts';
import { entries, get, size } from './trie.ts';
import { type Json, type Load, type Packed, storedText, unpack } from './values.ts';
import { isYieldDue, yieldToEventLoop } from './yielding.ts';

/** A page and its path in the space. */
export type LocatedPage = Omit<PageNode, 'pages'>;

/** Returns the content of a root, read with any loader. */
export async function contentAt(root: string, load: Load): Promise<Content> {
  return new Content(await readRoot(root, load), load);
}

/**
 * Reads the content of one revision. Each method loads only its result and the path to it, not the whole tree. Loaded
 * objects may be cached by the loader, so create a new instance for each unit of work.
 */
export class Content {
  readonly roots: ContentRoot;
  readonly load: Load;

  constructor(roots: ContentRoot, load: Load) {
    this.roots = roots;
    this.load = load;
  }

  /** Returns all pages, nested. */
  async readTree(): Promise<PageNode[]> {
    const all = await entries(this.roots.pages, this.load);
    return await this.#nest(null, '', all);
  }

  /** Returns a page with its path and descendants, or undefined. */
  async readPage(id: string): Promise<PageNode | undefined> {
    const page = (await this.readLocatedPages([id])).get(id);
    if (!page) {
      return undefined;
    }
    return { ...page, pages: await this.#nest(id, page.path, await this.#readDescendants(id)) };
  }

  /**
   * Returns the page at a path with its descendants, or undefined. If several pages have this path, returns the first.
   */
  async findPage(path: string): Promise<PageNode | undefined> {
    let parents: Array<string | null> = [null];
    let page: PageRecord | undefined;
    for (const part of path.split('/')) {
      page = undefined;
      for (const parent of parents) {
        const records = await this.readChildren(parent);
        page ??= records.find((record) => slugOf(record) === part);
      }
      if (!page) {
        return undefined;
      }
      parents = [page.id];
    }
    return page && this.readPage(page.id);
  }

  /** Returns the records of pages by ID. Missing pages are omitted. */
  async readPages(ids: Iterable<string>): Promise<Map<string, PageRecord>> {
    const requested = [...ids];
    const values = await get(this.roots.pages, requested.map(pageKey), this.load);
    return new Map(
      requested.flatMap((id) => {
        const record = values.get(pageKey(id));
        return record === undefined ? [] : [[id, asPage(record)]];
      }),
    );
  }

  /** Returns pages with their paths by ID. Missing pages are omitted. Loads the pages and their ancestors. */
  async readLocatedPages(ids: Iterable<string>): Promise<Map<string, LocatedPage>> {
    const requested = await this.readPages(ids);
    const records = new Map(requested);
    for (let level = requested; level.size > 0; ) {
      const parents = new Set([...level.values()].flatMap(({ parent }) => parent ?? []));
      level = await this.readPages([...parents].filter((id) => !records.has(id)));
      for (const [id, record] of level) {
        records.set(id, record);
      }
    }
    const pathOf = (record: PageRecord): string => {
      const parent = record.parent === null ? undefined : records.get(record.parent);
      return pathWithin(parent ? pathOf(parent) : '', record);
    };
    return new Map([...requested].map(([id, record]) => [id, { record, path: pathOf(record) }]));
  }

  /** Returns the children of a page (null for the top level), in order. */
  async readChildren(parent: string | null): Promise<PageRecord[]> {
    const key = childrenKey(parent);
    const ids = asIds((await get(this.roots.pages, [key], this.load)).get(key));
    return [...(await this.readPages(ids)).values()];
  }

  /** Returns the IDs of all descendants of some pages, without duplicates. */
  async readDescendantIds(ids: readonly string[]): Promise<Set<string>> {
    const descendants = new Set<string>();
    for (let level = [...ids]; level.length > 0; ) {
      const lists = await get(this.roots.pages, level.map(childrenKey), this.load);
      level = [...lists.values()].flatMap(asIds).filter((id) => !descendants.has(id));
      for (const id of level) {
        descendants.add(id);
      }
    }
    return descendants;
  }

  /** Returns the Markdown of a page; '' if it has no text of its own. */
  async readBody(record: PageRecord): Promise<string> {
    return (await this.readBodies([record])).get(record.id) ?? '';
  }

  /** Returns the Markdown of pages and reusable contents by ID. Those without a text of their own are omitted. */
  async readBodies(records: Iterable<PageRecord | ReusableRecord>): Promise<Map<string, string>> {
    const hashes = new Map<string, string>();
    for (const record of records) {
      if ('body' in record && record.body !== undefined) {
        hashes.set(record.id, record.body);
      }
    }
    const texts = await this.load([...hashes.values()]);
    return new Map([...hashes].map(([id, hash]) => [id, storedText(hash, texts)]));
  }

  /** Lists all files, oldest first, then by ID. */
  async listFiles(): Promise<FileRecord[]> {
    const all = await entries(this.roots.files, this.load);
    return [...all.values()].map(asFile).sort(byAge);
  }

  /** Returns the number of files without loading them. */
  countFiles(): Promise<number> {
    return size(this.roots.files, this.load);
  }

  /** Returns a file, or undefined. */
  async readFile(id: string): Promise<FileRecord | undefined> {
    const record = (await get(this.roots.files, [fileKey(id)], this.load)).get(fileKey(id));
    return record === undefined ? undefined : asFile(record);
  }

  /** Lists the reusable contents, in stored order. */
  async readReusableContents(): Promise<ReusableRecord[]> {
    // planContent wrote these from such records. The same applies below.
    return (await this.#value(this.roots.reusableContents)) as unknown as ReusableRecord[];
  }

  /** Returns the variables of expressions in all pages. */
  async readVariables(): Promise<Variables> {
    return (await this.#value(this.roots.variables)) as Variables;
  }

  /** Lists the earlier paths of pages, without those of deleted pages being removed. */
  async readRedirects(): Promise<RedirectRecord[]> {
    if (!this.roots.redirects) {
      return [];
    }
    return (await this.#value(this.roots.redirects)) as unknown as RedirectRecord[];
  }

  /** Returns the source of all pages if they are computed. */
  async readComputed(): Promise<ComputedSource | undefined> {
    if (!this.roots.computed) {
      return undefined;
    }
    return (await this.#value(this.roots.computed)) as unknown as ComputedSource;
  }

  /** Returns the entries of all descendants of a page, one batch per level of the tree. */
  async #readDescendants(id: string): Promise<Map<string, Json>> {
    const result = new Map<string, Json>();
    for (let level = [id]; level.length > 0; ) {
      const lists = await get(this.roots.pages, level.map(childrenKey), this.load);
      level = [...lists.values()].flatMap(asIds);
      const records = await get(this.roots.pages, level.map(pageKey), this.load);
      for (const [key, value] of [...lists, ...records]) {
        result.set(key, value);
      }
    }
    return result;
  }

  async #nest(parent: string | null, path: string, all: ReadonlyMap<string, Json>): Promise<PageNode[]> {
    const nodes: PageNode[] = [];
    for (const id of asIds(all.get(childrenKey(parent)))) {
      const value = all.get(pageKey(id));
      if (value === undefined) {
        continue;
      }
      const record = asPage(value);
      const pagePath = pathWithin(path, record);
      nodes.push({ record, path: pagePath, pages: await this.#nest(id, pagePath, all) });
      if (isYieldDue()) {
        await yieldToEventLoop();
      }
    }
    return nodes;
  }

  async #value(packed: Packed): Promise<Json> {
    return (await unpack([packed], this.load))[0] ?? null;
  }
}

// Values under the keys of pages and files are only written by `planContent`, from records of these types.

/** Returns the stored value of a page as its record. */
export const asPage = (value: Json): PageRecord => value as unknown as PageRecord;
/** Returns the stored value of a file as its record. */
export const asFile = (value: Json): FileRecord => value as unknown as FileRecord;
/** Returns a stored list of IDs. */
export const asIds = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);

function byAge(a: FileRecord, b: FileRecord): number {
  return compare(a.createdAt, b.createdAt) || compare(a.id, b.id);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
