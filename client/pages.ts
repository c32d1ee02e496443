import type { ListBody } from './types.ts';

/** Query parameters by name. */
export type Query = Readonly<Record<string, unknown>>;

/** A page of a list that was retrieved. */
export interface RetrievedPage<Page> {
  /** Body of the response. */
  body: Page;
  response: Response;
  /** Query parameters that it was requested with. */
  query: Query;
  /** Number of its items. */
  count: number;
}

/** Shape of the pages of a list. */
export interface PageShape<Page, Item> {
  /** Returns the items of a page; undefined if it has none, which ends the iteration with an error. */
  items(page: Page): readonly Item[] | undefined;
  /** Returns the query parameters of the next page; undefined after the last one. They replace those of this page. */
  next(page: RetrievedPage<Page>): Query | undefined;
}

/** Options of {@link cursorPages}. */
export interface CursorOptions<Page, Item> {
  /** Returns the items of a page. */
  items: (page: Page) => readonly Item[] | undefined;
  /** Returns the cursor of the next page; undefined, null or an empty text after the last one. */
  cursor: (page: Page) => string | number | null | undefined;
  /** Query parameter of the cursor. */
  parameter: string;
}

/**
 * Shape of pages that contain the cursor of the next one.
 *
 * @example
 * paginate(client, '/charges', {}, cursorPages({
 *   items: (page) => page.data,
 *   cursor: (page) => (page.has_more ? page.data.at(-1)?.id : undefined),
 *   parameter: 'starting_after',
 * }))
 */
export function cursorPages<Page, Item>({
  items,
  cursor,
  parameter,
}: CursorOptions<Page, Item>): PageShape<Page, Item> {
  return {
    items,
    next({ body, query }) {
      const next = cursor(body);
      return next === undefined || next === null || next === '' ? undefined : { ...query, [parameter]: next };
    },
  };
}

/** Options of {@link offsetPages}. */
export interface OffsetOptions<Page, Item> {
  /** Returns the items of a page. */
  items: (page: Page) => readonly Item[] | undefined;
  /** Query parameter of the offset. */
  parameter: string;
  /** Whether the parameter counts items (default) or pages. */
  unit?: 'items' | 'pages' | undefined;
  /** Value of the parameter for the first page. Default: 0 for items, 1 for pages. */
  first?: number | undefined;
  /** Returns whether more pages follow. Default: if the page is not empty. */
  more?: ((page: RetrievedPage<Page>) => boolean) | undefined;
}

/**
 * Shape of pages that are requested by the number of preceding items, or by their own number.
 *
 * @example
 * paginate(client, '/orders', {}, offsetPages({ items: (page) => page.results, parameter: 'offset' }))
 * paginate(client, '/blocks', {}, offsetPages({ items: (page) => page, parameter: 'page', unit: 'pages' }))
 */
export function offsetPages<Page, Item>({
  items,
  parameter,
  unit = 'items',
  first = unit === 'items' ? 0 : 1,
  more = ({ count }) => count > 0,
}: OffsetOptions<Page, Item>): PageShape<Page, Item> {
  return {
    items,
    next(page) {
      const current = Number(page.query[parameter] ?? first);
      return more(page)
        ? { ...page.query, [parameter]: current + (unit === 'items' ? page.count : 1) }
        : undefined;
    },
  };
}

/** Shape of pages that are arrays, with the next one in the `Link` header (RFC 8288). */
export function linkPages<Item>(): PageShape<readonly Item[], Item>;
/** Shape of pages with the next one in the `Link` header (RFC 8288). */
export function linkPages<Page, Item>(options: {
  /** Returns the items of a page. */
  items: (page: Page) => readonly Item[] | undefined;
}): PageShape<Page, Item>;
export function linkPages({
  items,
}: {
  items: (page: unknown) => readonly unknown[] | undefined;
} = pageIsArray) {
  const shape: PageShape<unknown, unknown> = {
    items,
    next({ response }) {
      const target = nextLink(response.headers.get('Link') ?? '');
      if (target === undefined) {
        return undefined;
      }
      return queryOf(target, response);
    },
  };
  return shape;
}

/** Returns the query of a link. Only the query: the token of the client must not be sent to another address. */
export function queryOf(link: string, { url }: Response): Query {
  const { searchParams } = new URL(link, url || 'http://localhost');
  return Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length > 1 ? values : values[0]];
    }),
  );
}

const pageIsArray = {
  items: (page: unknown): readonly unknown[] | undefined => (Array.isArray(page) ? page : undefined),
};

/** A link of the header: its target, and its parameters. */
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"[^"]*"|[^\s";,]+))?)*)/g;
/** A parameter of a link: its name, and its value with or without quotes. */
const LINK_PARAMETER = /;\s*([^\s=;,]+)(?:\s*=\s*(?:"([^"]*)"|([^\s";,]+)))?/g;

/** Returns the target of the link with the relation `next`. */
function nextLink(header: string): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(LINK)) {
    for (const [, name = '', quoted, plain = ''] of parameters.matchAll(LINK_PARAMETER)) {
      const relations = (quoted ?? plain).toLowerCase().split(/\s+/);
      if (name.toLowerCase() === 'rel' && relations.includes('next')) {
        return target;
      }
    }
  }
  return undefined;
}

/** Shape of the pages of this toolkit. */
export const listPages: PageShape<unknown, unknown> = {
  items: (body) => (isListBody(body) ? body.items : undefined),
  next: ({ body, query }) => (isListBody(body) && body.next ? { ...query, page: body.next.page } : undefined),
};

function isListBody(body: unknown): body is ListBody {
  if (typeof body !== 'object' || body === null || !('items' in body) || !Array.isArray(body.items)) {
    return false;
  }
  const next = 'next' in body ? body.next : undefined;
  return (
    next === undefined ||
    next === null ||
    (typeof next === 'object' && 'page' in next && typeof next.page === 'string')
  );
}
