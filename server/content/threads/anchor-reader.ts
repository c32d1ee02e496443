/** Finds the anchors of the pages of a content. */
import type { FindStoredSpecification, StoredSpecification } from '../computed/specification.ts';
import { specificationsIn } from '../html/specifications/specification-names.ts';
import { type ReferenceScope, resolveReferences } from '../links/page-references.ts';
import { findAnchor } from '../markdown/anchors/names.ts';
import { MAX_INCLUDED_DEPTH } from '../markdown/document.ts';
import type { Content, LocatedPage } from '../tree/content.ts';
import type { IncludingText, ListedAnchors } from './anchors.ts';
import { expandText, type LocatedText, textOfPage, textOfReusableContent } from './body.ts';
import type { Documents } from './documents.ts';

/** Part of every text that includes another. */
const INCLUSION = /\{%-?\s*(?:include|reusable)/;

/** A place on a page that a fragment leads to. */
export interface FoundSection {
  id: string;
  title?: string | undefined;
}

/** What anchors are read with, in addition to the content. */
export interface AnchorScope extends Pick<ReferenceScope, 'space' | 'app'> {
  /** Finds the specifications that pages show parts of. */
  findSpecification: FindStoredSpecification;
}

/** Finds the anchors of the pages of a content, each once. */
export class AnchorReader {
  readonly #content: Content;
  readonly #documents: Documents;
  readonly #scope: AnchorScope;
  readonly #pages = new Map<string, Promise<ListedAnchors | undefined>>();

  constructor(content: Content, documents: Documents, scope: AnchorScope) {
    this.#content = content;
    this.#documents = documents;
    this.#scope = scope;
  }

  /**
   * Returns the ID on a published page that a fragment leads to; undefined if there is none. Pages of other types than
   * documents, and computed ones without their text, have any.
   *
   * @throws ThreadsBusyError
   */
  async find(page: LocatedPage, fragment: string): Promise<string | undefined> {
    return (await this.findSection(page, fragment))?.id;
  }

  /**
   * Returns what {@link find} returns, and the title of the section; elements other than sections have none.
   *
   * @throws ThreadsBusyError
   */
  async findSection(page: LocatedPage, fragment: string): Promise<FoundSection | undefined> {
    const { id: pageId } = page.record;
    const reading = this.#pages.get(pageId) ?? this.#read(page);
    this.#pages.set(pageId, reading);
    const listed = await reading;
    if (!listed) {
      return { id: fragment };
    }
    const id = findAnchor(listed.names, fragment);
    return id === undefined ? undefined : { id, title: listed.titles.get(id) || undefined };
  }

  async #read(page: LocatedPage): Promise<ListedAnchors | undefined> {
    const { record } = page;
    const stored = await textOfPage(this.#content, page);
    // Without its computation, a computed page has no text.
    if (
      !stored ||
      (record.type === 'document' && record.body === undefined && (await stored.text.read()) === '')
    ) {
      return undefined;
    }
    const located = await this.#expanded(stored);
    const included = new Map<string, IncludingText & { hash: string }>();
    const targets = await this.#targetsOf(located, included, 0);
    const texts = [await located.text.read(), ...[...included.values()].map(({ markdown }) => markdown)];
    const shown = { title: record.title, targets, included };
    const specifications = await this.#specificationsIn(texts);
    return await this.#documents.listAnchors(located.text, located.variables, shown, specifications);
  }

  /** Finds the specifications that texts show parts of, by the names in the texts. */
  async #specificationsIn(texts: readonly string[]): Promise<Map<string, StoredSpecification>> {
    const specifications = new Map<string, StoredSpecification>();
    for (const name of new Set(texts.flatMap(specificationsIn))) {
      const specification = await this.#scope.findSpecification(name);
      if (specification) {
        specifications.set(name, specification);
      }
    }
    return specifications;
  }

  /** Returns a text with the files that it includes. */
  async #expanded(located: LocatedText): Promise<LocatedText> {
    return { ...located, text: await expandText(located.text, located.from, this.#content) };
  }

  /** Collects the reusable contents that a text includes, and returns their IDs by link destination. */
  async #targetsOf(
    { text, from, variables }: LocatedText,
    included: Map<string, IncludingText & { hash: string }>,
    depth: number,
  ): Promise<ReadonlyMap<string, string>> {
    const targets = new Map<string, string>();
    if (depth >= MAX_INCLUDED_DEPTH || !INCLUSION.test(await text.read())) {
      return targets;
    }
    const written = await this.#documents.listDestinations(text, variables);
    for (const reference of await resolveReferences(written, {
      ...this.#scope,
      content: this.#content,
      from,
    })) {
      const { target } = reference;
      if (target.kind !== 'reusable-content') {
        continue;
      }
      const { id } = target.reusable;
      targets.set(reference.written, id);
      const stored = included.has(id) ? undefined : await textOfReusableContent(this.#content, id);
      if (stored) {
        const content = await this.#expanded(stored);
        const part = {
          markdown: await content.text.read(),
          // The page's values replace the expressions of what it includes.
          variables,
          hash: content.text.hash,
        };
        // Before its targets are known, because contents can include each other.
        included.set(id, part);
        included.set(id, {
          ...part,
          targets: await this.#targetsOf({ ...content, variables }, included, depth + 1),
        });
      }
    }
    return targets;
  }
}
