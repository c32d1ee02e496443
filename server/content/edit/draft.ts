import { placeItem, slugPlace } from '../links/places.ts';
import { asIds, type Content } from '../tree/content.ts';
import { dated, sameRecord } from '../tree/dates.ts';
import { type ContentObject, textObject } from '../tree/objects.ts';
import { childrenKey, type FileRecord, type PageRecord, pageKey, slugOf } from '../tree/records.ts';
import { get } from '../tree/trie.ts';
import { slugKey } from './slugs.ts';
import type { PlannedEdits } from './types.ts';

/**
 * Content while it is edited. It starts as that of a revision, of which it loads what is asked for, and tells at
 * the end what became different. Dates are not looked at in between.
 */
export class ContentDraft {
  readonly #content: Content;
  /** Pages that were looked at, as they are now and as they were; undefined for those that are not there. */
  readonly #pages = new Map<string, PageRecord | undefined>();
  readonly #before = new Map<string, PageRecord | undefined>();
  /** The ids of the pages below pages that were looked at, in order, as they are now and as they were. */
  readonly #children = new Map<string | null, readonly string[]>();
  readonly #childrenBefore = new Map<string | null, readonly string[]>();
  /** The slugs of the pages below a page, by their ids. */
  readonly #slugs = new Map<string | null, Map<string, string>>();
  /** Pages as another revision has them. */
  readonly #reverted = new Map<string, PageRecord>();
  readonly #files = new Map<string, FileRecord>();
  readonly #texts: ContentObject[] = [];
  readonly #bytes: Uint8Array[] = [];

  constructor(content: Content) {
    this.#content = content;
  }

  /** A page as it is now, or undefined. */
  async page(id: string): Promise<PageRecord | undefined> {
    if (!this.#pages.has(id)) {
      const record = (await this.#content.readPages([id])).get(id);
      this.#pages.set(id, record);
      this.#before.set(id, record);
    }
    return this.#pages.get(id);
  }

  /** The ids of the pages directly below a page (null: at the top), in order. */
  async childrenOf(parent: string | null): Promise<readonly string[]> {
    await this.#readChildren([parent]);
    return this.#children.get(parent) ?? [];
  }

  /** The slugs that pages directly below a page have, but for one of them, in the form of {@link slugKey}. */
  async slugsBelow(parent: string | null, except?: string): Promise<Set<string>> {
    let slugs = this.#slugs.get(parent);
    if (!slugs) {
      slugs = await this.#readSlugs(parent);
      for (const [id, record] of this.#pages) {
        const slug = record?.parent === parent ? slugOf(record) : undefined;
        if (slug === undefined) slugs.delete(id);
        else slugs.set(id, slug);
      }
      this.#slugs.set(parent, slugs);
    }
    return new Set([...slugs].flatMap(([id, slug]) => (id === except ? [] : [slugKey(slug)])));
  }

  /** Whether a page is another one, or stands somewhere below it. */
  async isWithin(id: string, other: string): Promise<boolean> {
    for (let at: string | null = id; at !== null; at = (await this.page(at))?.parent ?? null)
      if (at === other) return true;
    return false;
  }

  /** Puts a page in the place of the one with its id, or makes it, at a place among the pages of its parent. */
  async put(record: PageRecord, at?: number): Promise<void> {
    const { id, parent } = record;
    const was = await this.page(id);
    if (!was || was.parent !== parent || at !== undefined) {
      if (was) await this.#takeOut(was);
      const siblings = (await this.childrenOf(parent)).filter((sibling) => sibling !== id);
      this.#children.set(parent, siblings.toSpliced(at ?? siblings.length, 0, id));
    }
    this.#pages.set(id, record);
    const slug = slugOf(record);
    if (slug !== undefined) this.#slugs.get(parent)?.set(id, slug);
  }

  /** Puts a page back to what another revision has; where it stands just as there, it keeps its dates. */
  async revert(record: PageRecord, was: PageRecord, at?: number): Promise<void> {
    await this.put(record, at);
    this.#reverted.set(record.id, was);
  }

  /** Takes a page out, with all below it. */
  async remove(record: PageRecord): Promise<void> {
    await this.#takeOut(record);
    const ids: string[] = [];
    for (let level: readonly string[] = [record.id]; level.length > 0; ) {
      ids.push(...level);
      level = await this.#takeChildren(level);
    }
    await this.#readPages(ids);
    for (const id of ids) this.#pages.set(id, undefined);
  }

  /** Takes a text up, and answers how records name it. */
  addText(markdown: string): string {
    const text = textObject(markdown);
    this.#texts.push(text);
    return text.hash;
  }

  /** @param bytes undefined where they are stored already */
  addFile(file: FileRecord, bytes: Uint8Array | undefined): void {
    this.#files.set(file.id, file);
    if (bytes) this.#bytes.push(bytes);
  }

  /** What is different from the revision that it started from; undefined where nothing is. */
  changes(now: string): PlannedEdits | undefined {
    const pages = new Map<string, PageRecord | undefined>();
    for (const [id, record] of this.#pages) {
      const before = this.#before.get(id);
      const after = record && this.#dated(record, before, now);
      if (after === before || (after && before && sameRecord(after, before))) continue;
      pages.set(id, after);
    }
    const children = new Map<string | null, readonly string[]>();
    for (const [parent, ids] of this.#children)
      if (!sameList(ids, this.#childrenBefore.get(parent) ?? [])) children.set(parent, ids);
    if (pages.size === 0 && children.size === 0 && this.#files.size === 0) return undefined;
    return { pages, children, files: this.#files, texts: this.#texts, bytes: this.#bytes };
  }

  #dated(record: PageRecord, before: PageRecord | undefined, now: string): PageRecord {
    const was = this.#reverted.get(record.id);
    if (was && sameRecord(undated(record), undated(was))) return was;
    if (before) return dated(undated(record), before, now);
    if (!was) return { ...undated(record), createdAt: now };
    return { ...undated(record), createdAt: was.createdAt ?? now, updatedAt: now };
  }

  /** Pages that are there, in the order of their ids, all that were not looked at loaded at once. */
  async #readPages(ids: readonly string[]): Promise<PageRecord[]> {
    const unknown = ids.filter((id) => !this.#pages.has(id));
    const loaded = await this.#content.readPages(unknown);
    for (const id of unknown) {
      this.#pages.set(id, loaded.get(id));
      this.#before.set(id, loaded.get(id));
    }
    return ids.flatMap((id) => this.#pages.get(id) ?? []);
  }

  /** The slugs below a page as they were: one list of the index, where the content has one. */
  async #readSlugs(parent: string | null): Promise<Map<string, string>> {
    const { roots, load } = this.#content;
    if (!roots.index) {
      const slugs = new Map<string, string>();
      for (const record of await this.#content.readChildren(parent)) {
        const slug = slugOf(record);
        if (slug !== undefined) slugs.set(record.id, slug);
      }
      return slugs;
    }
    const { list } = slugPlace(parent, '');
    const items = asIds((await get(roots.index.places, [list], load)).get(list));
    return new Map(items.map(itemOfPage));
  }

  /** Loads the lists of children that were not looked at, all at once. */
  async #readChildren(parents: ReadonlyArray<string | null>): Promise<void> {
    const unknown = parents.filter((parent) => !this.#children.has(parent));
    if (unknown.length === 0) return;
    const { roots, load } = this.#content;
    const lists = await get(roots.pages, unknown.map(childrenKey), load);
    for (const parent of unknown) {
      const ids = asIds(lists.get(childrenKey(parent)));
      this.#children.set(parent, ids);
      this.#childrenBefore.set(parent, ids);
    }
  }

  /** Leaves pages without children, and answers whom they had. */
  async #takeChildren(parents: readonly string[]): Promise<string[]> {
    await this.#readChildren(parents);
    return parents.flatMap((parent) => {
      const ids = this.#children.get(parent) ?? [];
      this.#children.set(parent, []);
      this.#slugs.delete(parent);
      return ids;
    });
  }

  async #takeOut({ id, parent }: PageRecord): Promise<void> {
    this.#children.set(
      parent,
      (await this.childrenOf(parent)).filter((sibling) => sibling !== id),
    );
    this.#slugs.get(parent)?.delete(id);
  }
}

/** A record as if it had never been dated. */
function undated({ createdAt: _created, updatedAt: _updated, ...record }: PageRecord): PageRecord {
  return record;
}

/** A page and its slug, as the index lists them: `<slug>/p:<id>`. */
function itemOfPage(item: string): [id: string, slug: string] {
  const end = item.lastIndexOf(placeItem('', pageKey('')));
  return [item.slice(end + placeItem('', pageKey('')).length), item.slice(0, end)];
}

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, at) => id === b[at]);
