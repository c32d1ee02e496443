import { slugify, UniqueNames } from '../repository/slugs.ts';
import { Content } from '../tree/content.ts';
import {
  type ComputedRecord,
  type PageNode,
  type PageRecord,
  pathBelow,
  type ReusableRecord,
  slugOf,
} from '../tree/records.ts';
import {
  type ComputedEntry,
  type ComputedPages,
  type ComputeEntry,
  entryOfChild,
  type PrintablePage,
} from './pages.ts';

/** The id of the page about the specification of a space whose whole content is computed. */
export const WHOLE = 'computed';

type Pages = ComputedPages<PrintablePage>;

/** Content with computed pages in the place of the entries that say where they are computed from. */
export function withComputed(content: Content, compute: ComputeEntry): Content {
  return new ComputedContent(content, compute);
}

/**
 * Reads like the content under it, and computes what it is asked for: one page needs its entry, the entries
 * beside that, and the specification. An entry that cannot be computed (its specification is missing or was
 * never read, or nobody here computes it) stays what it is.
 */
class ComputedContent extends Content {
  readonly #stored: Content;
  readonly #computePages: ComputeEntry;
  /** The pages of entries by the id of the entry. */
  readonly #computed = new Map<string, Promise<Pages | undefined>>();

  constructor(stored: Content, compute: ComputeEntry) {
    super(stored.roots, stored.load);
    this.#stored = stored;
    this.#computePages = compute;
  }

  override async readTree(): Promise<PageNode[]> {
    const whole = await this.#whole();
    const taken = whole ? [whole.overview.record.slug] : [];
    const stored = await this.#replaceIn(await this.#stored.readTree(), taken);
    return whole ? [nodeOf(whole, ''), ...stored] : stored;
  }

  override async readPage(id: string): Promise<PageNode | undefined> {
    const stored = await this.#stored.readPage(id);
    if (stored && stored.record.type !== 'computed')
      return { ...stored, pages: await this.#replaceIn(stored.pages, []) };
    const [record] = (await this.readPages([id])).values();
    if (!record) return undefined;
    const place = (await this.readPlaces([id])).get(id);
    if (!place) return undefined;
    const computed = record.type === 'document' ? await this.#pagesOf(id) : undefined;
    return computed ? nodeOf(computed, parentPath(place.path)) : { ...place, pages: [] };
  }

  override async readPages(ids: Iterable<string>): Promise<Map<string, PageRecord>> {
    const wanted = [...ids];
    const stored = await this.#stored.readPages(wanted);
    const found = new Map<string, PageRecord>();
    for (const id of wanted) {
      const record = stored.get(id);
      const shown = !record || record.type === 'computed' ? await this.#findComputed(id) : undefined;
      const kept = shown?.record ?? record;
      if (kept) found.set(id, kept);
    }
    return found;
  }

  override async readChildren(parent: string | null): Promise<PageRecord[]> {
    if (parent !== null) {
      const computed = await this.#pagesOf(parent);
      if (computed) return computed.below.map(({ record }) => record);
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
      if (!('computed' in record) || record.type !== 'document') continue;
      const page = await this.#findComputed(record.id);
      if (page) bodies.set(record.id, await page.printBody());
    }
    return bodies;
  }

  /** The computed page with an id. */
  async #findComputed(id: string): Promise<PrintablePage | undefined> {
    const own = await this.#pagesOf(id);
    if (own) return own.overview;
    const entry = entryOfChild(id);
    const pages = entry === undefined ? undefined : await this.#pagesOf(entry);
    return pages?.below.find(({ record }) => record.id === id);
  }

  /** The pages in the place of an entry; undefined where the id is no such entry's. */
  #pagesOf(id: string): Promise<Pages | undefined> {
    if (id === WHOLE) return this.#whole();
    const known = this.#computed.get(id) ?? this.#compute(id);
    this.#computed.set(id, known);
    return known;
  }

  async #compute(id: string): Promise<Pages | undefined> {
    const record = (await this.#stored.readPages([id])).get(id);
    if (record?.type !== 'computed') return undefined;
    const { parent } = record;
    const taken = parent === null ? ((await this.#whole())?.overview.record.slug ?? '') : '';
    const slugs = slugsAmong(await this.#stored.readChildren(parent), [taken]);
    return await this.#computeEntry(record, slugs.get(id));
  }

  async #computeEntry(record: ComputedRecord, slug: string | undefined): Promise<Pages | undefined> {
    const { id, parent, title, emoji, icon, computed: source } = record;
    if (!isOpenAPI(source)) return undefined;
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

  /** The pages of a space whose whole content is computed. */
  #whole(): Promise<Pages | undefined> {
    const known = this.#computed.get(WHOLE) ?? this.#computeWhole();
    this.#computed.set(WHOLE, known);
    return known;
  }

  async #computeWhole(): Promise<Pages | undefined> {
    const source = await this.#stored.readComputed();
    if (!source || !isOpenAPI(source)) return undefined;
    return await this.#computePages({ id: WHOLE, parent: null, source });
  }

  /** Siblings with all below them, their entries replaced. `taken` are slugs beside them. */
  async #replaceIn(nodes: readonly PageNode[], taken: readonly string[]): Promise<PageNode[]> {
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
      slugs ??= slugsAmong(records, taken);
      const known = this.#computed.get(record.id) ?? this.#computeEntry(record, slugs.get(record.id));
      this.#computed.set(record.id, known);
      const computed = await known;
      // An entry has no slug: its path is that of the page above it.
      result.push(computed ? nodeOf(computed, node.path) : node);
    }
    return result;
  }
}

/** The slugs of the computed entries among siblings, unique among all of them. */
function slugsAmong(siblings: readonly PageRecord[], taken: readonly string[]): Map<string, string> {
  const names = new UniqueNames();
  for (const slug of [...taken, ...siblings.map((record) => slugOf(record) ?? '')])
    if (slug !== '') names.take(slug);
  return new Map(
    siblings.flatMap((record) =>
      record.type === 'computed' ? [[record.id, names.take(slugify(record.title))] as const] : [],
    ),
  );
}

function nodeOf({ overview, below }: Pages, parent: string): PageNode {
  const path = pathBelow(parent, overview.record);
  return {
    record: overview.record,
    path,
    pages: below.map(({ record }) => ({ record, path: pathBelow(path, record), pages: [] })),
  };
}

const isOpenAPI = (source: ComputedRecord['computed']): source is ComputedEntry['source'] =>
  source.type === 'builtin:openapi';

const parentPath = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
