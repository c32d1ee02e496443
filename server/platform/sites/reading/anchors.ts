/** Finds the anchors of the pages that links of a site lead to. */
import { AnchorReader, type FoundSection } from '../../../content/threads/anchor-reader.ts';
import type { Documents } from '../../../content/threads/documents.ts';
import type { Content, LocatedPage } from '../../../content/tree/content.ts';
import type { ReadingSpace } from '../structure/spaces.ts';
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
    const { reading, space, content, documents, app } = context;
    this.#context = context;
    this.#own = new AnchorReader(content, documents, reading.anchorScope(space, app));
  }

  /** Returns what a fragment leads to on a page of the same space; the fragment itself if there is nothing. */
  async find(page: LocatedPage, fragment: string): Promise<FoundSection> {
    return (await this.#own.findSection(page, fragment)) ?? { id: fragment };
  }

  /** Returns what a fragment leads to on a page of another space; the fragment itself if there is nothing. */
  async findElsewhere(space: ReadingSpace, page: string, fragment: string): Promise<FoundSection> {
    const { reading, documents, app } = this.#context;
    const other = this.#others.get(space.id) ?? { content: reading.open(space) };
    this.#others.set(space.id, other);
    const content = await other.content;
    other.reader ??= new AnchorReader(content, documents, reading.anchorScope(space, app));
    const located = (await content.readLocatedPages([page])).get(page);
    return (located && (await other.reader.findSection(located, fragment))) ?? { id: fragment };
  }
}
