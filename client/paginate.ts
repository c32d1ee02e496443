import { ApiError, type RequestLine } from './errors.ts';
import {
  type AnyGet,
  type AnyInit,
  type AnyList,
  type ItemOf,
  type ListFunction,
  listOfFunction,
} from './list-function.ts';
import { listPages, type PageShape, type Query } from './pages.ts';
import { encodeQuery } from './query.ts';
import type { CallOptions, Client, Data, Init, InitArgument, ListItem, ListPath, PathWith } from './types.ts';
import { ok } from './unwrap.ts';

/** List to iterate by item or by page. Each iteration requests the list again. */
export interface Listing<Item, Page> extends AsyncIterable<Item> {
  /** Iterates over the pages of the list (`items`, `count` …). */
  pages(): AsyncIterable<Page>;
}

/**
 * Iterates over a list to its end.
 *
 * Each page is requested when its first item is read, so leaving the loop early sends no further request.
 * @param client client to call
 * @param path a path of the contract with a GET that returns a list, or the generated function of a list. A function
 * knows the shape of its pages if the contract declares it, and has its input and options as further arguments
 * @param init as for `client.GET`. Its query selects the first page, `signal` aborts the iteration
 * @param shape where pages have their items, and how to request the next page: `cursorPages`, `offsetPages`,
 * `linkPages`, or your own. Default: `items` and `next.page`, with the query parameter `page`
 * @throws ApiError (during iteration) when a page cannot be retrieved or is invalid
 *
 * @example
 * for await (const space of paginate(client, '/v1/orgs/{organizationId}/spaces', { params: { path: { organizationId } } })) {
 *   console.log(space.title)
 * }
 * for await (const space of paginate(client, listSpaces, { organizationId })) {
 *   console.log(space.title)
 * }
 */
export function paginate<Paths, ErrorBody, P extends PathWith<Paths, 'get'>, Item>(
  client: Client<Paths, ErrorBody>,
  path: P,
  init: Init<Paths, P, 'get'>,
  shape: PageShape<Data<Paths, P, 'get'>, Item>,
): Listing<Item, Data<Paths, P, 'get'>>;
export function paginate<Input, Page, Item = unknown>(
  client: Pick<Client<unknown>, 'call'>,
  list: ListFunction<Input, Page, Item>,
  ...input: Record<never, never> extends Input
    ? [input?: Input, options?: CallOptions]
    : [input: Input, options?: CallOptions]
): Listing<ItemOf<Page, Item>, Page>;
// Compilers explain the last signature if none fits.
export function paginate<Paths, ErrorBody, P extends ListPath<Paths>>(
  client: Client<Paths, ErrorBody>,
  path: P,
  ...init: InitArgument<Paths, P, 'get'>
): Listing<ListItem<Paths, P>, Data<Paths, P, 'get'>>;
export function paginate(
  client: { GET?: unknown } & Pick<Client<unknown>, 'call'>,
  path: PropertyKey | ListFunction<object, unknown, unknown>,
  init: AnyInit = {},
  more: PageShape<unknown, unknown> | CallOptions = listPages,
): Listing<unknown, unknown> {
  const list: AnyList =
    typeof path === 'function'
      ? listOfFunction(client, path, init, more === listPages ? {} : (more as CallOptions))
      : // The casts drop the types of the path, which the signatures above add again.
        { get: client.GET as AnyGet, path: String(path), init, shape: more as PageShape<unknown, unknown> };
  return {
    async *pages() {
      for await (const { body } of iteratePages(list)) {
        yield body;
      }
    },
    [Symbol.asyncIterator]: () => iterateItems(list),
  };
}

async function* iteratePages({ get, path, init, shape }: AnyList): AsyncGenerator<{
  body: unknown;
  items: readonly unknown[];
}> {
  const requested = new Set<string>();
  let query: Query = init.params?.query ?? {};
  for (;;) {
    const result = await get(path, { ...init, params: { ...init.params, query } });
    const body = await ok(Promise.resolve(result));
    requested.add(sortedQuery(query, init));
    const { request, response } = result;
    const read = <Value>(part: () => Value): Value => {
      try {
        return part();
      } catch (cause) {
        throw invalidList(request, response, `The page cannot be read: ${String(cause)}`, cause);
      }
    };
    const items = read(() => shape.items(body));
    if (items === undefined) {
      const message =
        'The response is not a page of a list with this shape. Pass the shape of the pages to paginate: ' +
        'cursorPages, offsetPages or linkPages.';
      throw invalidList(request, response, message);
    }
    yield { body, items };
    const next = read(() => shape.next({ body, response, query, count: items.length }));
    if (next === undefined) {
      return;
    }
    if (requested.has(read(() => sortedQuery(next, init)))) {
      const message = 'The list does not continue: the query of the next page is that of an earlier one.';
      throw invalidList(request, response, message);
    }
    query = next;
  }
}

async function* iterateItems(list: AnyList): AsyncGenerator<unknown, void> {
  const { path, init } = list;
  for await (const { items } of iteratePages(list)) {
    for (const item of items) {
      yield item;
      // The remaining items of a page need no request, so no request checks the signal.
      if (init.signal?.aborted === true) {
        const message = 'The signal of the iteration was aborted.';
        throw new ApiError({ kind: 'aborted', message, method: 'GET', url: path, cause: init.signal.reason });
      }
    }
  }
}

/** Encodes a query with its parameters in the same order, whoever composed it. */
const sortedQuery = (query: Query, { styles }: AnyInit): string =>
  encodeQuery(query, styles?.query).split('&').sort().join('&');

function invalidList(request: RequestLine, { status }: Response, message: string, cause?: unknown): ApiError {
  return new ApiError({ ...request, kind: 'response', message, status, cause });
}
