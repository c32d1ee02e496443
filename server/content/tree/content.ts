import { type ComputedSource, type ContentRoot, readRoot } from './content-root.ts';
import {
  childrenKey,
  type FileRecord,
  fileKey,
  type PageNode,
  type PageRecord,
  pageKey,
  pathBelow,
  type ReusableRecord,
  slugOf,
  type Variables,
} from './records.ts';
import { entries, get, size } from './trie.ts';
import { isTurnOver, nextTurn } from './turns.ts';
import { type Json, type Load, type Packed, textOf, unpack } from './values.ts';

/** A page and its path in the space. */
export type PagePlace = Omit<PageNode, 'pages'>;

/** The content under a root, read through any loader. */
export async function contentAt(root: string, load: Load): Promise<Content> {
  return new Content(await readRoot(root, load), load);
}

/**
 * Reads from the content of one revision. Each method loads what it answers and the way there, not the tree;
 * what was loaded is kept for the next call, so make a new one for each piece of work.
 */
export class Content {
  readonly roots: ContentRoot;
  readonly load: Load;

  constructor(roots: ContentRoot, load: Load) {
    this.roots = roots;
    this.load = load;
  }

  /** All pages, nested. */
  async readTree(): Promise<PageNode[]> {
    const all = await entries(this.roots.pages, this.load);
    return await this.#nest(null, '', all);
  }

  /** One page with its path and the pages below it, or undefined. */
  async readPage(id: string): Promise<PageNode | undefined> {
    const place = (await this.readPlaces([id])).get(id);
    if (!place) return undefined;
    return { ...place, pages: await this.#nest(id, place.path, await this.#readBelow(id)) };
  }

  /** The page at a path, with the pages below it, or undefined. The first of several with the same path. */
  async findPage(path: string): Promise<PageNode | undefined> {
    let parents: Array<string | null> = [null];
    let found: PageRecord | undefined;
    for (const part of path.split('/')) {
      found = undefined;
      for (const parent of parents) {
        const records = await this.readChildren(parent);
        found ??= records.find((record) => slugOf(record) === part);
      }
      if (!found) return undefined;
      parents = [found.id];
    }
    return found && this.readPage(found.id);
  }

  /** The records of some pages, by id; those that are not there are left out. */
  async readPages(ids: Iterable<string>): Promise<Map<string, PageRecord>> {
    const wanted = [...ids];
    const found = await get(this.roots.pages, wanted.map(pageKey), this.load);
    return new Map(
      wanted.flatMap((id) => {
        const record = found.get(pageKey(id));
        return record === undefined ? [] : [[id, asPage(record)]];
      }),
    );
  }

  /** Some pages with their paths, by id; those that are not there are left out. Loads them and what is above. */
  async readPlaces(ids: Iterable<string>): Promise<Map<string, PagePlace>> {
    const wanted = await this.readPages(ids);
    const known = new Map(wanted);
    for (let level = wanted; level.size > 0; ) {
      const parents = new Set([...level.values()].flatMap(({ parent }) => parent ?? []));
      level = await this.readPages([...parents].filter((id) => !known.has(id)));
      for (const [id, record] of level) known.set(id, record);
    }
    const pathOf = (record: PageRecord): string => {
      const parent = record.parent === null ? undefined : known.get(record.parent);
      return pathBelow(parent ? pathOf(parent) : '', record);
    };
    return new Map([...wanted].map(([id, record]) => [id, { record, path: pathOf(record) }]));
  }

  /** The pages directly below a page (null: at the top), in order. */
  async readChildren(parent: string | null): Promise<PageRecord[]> {
    const key = childrenKey(parent);
    const ids = asIds((await get(this.roots.pages, [key], this.load)).get(key));
    return [...(await this.readPages(ids)).values()];
  }

  /** The ids of every page below some pages, each once. */
  async readIdsBelow(ids: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    for (let level = [...ids]; level.length > 0; ) {
      const lists = await get(this.roots.pages, level.map(childrenKey), this.load);
      level = [...lists.values()].flatMap(asIds).filter((id) => !found.has(id));
      for (const id of level) found.add(id);
    }
    return found;
  }

  /** The markdown of a page; '' for one without a text of its own. */
  async readBody(record: PageRecord): Promise<string> {
    return (await this.readBodies([record])).get(record.id) ?? '';
  }

  /** The markdown of pages and reusable contents, by their id; those without a text of their own are left out. */
  async readBodies(records: Iterable<PageRecord | ReusableRecord>): Promise<Map<string, string>> {
    const hashes = new Map<string, string>();
    for (const record of records) {
      if ('body' in record && record.body !== undefined) hashes.set(record.id, record.body);
    }
    const texts = await this.load([...hashes.values()]);
    return new Map([...hashes].map(([id, hash]) => [id, textOf(hash, texts)]));
  }

  /** All files, the oldest first, ties by id. */
  async listFiles(): Promise<FileRecord[]> {
    const all = await entries(this.roots.files, this.load);
    return [...all.values()].map(asFile).sort(byAge);
  }

  /** How many files there are, without loading them. */
  countFiles(): Promise<number> {
    return size(this.roots.files, this.load);
  }

  /** One file, or undefined. */
  async readFile(id: string): Promise<FileRecord | undefined> {
    const record = (await get(this.roots.files, [fileKey(id)], this.load)).get(fileKey(id));
    return record === undefined ? undefined : asFile(record);
  }

  /** The pieces that several pages include, in the order they were written in. */
  async readReusableContents(): Promise<ReusableRecord[]> {
    // planContent wrote these from such records; so below.
    return (await this.#value(this.roots.reusableContents)) as unknown as ReusableRecord[];
  }

  /** The values that expressions in any page may use. */
  async readVariables(): Promise<Variables> {
    return (await this.#value(this.roots.variables)) as Variables;
  }

  /** Where all pages are computed from, if they are. */
  async readComputed(): Promise<ComputedSource | undefined> {
    if (!this.roots.computed) return undefined;
    return (await this.#value(this.roots.computed)) as unknown as ComputedSource;
  }

  /** The entries of everything below a page, a level of the tree at a time. */
  async #readBelow(id: string): Promise<Map<string, Json>> {
    const found = new Map<string, Json>();
    for (let level = [id]; level.length > 0; ) {
      const lists = await get(this.roots.pages, level.map(childrenKey), this.load);
      level = [...lists.values()].flatMap(asIds);
      const records = await get(this.roots.pages, level.map(pageKey), this.load);
      for (const [key, value] of [...lists, ...records]) found.set(key, value);
    }
    return found;
  }

  async #nest(parent: string | null, path: string, all: ReadonlyMap<string, Json>): Promise<PageNode[]> {
    const nodes: PageNode[] = [];
    for (const id of asIds(all.get(childrenKey(parent)))) {
      const value = all.get(pageKey(id));
      if (value === undefined) continue;
      const record = asPage(value);
      const own = pathBelow(path, record);
      nodes.push({ record, path: own, pages: await this.#nest(id, own, all) });
      if (isTurnOver()) await nextTurn();
    }
    return nodes;
  }

  async #value(packed: Packed): Promise<Json> {
    return (await unpack([packed], this.load))[0] ?? null;
  }
}

/** Values under these keys come from planContent alone, which takes records of these types. */
export const asPage = (value: Json): PageRecord => value as unknown as PageRecord;
export const asFile = (value: Json): FileRecord => value as unknown as FileRecord;
export const asIds = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);

function byAge(a: FileRecord, b: FileRecord): number {
  return compare(a.createdAt, b.createdAt) || compare(a.id, b.id);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
