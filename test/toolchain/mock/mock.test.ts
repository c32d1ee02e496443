import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ApiError, type Client, createClient, ok } from '../../../client/index.ts';
import { type RunningMock, resolveProject, startMock } from '../../../spec/toolchain/main.ts';
import type { paths } from '../../fixtures/shop/generated/schema.d.ts';

const fixture = join(import.meta.dirname, '../../fixtures/shop');
const project = resolveProject({ root: fixture, contract: 'main.tsp', tool: 'npx colophon' });

const startShop = (token?: string): Promise<RunningMock> =>
  startMock(project, { port: 0, host: '127.0.0.1', ...(token && { token }), log: () => undefined });

describe('a mock of the shop', () => {
  let mock: RunningMock;
  let shop: Client<paths>;
  beforeAll(async () => {
    mock = await startShop();
    shop = createClient<paths>({ baseUrl: mock.url, token: 'any' });
  });
  afterAll(() => mock.close());

  const createCustomer = (name: string) => ok(shop.POST('/customers', { body: { name } }));
  const createOrder = async (customerId: string, note?: string) => {
    const [article] = (await ok(shop.GET('/articles'))).data;
    const lines = [{ articleId: article?.id ?? '', count: 2 }];
    const body = { lines, ...(note && { note }) };
    return await ok(shop.POST('/customers/{customerId}/orders', { params: { path: { customerId } }, body }));
  };
  const statusOf = async (call: Promise<unknown>): Promise<number | undefined> => {
    const error = await call.catch((reason: unknown) => reason);
    return error instanceof ApiError ? error.status : undefined;
  };
  const readCustomer = (customerId: string) =>
    ok(shop.GET('/customers/{customerId}', { params: { path: { customerId } } }));

  test('lists entities before any is created', async () => {
    const { data, total } = await ok(shop.GET('/articles'));
    expect(data.map(({ title }) => title)).toEqual(['title 1', 'title 2']);
    expect(total).toBe(2);
  });

  test('stores what is created, with generated values for what was not sent', async () => {
    const created = await createCustomer('Ada');
    expect(created).toEqual({ id: expect.stringMatching(/^[a-z]{3}-/), name: 'Ada', offers: false });
    expect(await readCustomer(created.id)).toEqual(created);
    const { customers } = await ok(shop.GET('/customers', { params: { query: { size: 50 } } }));
    expect(customers).toContainEqual(created);
  });

  test('omits optional properties that were not sent', async () => {
    const { id } = await createCustomer('Bob');
    expect(await createOrder(id)).not.toHaveProperty('note');
    expect(await createOrder(id, 'Ring twice')).toMatchObject({ customerId: id, note: 'Ring twice' });
  });

  test('updates the sent properties, and removes those that are null', async () => {
    const { id: customerId } = await createCustomer('Cleo');
    const { id: orderId, lines } = await createOrder(customerId, 'Ring twice');
    const params = { path: { customerId, orderId } };
    const path = '/customers/{customerId}/orders/{orderId}';
    const paid = await ok(shop.PATCH(path, { params, body: { state: 'paid' } }));
    expect(paid).toMatchObject({ state: 'paid', note: 'Ring twice', lines });
    await ok(shop.PATCH(path, { params, body: { note: null } }));
    expect(await ok(shop.GET(path, { params }))).toEqual({ id: orderId, customerId, state: 'paid', lines });
  });

  test('deletes an entity with those that it contains', async () => {
    const { id: customerId } = await createCustomer('Dan');
    const { id: orderId } = await createOrder(customerId);
    const params = { path: { customerId, orderId } };
    await ok(shop.DELETE('/customers/{customerId}', { params: { path: { customerId } } }));
    expect(await statusOf(readCustomer(customerId))).toBe(404);
    expect(await statusOf(ok(shop.GET('/customers/{customerId}/orders/{orderId}', { params })))).toBe(404);
  });

  test('lists the entities of each container separately', async () => {
    const [first, second] = [await createCustomer('Eve'), await createCustomer('Fay')];
    const order = await createOrder(first.id);
    const list = (customerId: string) =>
      ok(shop.GET('/customers/{customerId}/orders', { params: { path: { customerId } } }));
    expect((await list(first.id)).data).toEqual([order]);
    expect(await list(second.id)).toMatchObject({ data: [], total: 0 });
  });

  test('returns lists in pages', async () => {
    for (const name of ['Gil', 'Hal', 'Ida']) {
      await createCustomer(name);
    }
    const names: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages === 0 || (cursor !== undefined && pages < 50); pages++) {
      const query = { size: 2, ...(cursor && { cursor }) };
      const page = await ok(shop.GET('/customers', { params: { query } }));
      expect(page.customers.length).toBeLessThanOrEqual(2);
      names.push(...page.customers.map(({ name }) => name));
      cursor = page.cursor;
    }
    expect(names.slice(-3)).toEqual(['Gil', 'Hal', 'Ida']);
    expect(new Set(names).size).toBe(names.length);
    const second = await ok(shop.GET('/articles', { params: { query: { page: 2, limit: 1 } } }));
    expect(second).toMatchObject({ page: 2, pages: 2, total: 2, data: [{ title: 'title 2' }] });
  });

  test('returns errors in the declared shape', async () => {
    const error = await createCustomer('').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400, body: { title: 'Bad Request', status: 400 } });
    expect(error).toHaveProperty('body.detail', expect.stringContaining('name'));
  });

  test('requires a credential, and accepts any', async () => {
    expect(await statusOf(ok(createClient<paths>({ baseUrl: mock.url }).GET('/customers')))).toBe(401);
    expect(await statusOf(ok(shop.GET('/customers')))).toBeUndefined();
  });

  test('accepts a single credential if one is specified', async () => {
    const private_ = await startShop('secret');
    onTestFinished(() => private_.close());
    const as = (token: string) => ok(createClient<paths>({ baseUrl: private_.url, token }).GET('/customers'));
    expect(await statusOf(as('other'))).toBe(401);
    expect(await statusOf(as('secret'))).toBeUndefined();
  });
});

describe('the headers of a mock', () => {
  const text = { type: 'string' };
  const page = { type: 'integer', minimum: 1 };
  const widget = { type: 'object', required: ['id'], properties: { id: text, name: text } };
  const widgets = { type: 'array', items: widget };
  const json = (schema: object) => ({ 'application/json': { schema } });
  const id = { name: 'widgetId', in: 'path', required: true, schema: text };
  const documentWith = (location: object) => ({
    openapi: '3.1.0',
    info: { title: 'Widgets', version: '1.0.0' },
    servers: [{ url: 'https://widgets.example/{stage}/v1', variables: { stage: { default: 'live' } } }],
    paths: {
      '/widgets': {
        get: {
          operationId: 'listWidgets',
          parameters: [
            { name: 'page', in: 'query', schema: page },
            { name: 'limit', in: 'query', schema: page },
            { name: 'name', in: 'query', schema: text },
          ],
          responses: {
            200: { description: 'Widgets.', headers: { Link: { schema: text } }, content: json(widgets) },
          },
        },
        post: {
          operationId: 'createWidget',
          requestBody: { required: true, content: json({ type: 'object', properties: { name: text } }) },
          responses: {
            201: {
              description: 'Created.',
              headers: { Location: { required: true, schema: location } },
              content: json(widget),
            },
          },
        },
      },
      '/widgets/{widgetId}': {
        get: {
          operationId: 'getWidget',
          parameters: [id],
          responses: { 200: { description: 'A widget.', content: json(widget) } },
        },
      },
    },
  });
  const serve = async (location: object): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'mock-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'api.json'), JSON.stringify(documentWith(location)));
    const widgetProject = resolveProject({ root: folder, contract: 'api.json', tool: 'npx colophon' });
    const mock = await startMock(widgetProject, { port: 0, host: '127.0.0.1', log: () => undefined });
    onTestFinished(() => mock.close());
    return mock.url;
  };
  const create = (url: string): Promise<Response> =>
    fetch(`${url}/widgets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'bolt' }),
    });

  test('locate what was created with a URL below the base path', async () => {
    const url = await serve({ type: 'string', format: 'uri' });
    const created = await create(url);
    expect(created.status).toBe(201);
    const location = created.headers.get('location') ?? '';
    expect(location).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/live\/v1\/widgets\/[^/]+$/);
    expect(await (await fetch(location)).json()).toEqual(await created.json());
  });

  test('locate what was created with a path if the contract requires one', async () => {
    const url = await serve({ type: 'string', pattern: '^/' });
    const location = (await create(url)).headers.get('location') ?? '';
    expect(location).toMatch(/^\/live\/v1\/widgets\/[^/]+$/);
    expect((await fetch(new URL(location, url))).status).toBe(200);
  });

  test('link to the next page with the query of the current one', async () => {
    const url = await serve(text);
    const first = await fetch(`${url}/widgets?name=a%20b&page=1&limit=1`);
    const [, next = ''] = /^<([^>]*)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    expect(next).toBe(`${url}/widgets?name=a%20b&limit=1&page=2`);
    expect((await fetch(next)).headers.has('link')).toBe(false);
  });
});
