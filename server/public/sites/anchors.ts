/** Finds the anchors of the pages that links of a site lead to. */
import { AnchorReader } from '../../content/threads/anchor-reader.ts';
import type { Documents } from '../../content/threads/documents.ts';
import type { Content, LocatedPage } from '../../content/tree/content.ts';
import type { ReadingSpace } from '../../models/sites/spaces.ts';
import type { ReadingSite } from './reading-site.ts';

/** What the anchors of pages are read with. */
interface AnchorContext {
  reading: ReadingSite;
  documents: Documents;
  /** URL of the app. */
  app: string;
  /** The space of the page with the links, and its content. */
  space: ReadingSpace;
  content: Content;
}

/** Finds the anchors of the pages of the spaces of a site. */
export class SiteAnchors {
  readonly #context: AnchorContext;
  readonly #own: AnchorReader;
  readonly #others = new Map<string, { content: Promise<Content>; reader?: AnchorReader }>();

  constructor(context: AnchorContext) {
    const { space, content, documents, app } = context;
    this.#context = context;
    this.#own = new AnchorReader(content, documents, { space: space.id, app });
  }

  /** Returns the ID on a page of the same space that a fragment leads to; the fragment itself if there is none. */
  async find(page: LocatedPage, fragment: string): Promise<string> {
    return (await this.#own.find(page, fragment)) ?? fragment;
  }

  /** Returns the ID on a page of another space that a fragment leads to; the fragment itself if there is none. */
  async findElsewhere(space: ReadingSpace, page: string, fragment: string): Promise<string> {
    const { reading, documents, app } = this.#context;
    const other = this.#others.get(space.id) ?? { content: reading.open(space) };
    this.#others.set(space.id, other);
    const content = await other.content;
    other.reader ??= new AnchorReader(content, documents, { space: space.id, app });
    const located = (await content.readLocatedPages([page])).get(page);
    return (located && (await other.reader.find(located, fragment))) ?? fragment;
  }
}
