import { locationItem, slugLocation } from '../links/locations.ts';
import { asIds, type Content } from '../tree/content.ts';
import { dated, isSameRecord } from '../tree/dates.ts';
import { type ContentObject, textObject } from '../tree/objects.ts';
import {
  childrenKey,
  type DocumentRecord,
  type FileRecord,
  type PageRecord,
  pageKey,
  slugOf,
} from '../tree/records.ts';
import { slugKey } from '../tree/slugs.ts';
import { get } from '../tree/trie.ts';
import type { PlannedEdits } from './types.ts';

/**
 * Content that is being edited. It starts with the content of a revision, loads only what is needed, and returns the
 * differences at the end. Dates are set only then.
 */
export class ContentDraft {
  /** The content before all edits. */
  readonly content: Content;
  /** Pages that were read, in their current and original state; undefined if they do not exist. */
  readonly #pages = new Map<string, PageRecord | undefined>();
  readonly #before = new Map<string, PageRecord | undefined>();
  /** Current and original child IDs, in order, of pages with loaded children. */
  readonly #children = new Map<string | null, readonly string[]>();
  readonly #childrenBefore = new Map<string | null, readonly string[]>();
  /** Slugs of the children of a page, by child ID. */
  readonly #slugs = new Map<string | null, Map<string, string>>();
  /** Pages as in the revision that they were reverted to. */
  readonly #reverted = new Map<string, PageRecord>();
  readonly #files = new Map<string, FileRecord>();
  readonly #texts: ContentObject[] = [];
  /** The added texts by hash. */
  readonly #markdown = new Map<string, string>();
  readonly #bytes: Uint8Array[] = [];

  constructor(content: Content) {
    this.content = content;
  }

  /** Returns the current state of a page; undefined if it does not exist. */
  async page(id: string): Promise<PageRecord | undefined> {
    if (!this.#pages.has(id)) {
      const record = (await this.content.readPages([id])).get(id);
      this.#pages.set(id, record);
      this.#before.set(id, record);
    }
    return this.#pages.get(id);
  }

  /** Returns the IDs of the children of a page in order; those of the top level for null. */
  async childrenOf(parent: string | null): Promise<readonly string[]> {
    await this.#readChildren([parent]);
    return this.#children.get(parent) ?? [];
  }

  /** Returns the slugs of the children of a page except one child, in the form of {@link slugKey}. */
  async childSlugs(parent: string | null, except?: string): Promise<Set<string>> {
    let slugs = this.#slugs.get(parent);
    if (!slugs) {
      slugs = await this.#readSlugs(parent);
      for (const [id, record] of this.#pages) {
        const slug = record?.parent === parent ? slugOf(record) : undefined;
        if (slug === undefined) {
          slugs.delete(id);
        } else {
          slugs.set(id, slug);
        }
      }
      this.#slugs.set(parent, slugs);
    }
    return new Set([...slugs].flatMap(([id, slug]) => (id === except ? [] : [slugKey(slug)])));
  }

  /** Returns whether a page is another page or one of its descendants. */
  async isWithin(id: string, other: string): Promise<boolean> {
    for (let at: string | null = id; at !== null; at = (await this.page(at))?.parent ?? null) {
      if (at === other) {
        return true;
      }
    }
    return false;
  }

  /** Creates or replaces a page, optionally at a position among the children of its parent. */
  async put(record: PageRecord, at?: number): Promise<void> {
    const { id, parent } = record;
    const previous = await this.page(id);
    if (!previous || previous.parent !== parent || at !== undefined) {
      if (previous) {
        await this.#removeFromParent(previous);
      }
      const siblings = (await this.childrenOf(parent)).filter((sibling) => sibling !== id);
      this.#children.set(parent, siblings.toSpliced(at ?? siblings.length, 0, id));
    }
    this.#pages.set(id, record);
    const slug = slugOf(record);
    if (slug !== undefined) {
      this.#slugs.get(parent)?.set(id, slug);
    }
  }

  /** Reverts a page to its state in another revision. Its dates, too, if it has the same position there. */
  async revert(record: PageRecord, reverted: PageRecord, at?: number): Promise<void> {
    await this.put(record, at);
    this.#reverted.set(record.id, reverted);
  }

  /** Removes a page with its descendants. */
  async remove(record: PageRecord): Promise<void> {
    await this.#removeFromParent(record);
    const ids: string[] = [];
    for (let level: readonly string[] = [record.id]; level.length > 0; ) {
      ids.push(...level);
      level = await this.#removeChildren(level);
    }
    await this.#readPages(ids);
    for (const id of ids) {
      this.#pages.set(id, undefined);
    }
  }

  /** Returns the current text of a page. */
  async bodyOf(page: DocumentRecord): Promise<string> {
    return this.#markdown.get(page.body ?? '') ?? (await this.content.readBody(page));
  }

  /** Adds a text and returns its hash for records. */
  addText(markdown: string): string {
    const text = textObject(markdown);
    this.#texts.push(text);
    this.#markdown.set(text.hash, markdown);
    return text.hash;
  }

  /** @param bytes undefined if they are already stored */
  addFile(file: FileRecord, bytes: Uint8Array | undefined): void {
    this.#files.set(file.id, file);
    if (bytes) {
      this.#bytes.push(bytes);
    }
  }

  /** Returns the differences from the original revision; undefined if there are none. */
  changes(now: string): PlannedEdits | undefined {
    const pages = new Map<string, PageRecord | undefined>();
    for (const [id, record] of this.#pages) {
      const before = this.#before.get(id);
      const after = record && this.#dated(record, before, now);
      if (after === before || (after && before && isSameRecord(after, before))) {
        continue;
      }
      pages.set(id, after);
    }
    const children = new Map<string | null, readonly string[]>();
    for (const [parent, ids] of this.#children) {
      if (!isSameList(ids, this.#childrenBefore.get(parent) ?? [])) {
        children.set(parent, ids);
      }
    }
    if (pages.size === 0 && children.size === 0 && this.#files.size === 0) {
      return undefined;
    }
    return { pages, children, files: this.#files, texts: this.#texts, bytes: this.#bytes };
  }

  #dated(record: PageRecord, before: PageRecord | undefined, now: string): PageRecord {
    const reverted = this.#reverted.get(record.id);
    if (reverted && isSameRecord(undated(record), undated(reverted))) {
      return reverted;
    }
    if (before) {
      return dated(undated(record), before, now);
    }
    if (!reverted) {
      return { ...undated(record), createdAt: now };
    }
    return { ...undated(record), createdAt: reverted.createdAt ?? now, updatedAt: now };
  }

  /** Reads existing pages in the order of their IDs, loading missing ones at once. */
  async #readPages(ids: readonly string[]): Promise<PageRecord[]> {
    const missing = ids.filter((id) => !this.#pages.has(id));
    const loaded = await this.content.readPages(missing);
    for (const id of missing) {
      this.#pages.set(id, loaded.get(id));
      this.#before.set(id, loaded.get(id));
    }
    return ids.flatMap((id) => this.#pages.get(id) ?? []);
  }

  /** Reads the original slugs of the children of a page, from a single list of the index if the content has one. */
  async #readSlugs(parent: string | null): Promise<Map<string, string>> {
    const { roots, load } = this.content;
    if (!roots.index) {
      const slugs = new Map<string, string>();
      for (const record of await this.content.readChildren(parent)) {
        const slug = slugOf(record);
        if (slug !== undefined) {
          slugs.set(record.id, slug);
        }
      }
      return slugs;
    }
    const { list } = slugLocation(parent, '');
    const items = asIds((await get(roots.index.places, [list], load)).get(list));
    return new Map(items.map(itemOfPage));
  }

  /** Loads missing lists of children at once. */
  async #readChildren(parents: ReadonlyArray<string | null>): Promise<void> {
    const missing = parents.filter((parent) => !this.#children.has(parent));
    if (missing.length === 0) {
      return;
    }
    const { roots, load } = this.content;
    const lists = await get(roots.pages, missing.map(childrenKey), load);
    for (const parent of missing) {
      const ids = asIds(lists.get(childrenKey(parent)));
      this.#children.set(parent, ids);
      this.#childrenBefore.set(parent, ids);
    }
  }

  /** Removes the children of pages and returns their IDs. */
  async #removeChildren(parents: readonly string[]): Promise<string[]> {
    await this.#readChildren(parents);
    return parents.flatMap((parent) => {
      const ids = this.#children.get(parent) ?? [];
      this.#children.set(parent, []);
      this.#slugs.delete(parent);
      return ids;
    });
  }

  async #removeFromParent({ id, parent }: PageRecord): Promise<void> {
    this.#children.set(
      parent,
      (await this.childrenOf(parent)).filter((sibling) => sibling !== id),
    );
    this.#slugs.get(parent)?.delete(id);
  }
}

/** Returns a record without its dates. */
function undated({ createdAt: _created, updatedAt: _updated, ...record }: PageRecord): PageRecord {
  return record;
}

/** Parses an item of the index, `<slug>/p:<id>`, into the ID and slug of a page. */
function itemOfPage(item: string): [id: string, slug: string] {
  const end = item.lastIndexOf(locationItem('', pageKey('')));
  return [item.slice(end + locationItem('', pageKey('')).length), item.slice(0, end)];
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, at) => id === b[at]);
