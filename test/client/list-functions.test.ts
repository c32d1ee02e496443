import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClient, paginate } from '../../client/index.ts';
import { createGenerator, findDrifts, resolveProject } from '../../spec/toolchain/main.ts';
import * as lists from '../fixtures/lists/generated/functions.ts';
import { operations } from '../fixtures/lists/generated/operations.ts';
import type { paths, Star } from '../fixtures/lists/generated/schema.d.ts';
import {
  collect,
  failureOf,
  fakeRuntime,
  type ScriptedServer,
  type Step,
  startScriptedServer,
} from './scripted-server.ts';

const clientOf = ({ url }: ScriptedServer) => createClient<paths>({ baseUrl: url, runtime: fakeRuntime() });
const page = (body: object, headers: Record<string, string> = {}): Step => ({ status: 200, body, headers });
const stars = (...names: string[]) => names.map((name) => ({ name }));
const urlsOf = ({ received }: ScriptedServer) => received.map(({ url }) => decodeURIComponent(url));

async function namesOf(list: AsyncIterable<Star>): Promise<string[]> {
  return (await collect(list)).map(({ name }) => name);
}

test('a list follows the cursor that TypeSpec declares, with the other parameters of its input', async () => {
  await using server = await startScriptedServer(
    page({ stars: stars('a', 'b'), nextCursor: 'c/2' }),
    page({ stars: stars('c'), nextCursor: '' }),
  );
  const list = paginate(clientOf(server), lists.listByCursor, { limit: 2, color: 'red' });
  expect(await namesOf(list)).toEqual(['a', 'b', 'c']);
  expect(urlsOf(server)).toEqual([
    '/cursor?limit=2&color=red',
    '/cursor?limit=2&color=red&starting-after=c/2',
  ]);
});

test('a list starts over for each iteration, from the page of its input', async () => {
  await using server = await startScriptedServer(page({ stars: stars('a') }));
  const list = paginate(clientOf(server), lists.listByCursor, { 'starting-after': 'x' });
  const pages = await collect(list.pages());
  expect(pages.map((one) => one.stars.length)).toEqual([1]);
  expect(await namesOf(list)).toEqual(['a']);
  expect(urlsOf(server)).toEqual(Array(2).fill('/cursor?starting-after=x'));
});

test('items and cursors can be nested, with names of their own in JSON', async () => {
  await using server = await startScriptedServer(
    page({ result: { star_list: stars('a') }, meta: { next: '2' } }),
    page({ result: { star_list: stars('b') }, meta: { next: null } }),
  );
  expect(await namesOf(paginate(clientOf(server), lists.listNested))).toEqual(['a', 'b']);
  expect(urlsOf(server)).toEqual(['/nested', '/nested?page[after]=2']);
});

test('cursors can be headers of responses and requests', async () => {
  await using server = await startScriptedServer(
    page({ stars: stars('a') }, { 'x-next': '2' }),
    page({ stars: stars('b') }),
  );
  expect(await namesOf(paginate(clientOf(server), lists.listByHeader))).toEqual(['a', 'b']);
  expect(server.received.map(({ headers }) => headers['x-token'])).toEqual([undefined, '2']);
});

test('a link is followed by its query, which changes neither host nor path', async () => {
  await using server = await startScriptedServer(
    page({ stars: stars('a'), next: 'https://other.example/links/x?color=red&cursor=2&galaxy=y&body=z' }),
    page({ stars: stars('b') }),
  );
  const list = paginate(clientOf(server), lists.listByLink, { galaxy: 'm31', color: 'red' });
  expect(await namesOf(list)).toEqual(['a', 'b']);
  expect(urlsOf(server)).toEqual(['/links/m31?color=red', '/links/m31?color=red&cursor=2']);
});

test('a list counts its items or its pages until one is empty', async () => {
  await using server = await startScriptedServer(
    page({ stars: stars('a', 'b') }),
    page({ stars: [] }),
    page({ stars: stars('a', 'b') }),
    page({ stars: [] }),
    page({ stars: stars('a', 'b') }),
    page({ stars: [] }),
  );
  const client = clientOf(server);
  expect(await namesOf(paginate(client, lists.listByOffset))).toEqual(['a', 'b']);
  expect(await namesOf(paginate(client, lists.listByOffset, { skip: 10 }))).toEqual(['a', 'b']);
  expect(await namesOf(paginate(client, lists.listByPage))).toEqual(['a', 'b']);
  expect(urlsOf(server)).toEqual([
    ...['/offset', '/offset?skip=2', '/offset?skip=10', '/offset?skip=12'],
    ...['/pages', '/pages?number=1'],
  ]);
});

test('a list without parameters is one page, and one of the toolkit needs no description', async () => {
  await using all = await startScriptedServer(page({ stars: stars('a') }));
  expect(await namesOf(paginate(clientOf(all), lists.listAll))).toEqual(['a']);
  expect(all.received).toHaveLength(1);
  await using server = await startScriptedServer(
    page({ items: stars('a'), next: { page: '2' } }),
    page({ items: stars('b') }),
  );
  expect(await namesOf(paginate(clientOf(server), lists.listByDefault))).toEqual(['a', 'b']);
  expect(urlsOf(server)).toEqual(['/default', '/default?page=2']);
});

test('the options of a call apply to each page, and its errors are thrown', async () => {
  await using server = await startScriptedServer(page({ stars: stars('a'), nextCursor: '2' }), {
    status: 404,
    body: { message: 'Gone.' },
  });
  const options = { headers: { 'x-trace': 't' } };
  const failure = await failureOf(collect(paginate(clientOf(server), lists.listByCursor, {}, options)));
  expect(failure).toMatchObject({ kind: 'http', status: 404, message: 'Gone.' });
  expect(server.received.map(({ headers }) => headers['x-trace'])).toEqual(['t', 't']);
  await using other = await startScriptedServer(page({ results: [] }));
  expect(await failureOf(collect(paginate(clientOf(other), lists.listByCursor)))).toMatchObject({
    kind: 'response',
    message: expect.stringContaining('not a page of a list'),
  });
});

test('the operation table marks each list', () => {
  expect(Object.values(operations).map(({ list }) => list)).toEqual(Array(8).fill(true));
});

test('the files generated from the lists are up to date', async () => {
  const root = join(import.meta.dirname, '../fixtures/lists');
  const project = resolveProject({ root, contract: 'main.tsp', tool: 'npx colophon' });
  const output = await createGenerator(project).run();
  expect(output.problems).toEqual([]);
  expect(await findDrifts(project, output)).toEqual([]);
});
