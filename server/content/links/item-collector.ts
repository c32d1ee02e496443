import { addressesOfInclude } from '../includes/places.ts';
import { isMarkdown } from '../repository/files.ts';
import type { Content, LocatedPage } from '../tree/content.ts';
import type { PageRecord, ReusableRecord } from '../tree/records.ts';
import { canonicalJson } from '../tree/values.ts';
import { isYieldDue, yieldToEventLoop } from '../tree/yielding.ts';
import {
  type Address,
  anchorOf,
  locationOfPage,
  locationOfReusable,
  parseAddress,
  type TextLocation,
} from './address.ts';
import { addTo, type IndexItems } from './index-items.ts';
import { INCLUDES_KEY, includeKey, linkKey, type Source, writeEnd } from './keys.ts';
import { linksOfPage } from './links-of-page.ts';
import { type LocationKey, locationItem } from './locations.ts';
import { type Relation, refsOfRecord } from './references.ts';
import { includedPath } from './text-links.ts';

/** Returns whether the links in a page are relative to the page's own path. */
export const isLocal = (record: PageRecord): boolean => record.type === 'document' && !record.git;

/** Whether the text of a reusable content is Markdown: pages also include code. */
const isMarkup = ({ git }: ReusableRecord): boolean => git === undefined || isMarkdown(git.path);

/** Collects the items of a revision in the index, limited to what a change affects. */
export class ItemCollector {
  readonly content: Content;
  readonly items: IndexItems;
  readonly pages = new Map<string, LocatedPage>();
  readonly reusables: ReusableRecord[] = [];
  /** Link destinations of texts by hash. */
  readonly addresses = new Map<string, readonly string[]>();

  /** @param items receives the items */
  constructor(content: Content, items: IndexItems) {
    this.content = content;
    this.items = items;
  }

  /** Selects pages with indexed links. Looks up paths only for pages with links that are relative to them. */
  async selectPages(...maps: ReadonlyArray<ReadonlyMap<string, PageRecord>>): Promise<void> {
    const records = maps.flatMap((map) => [...map.values()]);
    const located = await this.content.readLocatedPages(records.filter(isLocal).map(({ id }) => id));
    for (const record of records) {
      this.pages.set(record.id, { record, path: located.get(record.id)?.path ?? '' });
    }
  }

  /** Lists the hashes of the texts of some pages, and of all selected reusable contents. */
  *hashes(ids: readonly string[]): Generator<string> {
    for (const id of ids) {
      const record = this.pages.get(id)?.record;
      if (record?.type === 'document' && record.body !== undefined) {
        yield record.body;
      }
    }
    for (const { body } of this.reusables) {
      yield body;
    }
  }

  /** Returns a text that is equal if and only if all inputs of the page's links are equal. */
  fingerprint(id: string): string | undefined {
    const page = this.pages.get(id);
    if (!page) {
      return undefined;
    }
    const { record, path } = page;
    const refs = [...refsOfRecord(record)].map(({ relation, ref }) => ({ relation, ref: { ...ref } }));
    const body = record.type === 'document' ? record.body : undefined;
    return canonicalJson({ refs, body, location: { ...locationOfPage(record, path) } });
  }

  /** Adds the links of a selected page. */
  async addLinksOf(id: string): Promise<void> {
    const page = this.pages.get(id);
    if (!page) {
      return;
    }
    const { record } = page;
    const body = record.type === 'document' ? record.body : undefined;
    const written = (body === undefined ? undefined : this.addresses.get(body)) ?? [];
    this.#addIncludes({ kind: 'page', id }, written, locationOfPage(record, page.path));
    for (const { relation, address } of linksOfPage(page, written)) {
      this.addLink({ kind: 'page', id }, relation, address);
      if (isYieldDue()) {
        await yieldToEventLoop();
      }
    }
  }

  /** Adds the links of all selected reusable contents. */
  async addLinksOfReusables(): Promise<void> {
    for (const record of this.reusables.filter(isMarkup)) {
      const from = locationOfReusable(record);
      const source: Source = { kind: 'reusable-content', id: record.id };
      const addresses = this.addresses.get(record.body) ?? [];
      this.#addIncludes(source, addresses, { path: record.git?.path ?? from.path });
      for (const written of addresses.filter((address) => includedPath(address) === undefined)) {
        this.addLink(source, 'reference', parseAddress(written, from));
        if (isYieldDue()) {
          await yieldToEventLoop();
        }
      }
    }
  }

  #addIncludes(source: Source, written: readonly string[], from: TextLocation): void {
    const paths = written.flatMap((address) => includedPath(address) ?? []);
    for (const address of paths.flatMap((path) => addressesOfInclude(path, from))) {
      if (address.kind === 'path') {
        addTo(this.items.links, includeKey(address.path), writeEnd({ source }));
      }
    }
    if (paths.length > 0) {
      addTo(this.items.links, INCLUDES_KEY, writeEnd({ source }));
    }
  }

  /** Adds the locations of an entry. */
  addLocations(locations: readonly LocationKey[], of: string): void {
    for (const { list, name } of locations) {
      addTo(this.items.locations, list, locationItem(name, of));
    }
  }

  /** Adds a link. */
  addLink(source: Source, relation: Relation, address: Address): void {
    const key = linkKey(relation, address, source);
    const anchor = anchorOf(address);
    if (key !== undefined) {
      addTo(this.items.links, key, writeEnd({ source, ...(anchor !== undefined && { anchor }) }));
    }
  }
}
