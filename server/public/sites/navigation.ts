/** The page tree of a space as readers navigate it. */
import type { Content } from '../../content/tree/content.ts';
import type { DocumentRecord, PageNode, PageRecord, RedirectRecord } from '../../content/tree/records.ts';

/** A page of the tree. */
export interface NavigationPage {
  record: PageRecord;
  /** Decoded segments of its path in the space; those of its parent for an entry without a slug. */
  path: readonly string[];
  parent: NavigationPage | undefined;
  children: readonly NavigationPage[];
  /** Whether it is shown in the tree: neither the page nor an ancestor is hidden. */
  isShown: boolean;
}

/** A page with a text. */
export type ReadablePage = NavigationPage & { record: DocumentRecord };

/** What a path of a space leads to. */
export type PathTarget = { page: ReadablePage; isCanonical: boolean } | undefined;

export const isReadable = (page: NavigationPage | undefined): page is ReadablePage =>
  page?.record.type === 'document';

/** Where an earlier path leads. */
export interface RedirectTarget {
  page: NavigationPage;
  anchor?: string | undefined;
}

/** The page tree of a revision, and the redirects to its pages. */
export class Navigation {
  readonly roots: readonly NavigationPage[];
  /** The page that the address of the space leads to: the first one that is shown. */
  readonly first: ReadablePage | undefined;
  /** The pages with a text that are shown, in order. */
  readonly readable: readonly ReadablePage[];
  readonly size: number;
  readonly #byId = new Map<string, NavigationPage>();
  readonly #byPath = new Map<string, NavigationPage>();
  readonly #order = new Map<string, number>();
  readonly #redirects = new Map<string, RedirectRecord>();

  constructor(tree: readonly PageNode[], redirects: readonly RedirectRecord[] = []) {
    this.roots = this.#add(tree, undefined);
    this.size = this.#byId.size;
    this.readable = this.#shown(this.roots);
    this.first = this.readable[0];
    for (const [at, { record }] of this.readable.entries()) {
      this.#order.set(record.id, at);
    }
    for (const redirect of redirects) {
      this.#redirects.set(keyOf([redirect.from]), redirect);
    }
  }

  find(id: string): NavigationPage | undefined {
    return this.#byId.get(id);
  }

  /** Resolves the segments of a path. A group leads to its first page, and the path of the first page to the space. */
  resolve(path: readonly string[]): PathTarget {
    if (path.length === 0) {
      return this.first && { page: this.first, isCanonical: true };
    }
    const found = this.#byPath.get(keyOf(path));
    if (!found) {
      return undefined;
    }
    if (isReadable(found)) {
      return { page: found, isCanonical: found !== this.first };
    }
    const page = firstWithin(found);
    return page && { page, isCanonical: false };
  }

  /** Returns where a path that no page has leads. Redirects lead to pages, never to each other. */
  redirectFrom(path: readonly string[]): RedirectTarget | undefined {
    const redirect = this.#redirects.get(keyOf(path));
    const page = redirect && this.find(redirect.page);
    return page && { page, anchor: redirect.anchor };
  }

  /** Returns the segments of the canonical path of a page; none for the first page. */
  pathOf(page: NavigationPage): readonly string[] {
    if (isReadable(page)) {
      return page === this.first ? [] : page.path;
    }
    const first = firstWithin(page);
    return first ? this.pathOf(first) : [];
  }

  /** Returns the pages before and after a page that is shown. */
  neighbors({ record }: NavigationPage): { previous?: ReadablePage; next?: ReadablePage } {
    const at = this.#order.get(record.id);
    const [previous, next] = at === undefined ? [] : [this.readable[at - 1], this.readable[at + 1]];
    return { ...(previous && { previous }), ...(next && { next }) };
  }

  #add(nodes: readonly PageNode[], parent: NavigationPage | undefined): NavigationPage[] {
    return nodes.map(({ record, path, pages }) => {
      const isHidden = 'hidden' in record && record.hidden === true;
      const page: NavigationPage = {
        record,
        path: path === '' ? [] : path.split('/'),
        parent,
        children: [],
        isShown: !isHidden && parent?.isShown !== false,
      };
      this.#byId.set(record.id, page);
      if ((record.type === 'document' || record.type === 'group') && !this.#byPath.has(keyOf(page.path))) {
        this.#byPath.set(keyOf(page.path), page);
      }
      page.children = this.#add(pages, page);
      return page;
    });
  }

  #shown(pages: readonly NavigationPage[]): ReadablePage[] {
    return pages.flatMap((page) =>
      page.isShown ? [...(isReadable(page) ? [page] : []), ...this.#shown(page.children)] : [],
    );
  }
}

/** Reads the page tree of content. */
export const readNavigation = async (content: Content): Promise<Navigation> =>
  new Navigation(await content.readTree(), await content.readRedirects());

/** Accents may be encoded in two ways. */
const keyOf = (path: readonly string[]): string => path.join('/').normalize('NFC');

/** Returns the first page with a text among the descendants of a page, preferring those that are shown. */
export function firstWithin({ children }: NavigationPage): ReadablePage | undefined {
  for (const child of [...children.filter(({ isShown }) => isShown), ...children]) {
    const page = isReadable(child) ? child : firstWithin(child);
    if (page) {
      return page;
    }
  }
  return undefined;
}
