import { ApiError, type RequestLine } from './errors.ts';
import type { Call, Client, Init, InitArgument, ListItem, ListPage, ListPath, Result } from './types.ts';
import { ok } from './unwrap.ts';

/** List to iterate by item or by page. Each iteration requests the list again. */
export interface Listing<Item, Page> extends AsyncIterable<Item> {
  /** Iterates over the pages of the list (`items`, `count` …). */
  pages(): AsyncIterable<Page>;
}

/** Fields of every page. The pages of the contract have more. */
interface AnyPage {
  items: readonly unknown[];
  next?: { page: string };
}

/** Untyped `Client['GET']` of a list. */
type AnyGet = (path: string, init: AnyInit) => Promise<Result<unknown>>;

interface AnyInit {
  params?: { query?: Record<string, unknown> };
  signal?: AbortSignal | undefined;
}

/**
 * Iterates over a list to its end by following `next.page`.
 *
 * Each page is requested when its first item is read, so leaving the loop early sends no further request.
 * @param client client to call
 * @param path a path of the contract whose GET returns a list
 * @param init as for `client.GET`: `limit` sets the number of items per page, `page` the first page, `signal` aborts
 * the iteration
 * @throws ApiError (during iteration) when a page cannot be retrieved or is invalid
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
  // The casts drop the types of the path, because TypeScript cannot infer that the query of every list has `page`.
  // Every path in `ListPath` returns an `AnyPage`, and the result has the types of the path again.
  const get = client.GET as Call<'get'> as unknown as AnyGet;
  const listInit = (init ?? {}) as Init<P, 'get'> & AnyInit;
  return {
    pages: () => iteratePages(get, path, listInit) as AsyncIterable<unknown> as AsyncIterable<ListPage<P>>,
    [Symbol.asyncIterator]: () =>
      iterateItems(get, path, listInit) as AsyncGenerator<unknown> as AsyncGenerator<ListItem<P>>,
  };
}

async function* iteratePages(get: AnyGet, path: string, init: AnyInit): AsyncGenerator<AnyPage, void> {
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
      throw invalidList(
        request,
        'The response is not a page of a list: it has no `items`, or `next` has no `page`.',
      );
    }
    yield body;
    if (body.next === undefined) {
      return;
    }
    if (body.next.page === query.page) {
      throw invalidList(
        request,
        'The list does not continue: the cursor of the next page is the current one.',
      );
    }
    query.page = body.next.page;
  }
}

async function* iterateItems(get: AnyGet, path: string, init: AnyInit): AsyncGenerator<unknown, void> {
  for await (const page of iteratePages(get, path, init)) {
    for (const item of page.items) {
      yield item;
      // The remaining items of a page need no request, so no request checks the signal.
      if (init.signal?.aborted === true) {
        const message = 'The signal of the iteration was aborted.';
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

function invalidList(request: RequestLine, message: string): ApiError {
  return new ApiError({ ...request, kind: 'response', message });
}
