/** The page tree of a space as readers navigate it. */
import type { Content } from '../../../../content/tree/content.ts';
import type {
  DocumentRecord,
  PageNode,
  PageRecord,
  RedirectRecord,
} from '../../../../content/tree/records.ts';
import { runYielding } from '../../../../content/tree/yielding.ts';

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

/** Returns whether a page has a text. */
export const isReadable = (page: NavigationPage | undefined): page is ReadablePage =>
  page?.record.type === 'document';

/** Where an earlier path leads. */
export interface RedirectTarget {
  page: NavigationPage;
  anchor?: string | undefined;
}

/** The pages of a tree by what they are found by. */
interface NavigationIndex {
  roots: readonly NavigationPage[];
  /** The pages with a text that are shown, in order. */
  readable: readonly ReadablePage[];
  byId: ReadonlyMap<string, NavigationPage>;
  byPath: ReadonlyMap<string, NavigationPage>;
}

/** The page tree of a revision, and the redirects to its pages. */
export class Navigation {
  readonly roots: readonly NavigationPage[];
  /** The page that the address of the space leads to: the first one that is shown. */
  readonly first: ReadablePage | undefined;
  /** The pages with a text that are shown, in order. */
  readonly readable: readonly ReadablePage[];
  readonly size: number;
  readonly #byId: ReadonlyMap<string, NavigationPage>;
  readonly #byPath: ReadonlyMap<string, NavigationPage>;
  readonly #order: ReadonlyMap<string, number>;
  readonly #redirects: ReadonlyMap<string, RedirectRecord>;

  private constructor(
    { roots, readable, byId, byPath }: NavigationIndex,
    redirects: readonly RedirectRecord[],
  ) {
    this.roots = roots;
    this.readable = readable;
    this.first = readable[0];
    this.size = byId.size;
    this.#byId = byId;
    this.#byPath = byPath;
    this.#order = new Map(readable.map(({ record }, at) => [record.id, at]));
    this.#redirects = new Map(redirects.map((redirect) => [keyOf([redirect.from]), redirect]));
  }

  /** Creates the navigation of a page tree, which can be large. */
  static async create(
    tree: readonly PageNode[],
    redirects: readonly RedirectRecord[] = [],
  ): Promise<Navigation> {
    return new Navigation(await runYielding(indexTree(tree)), redirects);
  }

  find(id: string): NavigationPage | undefined {
    return this.#byId.get(id);
  }

  /** Finds the page at a path, of segments. A group leads to its first page, and no segments to the first page of all. */
  resolve(path: readonly string[]): ReadablePage | undefined {
    if (path.length === 0) {
      return this.first;
    }
    const page = this.#byPath.get(keyOf(path));
    return !page || isReadable(page) ? page : firstWithin(page);
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
}

/** Indexes the pages of a tree, one in each step. */
function* indexTree(tree: readonly PageNode[]): Generator<undefined, NavigationIndex> {
  const readable: ReadablePage[] = [];
  const byId = new Map<string, NavigationPage>();
  const byPath = new Map<string, NavigationPage>();
  function* add(
    nodes: readonly PageNode[],
    parent: NavigationPage | undefined,
  ): Generator<undefined, NavigationPage[]> {
    const added: NavigationPage[] = [];
    for (const { record, path, pages } of nodes) {
      const isHidden = 'hidden' in record && record.hidden === true;
      const page: NavigationPage = {
        record,
        path: path === '' ? [] : path.split('/'),
        parent,
        children: [],
        isShown: !isHidden && parent?.isShown !== false,
      };
      added.push(page);
      byId.set(record.id, page);
      if (page.isShown && isReadable(page)) {
        readable.push(page);
      }
      if ((record.type === 'document' || record.type === 'group') && !byPath.has(keyOf(page.path))) {
        byPath.set(keyOf(page.path), page);
      }
      yield;
      page.children = yield* add(pages, page);
    }
    return added;
  }
  return { roots: yield* add(tree, undefined), readable, byId, byPath };
}

/** Reads the page tree of content. */
export const readNavigation = async (content: Content): Promise<Navigation> =>
  await Navigation.create(await content.readTree(), await content.readRedirects());

/** Accents may be encoded in two ways. */
const keyOf = (path: readonly string[]): string => path.join('/').normalize('NFC');

/** Returns the first page with a text among the descendants of a page, preferring those that are shown. */
export function firstWithin({ children }: NavigationPage): ReadablePage | undefined {
  // Visits each descendant once: nested groups without a page would otherwise take exponential time.
  const [shown, hidden] = [children.filter((page) => page.isShown), children.filter((page) => !page.isShown)];
  for (const child of [...shown, ...hidden]) {
    const page = isReadable(child) ? child : firstWithin(child);
    if (page) {
      return page;
    }
  }
  return undefined;
}
