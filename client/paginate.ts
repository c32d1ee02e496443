import { ApiError, type RequestLine } from './errors.ts';
import type { Call, Client, Init, InitArgument, ListItem, ListPage, ListPath, Result } from './types.ts';
import { ok } from './unwrap.ts';

/** A list to walk, item by item or page by page. Each walk asks the server anew. */
export interface Listing<Item, Page> extends AsyncIterable<Item> {
  /** Walks the list page by page, each as the contract has it (`items`, `count` …). */
  pages(): AsyncIterable<Page>;
}

/** What this file needs to know of any page; the contract's own pages have more. */
interface AnyPage {
  items: readonly unknown[];
  next?: { page: string };
}

/** A GET of any list: `Client['GET']` with its types forgotten. */
type AnyGet = (path: string, init: AnyInit) => Promise<Result<unknown>>;

interface AnyInit {
  params?: { query?: Record<string, unknown> };
  signal?: AbortSignal | undefined;
}

/**
 * Walks a list to its end, following `next.page`.
 *
 * A page is asked for when its first item is wanted, so leaving the loop early asks for no more.
 * @param client makes the calls
 * @param path a path of the contract whose GET answers a list
 * @param init as for `client.GET`; `limit` sets how many items come at once, `page` where to begin, `signal` ends the
 * walk
 * @throws ApiError (while walking) when a page cannot be had, or the list does not go on
 *
 * @example
 * for await (const space of paginate(client, '/v1/orgs/{organizationId}/spaces', { params: { path: { organizationId } } })) {
 *   console.log(space.title)
 * }
 */
export function paginate<P extends ListPath>(
  client: Pick<Client, 'GET'>,
  path: P,
  ...[init]: InitArgument<P, 'get'>
): Listing<ListItem<P>, ListPage<P>> {
  // The casts forget which list it is, for TypeScript cannot follow `page` into the query of any of them. `ListPath`
  // holds only paths whose body is an `AnyPage`, and what is handed out has the types of the path again.
  const get = client.GET as Call<'get'> as unknown as AnyGet;
  const given = (init ?? {}) as Init<P, 'get'> & AnyInit;
  return {
    pages: () => walkPages(get, path, given) as AsyncIterable<unknown> as AsyncIterable<ListPage<P>>,
    [Symbol.asyncIterator]: () =>
      walkItems(get, path, given) as AsyncGenerator<unknown> as AsyncGenerator<ListItem<P>>,
  };
}

async function* walkPages(get: AnyGet, path: string, init: AnyInit): AsyncGenerator<AnyPage, void> {
  const query = { ...init.params?.query };
  for (;;) {
    let request: RequestLine = { method: 'GET', url: path };
    const body = await ok(
      get(path, { ...init, params: { ...init.params, query } }).then((result) => {
        request = result.request;
        return result;
      }),
    );
    if (!isPage(body)) {
      throw brokenList(
        request,
        'The answer is not a page of a list: it has no items, or a next without a page.',
      );
    }
    yield body;
    if (body.next === undefined) {
      return;
    }
    if (body.next.page === query.page) {
      throw brokenList(request, 'The list does not go on: its next page is the page just read.');
    }
    query.page = body.next.page;
  }
}

async function* walkItems(get: AnyGet, path: string, init: AnyInit): AsyncGenerator<unknown, void> {
  for await (const page of walkPages(get, path, init)) {
    for (const item of page.items) {
      yield item;
      // What is left of a page needs no request that would notice the signal.
      if (init.signal?.aborted === true) {
        const message = 'The signal of the walk was aborted.';
        throw new ApiError({ kind: 'aborted', message, method: 'GET', url: path, cause: init.signal.reason });
      }
    }
  }
}

function isPage(body: unknown): body is AnyPage {
  if (typeof body !== 'object' || body === null || !('items' in body) || !Array.isArray(body.items)) {
    return false;
  }
  const next = 'next' in body ? body.next : undefined;
  return (
    next === undefined ||
    (typeof next === 'object' && next !== null && 'page' in next && typeof next.page === 'string')
  );
}

function brokenList(request: RequestLine, message: string): ApiError {
  return new ApiError({ ...request, kind: 'response', message });
}
