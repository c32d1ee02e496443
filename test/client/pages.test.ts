import { expect, test } from 'vitest';
import { createClient, cursorPages, linkPages, offsetPages, paginate } from '../../client/index.ts';
import { collect, failureOf, fakeRuntime, startScriptedServer } from './scripted-server.ts';

interface List<Body> {
  get: {
    parameters: { query?: Record<string, number | string | string[]> };
    responses: { 200: { content: { 'application/json': Body } } };
  };
}

interface Paths {
  '/numbers': List<number[]>;
  '/charges': List<{ data: { id: string }[]; has_more: boolean }>;
}

const clientOf = (baseUrl: string) => createClient<Paths>({ baseUrl, runtime: fakeRuntime() });

test('pages with the cursor of the next one', async () => {
  await using server = await startScriptedServer(
    { status: 200, body: { data: [{ id: 'a' }, { id: 'b' }], has_more: true } },
    { status: 200, body: { data: [{ id: 'c' }], has_more: false } },
  );
  const charges = paginate(
    clientOf(server.url),
    '/charges',
    { params: { query: { limit: 2 } } },
    cursorPages({
      items: (page) => page.data,
      cursor: (page) => (page.has_more ? page.data.at(-1)?.id : undefined),
      parameter: 'starting_after',
    }),
  );
  expect((await collect(charges)).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(server.received.map(({ url }) => url)).toEqual([
    '/charges?limit=2',
    '/charges?limit=2&starting_after=b',
  ]);
});

test.each([
  ['preceding items', offsetPages({ items: (page: number[]) => page, parameter: 'offset' }), '2'],
  [
    'preceding pages',
    offsetPages({ items: (page: number[]) => page, parameter: 'offset', unit: 'pages' }),
    '2',
  ],
  [
    'pages from 0',
    offsetPages({ items: (page: number[]) => page, parameter: 'offset', unit: 'pages', first: 0 }),
    '1',
  ],
])('pages by the number of %s', async (_, shape, second) => {
  await using server = await startScriptedServer({ status: 200, body: [1, 2] }, { status: 200, body: [] });
  expect(await collect(paginate(clientOf(server.url), '/numbers', {}, shape))).toEqual([1, 2]);
  expect(server.received.map(({ url }) => url)).toEqual(['/numbers', `/numbers?offset=${second}`]);
});

test('pages by offset end where the shape says so', async () => {
  await using server = await startScriptedServer({ status: 200, body: [1, 2] }, { status: 200, body: [3] });
  const shape = offsetPages({
    items: (page: number[]) => page,
    parameter: 'skip',
    more: ({ count, query }) => Number(query.skip ?? 0) + count < 3,
  });
  const numbers = paginate(clientOf(server.url), '/numbers', {}, shape);
  expect(await collect(numbers.pages())).toEqual([[1, 2], [3]]);
  expect(server.received).toHaveLength(2);
});

test('pages with a Link header', async () => {
  await using server = await startScriptedServer(
    {
      status: 200,
      body: [1],
      headers: {
        link: '<?page=9>; title="; rel=next"; rel=last, <https://api.example.com/numbers?page=2&tag=a&tag=b>; REL="prev Next"',
      },
    },
    { status: 200, body: [2], headers: { link: '</numbers?page=3>; rel=next' } },
    { status: 200, body: [3], headers: { link: '</numbers?page=1>; rel="first"' } },
  );
  expect(await collect(paginate(clientOf(server.url), '/numbers', {}, linkPages()))).toEqual([1, 2, 3]);
  // Only the query of the link is used: another host would receive the token.
  expect(server.received.map(({ url }) => url)).toEqual([
    '/numbers',
    '/numbers?page=2&tag=a&tag=b',
    '/numbers?page=3',
  ]);
});

test('the query of the next page is compared as it is sent', async () => {
  await using server = await startScriptedServer({ status: 200, body: [1] }, { status: 200, body: [2] });
  // Both lists have the same text in JavaScript.
  const lists = [['a,b'], ['a', 'b']];
  const shape = {
    items: (page: number[]) => page,
    next: () => (lists.length > 1 ? { tag: lists.shift() } : undefined),
  };
  const numbers = paginate(
    clientOf(server.url),
    '/numbers',
    { params: { query: { tag: ['a', 'b'] } } },
    shape,
  );
  expect(await collect(numbers)).toEqual([1, 2]);
});

test('a page of another shape and a list without an end are errors', async () => {
  await using server = await startScriptedServer({ status: 200, body: { message: 'no list' } });
  const numbers = paginate(clientOf(server.url), '/numbers', {}, linkPages());
  expect(await failureOf(collect(numbers))).toMatchObject({ kind: 'response', status: 200 });

  const failing = offsetPages({ items: (): number[] => JSON.parse('no'), parameter: 'page' });
  const unreadable = paginate(clientOf(server.url), '/numbers', {}, failing);
  expect(await failureOf(collect(unreadable))).toMatchObject({
    name: 'ApiError',
    kind: 'response',
    message: expect.stringContaining('cannot be read'),
    cause: expect.any(SyntaxError),
  });

  await using invalid = await startScriptedServer({
    status: 200,
    body: [1],
    headers: { link: '<http://[>; rel=next' },
  });
  expect(
    await failureOf(collect(paginate(clientOf(invalid.url), '/numbers', {}, linkPages()))),
  ).toMatchObject({
    kind: 'response',
    status: 200,
  });

  await using endless = await startScriptedServer({
    status: 200,
    body: [1],
    headers: { link: '<?page=2>; rel=next' },
  });
  const repeated = paginate(clientOf(endless.url), '/numbers', {}, linkPages());
  expect(await failureOf(collect(repeated))).toMatchObject({
    kind: 'response',
    message: expect.stringContaining('does not continue'),
  });
  expect(endless.received).toHaveLength(2);
});
