/** The anchors of a page: of its headings, expandable blocks, operations, title, and of elements with IDs. */
import type { AnyBlock } from '../document.ts';
import { Slugs } from '../slug.ts';
import { anchorOfTitle, otherForms } from './forms.ts';
import { type AnchorNames, findAnchor, keyOf, SITE_ID_PREFIX } from './names.ts';
import { type AnchoredBlock, anchoredIn, type IncludeBlocks } from './walk.ts';

/** The ID of a block, and the other IDs that hosts derive from its title, unless other elements have them. */
export interface BlockAnchor {
  id: string;
  others: readonly string[];
}

/** A text that hosts derive anchors from. */
interface Titled {
  id: string;
  title: string;
}

/** Assigns the anchors of a page. */
export class PageAnchors {
  /** ID of the title of the page; undefined without a title, or if a heading has the same ID. */
  readonly titleId: string | undefined;
  readonly #slugs = new Slugs();
  readonly #names = new Map<string, string>();
  readonly #titles = new Map<string, string>();
  /** Anchors of blocks, in order; a block that is included several times has several. */
  readonly #anchors = new Map<AnyBlock, BlockAnchor[]>();
  /** IDs of elements that are still to be shown. */
  readonly #elements = new Set<string>();

  /**
   * @param title of the page; links to it lead to its top
   * @param include returns the blocks that replace references to reusable contents
   */
  constructor(
    blocks: readonly AnyBlock[],
    { title, include }: { title?: string | undefined; include?: IncludeBlocks | undefined } = {},
  ) {
    const { headings, elements, others } = anchoredIn(blocks, include);
    const own = [...headings, ...others].map(
      ({ id }) => id && isAllowed(id) && this.#slugs.unique(shown(id)),
    );
    const assigned: Array<{ anchored: AnchoredBlock; id: string }> = [];
    for (const [at, anchored] of headings.entries()) {
      assigned.push({ anchored, id: own[at] || this.#slugs.of(anchored.title) });
    }
    for (const id of elements.map(shown)) {
      if (isAllowed(id) && !this.#slugs.has(id)) {
        this.#elements.add(this.#slugs.unique(id));
      }
    }
    for (const [at, anchored] of others.entries()) {
      assigned.push({ anchored, id: own[headings.length + at] || this.#slugs.of(anchored.title) });
    }
    this.titleId =
      title === undefined || this.#slugs.has(anchorOfTitle(title)) ? undefined : this.#slugs.of(title);
    for (const id of [...assigned.map((one) => one.id), ...this.#elements]) {
      this.#names.set(id, id);
    }
    const counts = new Map<string, number>();
    for (const { anchored, id } of assigned) {
      this.#titles.set(id, anchored.title);
      const anchor = { id, others: this.#nameTitle({ id, title: anchored.title }, counts) };
      this.#anchors.set(anchored.block, [...(this.#anchors.get(anchored.block) ?? []), anchor]);
    }
    for (const id of this.#elements) {
      this.#nameKey(id, id);
    }
    if (this.titleId !== undefined && title !== undefined) {
      this.#names.set(this.titleId, this.titleId);
      this.#nameTitle({ id: this.titleId, title }, counts);
    }
  }

  /** IDs by all names that lead to them. */
  get names(): AnchorNames {
    return this.#names;
  }

  /** Titles of sections by their IDs; those of elements are omitted. */
  get titles(): ReadonlyMap<string, string> {
    return this.#titles;
  }

  /** Returns the ID that a fragment leads to. */
  find(fragment: string): string | undefined {
    return findAnchor(this.#names, fragment);
  }

  /** Returns the anchor of a block: of its next occurrence, or the last. */
  next(block: AnyBlock): BlockAnchor | undefined {
    const anchors = this.#anchors.get(block);
    return anchors && anchors.length > 1 ? anchors.shift() : anchors?.[0];
  }

  /** Returns whether an element is the first with its ID, so that it is shown with it. */
  takeElement(id: string): boolean {
    return this.#elements.delete(shown(id));
  }

  /** Returns an anchor that nothing on the page has. */
  unique(title: string): string {
    return this.#slugs.of(title);
  }

  /** Names an ID by the forms of its title; returns those that only lead to it. */
  #nameTitle({ id, title }: Titled, counts: Map<string, number>): string[] {
    this.#nameKey(id, id);
    const forms: string[] = [];
    for (const form of [anchorOfTitle(title), ...otherForms(title)]) {
      const count = counts.get(form) ?? 0;
      counts.set(form, count + 1);
      const name = count === 0 ? form : `${form}-${count}`;
      if (!this.#names.has(name)) {
        this.#names.set(name, id);
        forms.push(name);
      }
      this.#nameKey(name, id);
    }
    return forms;
  }

  #nameKey(name: string, id: string): void {
    const key = keyOf(name);
    if (!this.#names.has(key)) {
      this.#names.set(key, id);
    }
  }
}

/** Returns an ID as markup contains it. */
const shown = (id: string): string => id.toWellFormed().replaceAll('\0', '\ufffd');

const isAllowed = (id: string): boolean => !id.startsWith(SITE_ID_PREFIX);
