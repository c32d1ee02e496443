import { describe, expect, test } from 'vitest';
import { ApiError, paginate } from '../../client/platform/index.ts';
import { clientOf, collect, failureOf, type Step, startScriptedServer } from './scripted-server.ts';

const pageOf = (ids: string[], next?: string): Step => ({
  status: 200,
  body: {
    items: ids.map((id) => ({ id })),
    count: 5,
    ...(next === undefined ? {} : { next: { page: next } }),
  },
});
const threePages: [Step, ...Step[]] = [pageOf(['a', 'b'], 'p=2'), pageOf(['c', 'd'], 'p=3'), pageOf(['e'])];

describe('paginate', () => {
  test('iterates over the items of all pages with the same parameters', async () => {
    await using server = await startScriptedServer(...threePages);
    const ids: string[] = [];
    for await (const { id } of paginate(clientOf(server), '/v1/orgs', { params: { query: { limit: 2 } } })) {
      ids.push(id);
    }
    expect(ids).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(server.received.map(({ url }) => url)).toEqual([
      '/v1/orgs?limit=2',
      '/v1/orgs?limit=2&page=p%3D2',
      '/v1/orgs?limit=2&page=p%3D3',
    ]);
  });

  test('iterates by page, from the requested page', async () => {
    await using server = await startScriptedServer(...threePages);
    const list = paginate(clientOf(server), '/v1/orgs', { params: { query: { page: 'p=1' } } });
    const pages = await collect(list.pages());
    expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 1]);
    expect(pages[0]?.count).toBe(5);
    expect(server.received[0]?.url).toBe('/v1/orgs?page=p%3D1');
  });

  test('requests no page that is not read', async () => {
    await using server = await startScriptedServer(...threePages);
    const list = paginate(clientOf(server), '/v1/orgs');
    expect(server.received).toHaveLength(0);
    for await (const { id } of list) {
      if (id === 'b') {
        break;
      }
    }
    expect(server.received).toHaveLength(1);
  });

  test('starts over for each iteration', async () => {
    await using server = await startScriptedServer(pageOf(['a']));
    const list = paginate(clientOf(server), '/v1/orgs');
    expect(await collect(list)).toEqual(await collect(list));
    expect(server.received).toHaveLength(2);
  });

  test('continues after an empty page', async () => {
    await using server = await startScriptedServer(pageOf([], '2'), pageOf(['a']));
    expect(await collect(paginate(clientOf(server), '/v1/orgs'))).toEqual([{ id: 'a' }]);
  });

  test('ends with a page whose next is null', async () => {
    const last: Step = { status: 200, body: { items: [{ id: 'b' }], count: 2, next: null } };
    await using server = await startScriptedServer(pageOf(['a'], '2'), last);
    expect(await collect(paginate(clientOf(server), '/v1/orgs'))).toEqual([{ id: 'a' }, { id: 'b' }]);
  });

  test('throws an error when the pages repeat, even if others are between', async () => {
    const [first, second] = [pageOf(['a'], '2'), pageOf(['b'], '1')];
    await using server = await startScriptedServer(first, second, first, second);
    const ids: string[] = [];
    const iterate = async () => {
      for await (const { id } of paginate(clientOf(server), '/v1/orgs')) {
        ids.push(id);
      }
    };
    expect(await failureOf(iterate())).toMatchObject({
      kind: 'response',
      message: expect.stringContaining('does not continue'),
    });
    // The third page is requested by its cursor, which differs from the query of the first one.
    expect(ids).toEqual(['a', 'b', 'a']);
  });

  test('names the shapes of other lists in the error of a page that is not a list', async () => {
    await using server = await startScriptedServer({ status: 200, body: { items: [], next: 'cursor' } });
    expect(await failureOf(collect(paginate(clientOf(server), '/v1/orgs')))).toMatchObject({
      kind: 'response',
      message: expect.stringContaining('cursorPages, offsetPages or linkPages'),
    });
  });

  test('throws the error of a page', async () => {
    await using server = await startScriptedServer(pageOf(['a'], '2'), { status: 400 });
    const failure = await failureOf(collect(paginate(clientOf(server), '/v1/orgs')));
    expect(failure).toMatchObject({ kind: 'http', status: 400, url: `${server.url}/v1/orgs` });
  });

  test('stops when the signal is aborted, even within a page', async () => {
    await using server = await startScriptedServer(...threePages);
    const controller = new AbortController();
    const seen: string[] = [];
    const iterate = async () => {
      for await (const { id } of paginate(clientOf(server), '/v1/orgs', { signal: controller.signal })) {
        seen.push(id);
        controller.abort();
      }
    };
    expect(await failureOf(iterate())).toMatchObject({ kind: 'aborted' });
    expect(seen).toEqual(['a']);
  });

  test.each([
    ['has no items', { status: 200, body: {} }],
    ['is empty', { status: 200 }],
    ['has a next without a page', { status: 200, body: { items: [], next: {} } }],
    ['repeats a page', pageOf([], 'same')],
  ])('throws a response error when the list %s', async (_, step) => {
    await using server = await startScriptedServer(step);
    const failure = await failureOf(collect(paginate(clientOf(server), '/v1/orgs')));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ kind: 'response', method: 'GET', url: `${server.url}/v1/orgs` });
  });
});
