import { Content } from '../tree/content.ts';
import {
  type ComputedRecord,
  type PageNode,
  type PageRecord,
  pathWithin,
  type ReusableRecord,
  slugOf,
} from '../tree/records.ts';
import { slugify, UniqueNames } from '../tree/slugs.ts';
import {
  type ComputedEntry,
  type ComputedPages,
  type ComputeEntry,
  entryOfChild,
  type PrintablePage,
} from './pages.ts';

/** ID of the page about the specification of a fully computed space. */
export const COMPUTED_SPACE_PAGE_ID = 'computed';

type Pages = ComputedPages<PrintablePage>;

/** Returns content with computed pages in place of the entries that specify their source. */
export function withComputed(content: Content, compute: ComputeEntry): Content {
  return new ComputedContent(content, compute);
}

/**
 * Content that computes pages on demand: one page requires its entry, that entry's siblings and the specification. An
 * entry that cannot be computed (its specification is missing or was never read, or its type is unknown) stays an
 * entry.
 */
class ComputedContent extends Content {
  readonly #stored: Content;
  readonly #computePages: ComputeEntry;
  /** Pages of entries by entry ID. */
  readonly #computed = new Map<string, Promise<Pages | undefined>>();

  constructor(stored: Content, compute: ComputeEntry) {
    super(stored.roots, stored.load);
    this.#stored = stored;
    this.#computePages = compute;
  }

  override async readTree(): Promise<PageNode[]> {
    const whole = await this.#whole();
    const used = whole ? [whole.overview.record.slug] : [];
    const stored = await this.#replaceIn(await this.#stored.readTree(), used);
    return whole ? [nodeOf(whole, ''), ...stored] : stored;
  }

  override async readPage(id: string): Promise<PageNode | undefined> {
    const stored = await this.#stored.readPage(id);
    if (stored && stored.record.type !== 'computed') {
      return { ...stored, pages: await this.#replaceIn(stored.pages, []) };
    }
    const [record] = (await this.readPages([id])).values();
    if (!record) {
      return undefined;
    }
    const page = (await this.readLocatedPages([id])).get(id);
    if (!page) {
      return undefined;
    }
    const computed = record.type === 'document' ? await this.#pagesOf(id) : undefined;
    return computed ? nodeOf(computed, parentPath(page.path)) : { ...page, pages: [] };
  }

  override async readPages(ids: Iterable<string>): Promise<Map<string, PageRecord>> {
    const requested = [...ids];
    const stored = await this.#stored.readPages(requested);
    const records = new Map<string, PageRecord>();
    for (const id of requested) {
      const record = stored.get(id);
      const computed = !record || record.type === 'computed' ? await this.#findComputed(id) : undefined;
      const resolved = computed?.record ?? record;
      if (resolved) {
        records.set(id, resolved);
      }
    }
    return records;
  }

  override async readChildren(parent: string | null): Promise<PageRecord[]> {
    if (parent !== null) {
      const computed = await this.#pagesOf(parent);
      if (computed) {
        return computed.children.map(({ record }) => record);
      }
    }
    const ids = (await this.#stored.readChildren(parent)).map(({ id }) => id);
    const stored = [...(await this.readPages(ids)).values()];
    const whole = parent === null ? await this.#whole() : undefined;
    return whole ? [whole.overview.record, ...stored] : stored;
  }

  override async readBodies(records: Iterable<PageRecord | ReusableRecord>): Promise<Map<string, string>> {
    const all = [...records];
    const bodies = await this.#stored.readBodies(all);
    for (const record of all) {
      if (!('computed' in record) || record.type !== 'document') {
        continue;
      }
      const page = await this.#findComputed(record.id);
      if (page) {
        bodies.set(record.id, await page.printBody());
      }
    }
    return bodies;
  }

  /** Returns the computed page with an ID. */
  async #findComputed(id: string): Promise<PrintablePage | undefined> {
    const pagesOfEntry = await this.#pagesOf(id);
    if (pagesOfEntry) {
      return pagesOfEntry.overview;
    }
    const entry = entryOfChild(id);
    const pages = entry === undefined ? undefined : await this.#pagesOf(entry);
    return pages?.children.find(({ record }) => record.id === id);
  }

  /** Returns the pages that replace an entry; undefined if the ID is not that of an entry. */
  #pagesOf(id: string): Promise<Pages | undefined> {
    if (id === COMPUTED_SPACE_PAGE_ID) {
      return this.#whole();
    }
    const pages = this.#computed.get(id) ?? this.#compute(id);
    this.#computed.set(id, pages);
    return pages;
  }

  async #compute(id: string): Promise<Pages | undefined> {
    const record = (await this.#stored.readPages([id])).get(id);
    if (record?.type !== 'computed') {
      return undefined;
    }
    const { parent } = record;
    const used = parent === null ? ((await this.#whole())?.overview.record.slug ?? '') : '';
    const slugs = slugsAmong(await this.#stored.readChildren(parent), [used]);
    return await this.#computeEntry(record, slugs.get(id));
  }

  async #computeEntry(record: ComputedRecord, slug: string | undefined): Promise<Pages | undefined> {
    const { id, parent, title, emoji, icon, computed: source } = record;
    if (!isOpenAPI(source)) {
      return undefined;
    }
    return await this.#computePages({
      id,
      parent,
      title,
      source,
      ...(emoji !== undefined && { emoji }),
      ...(icon !== undefined && { icon }),
      ...(slug !== undefined && { slug }),
    });
  }

  /** Returns the pages of a fully computed space. */
  #whole(): Promise<Pages | undefined> {
    const pages = this.#computed.get(COMPUTED_SPACE_PAGE_ID) ?? this.#computeWhole();
    this.#computed.set(COMPUTED_SPACE_PAGE_ID, pages);
    return pages;
  }

  async #computeWhole(): Promise<Pages | undefined> {
    const source = await this.#stored.readComputed();
    if (!source || !isOpenAPI(source)) {
      return undefined;
    }
    return await this.#computePages({ id: COMPUTED_SPACE_PAGE_ID, parent: null, source });
  }

  /** Replaces the entries among siblings and their descendants. `used` are further slugs that siblings use. */
  async #replaceIn(nodes: readonly PageNode[], used: readonly string[]): Promise<PageNode[]> {
    const records = nodes.map(({ record }) => record);
    let slugs: Map<string, string> | undefined;
    const result: PageNode[] = [];
    for (const node of nodes) {
      const { record } = node;
      if (record.type !== 'computed') {
        const pages = node.pages.length === 0 ? node.pages : await this.#replaceIn(node.pages, []);
        result.push({ ...node, pages });
        continue;
      }
      slugs ??= slugsAmong(records, used);
      const pages = this.#computed.get(record.id) ?? this.#computeEntry(record, slugs.get(record.id));
      this.#computed.set(record.id, pages);
      const computed = await pages;
      // An entry has no slug: its path is that of its parent.
      result.push(computed ? nodeOf(computed, node.path) : node);
    }
    return result;
  }
}

/** Returns the slugs of the computed entries among siblings, unique among all of them. */
function slugsAmong(siblings: readonly PageRecord[], used: readonly string[]): Map<string, string> {
  const names = new UniqueNames();
  for (const slug of [...used, ...siblings.map((record) => slugOf(record) ?? '')]) {
    if (slug !== '') {
      names.assign(slug);
    }
  }
  return new Map(
    siblings.flatMap((record) =>
      record.type === 'computed' ? [[record.id, names.assign(slugify(record.title))] as const] : [],
    ),
  );
}

function nodeOf({ overview, children }: Pages, parent: string): PageNode {
  const path = pathWithin(parent, overview.record);
  return {
    record: overview.record,
    path,
    pages: children.map(({ record }) => ({ record, path: pathWithin(path, record), pages: [] })),
  };
}

const isOpenAPI = (source: ComputedRecord['computed']): source is ComputedEntry['source'] =>
  source.type === 'builtin:openapi';

const parentPath = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
