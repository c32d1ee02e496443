import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import createClient from 'openapi-fetch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { typeCheck } from '../../spec/toolchain/check/type-check.ts';
import {
  createGenerator,
  diffDocuments,
  documentOf,
  findDrifts,
  formatResults,
  generate,
  type Project,
  resolveProject,
  runChecks,
} from '../../spec/toolchain/main.ts';
import type { paths } from '../fixtures/shop/generated/schema.d.ts';
import { handlers } from '../fixtures/shop/handlers.ts';
import { type Shop, startShop, tokens } from '../fixtures/shop/server.ts';

// A second contract, of another domain and vocabulary, through all tools: what is generated from it, handlers, server,
// client, diff. No tool may depend on the contract.

const fixture = join(import.meta.dirname, '../fixtures/shop');

describe('the contract of the shop', () => {
  let root: string;
  let project: Project;
  beforeAll(async () => {
    // As deep as the fixture, so that it finds the server runtime.
    const parent = join(import.meta.dirname, '../.colophon');
    await mkdir(parent, { recursive: true });
    root = await mkdtemp(join(parent, 'shop-'));
    await cp(fixture, root, { recursive: true });
    await writeFile(
      join(root, 'tsconfig.json'),
      '{ "extends": "../../../tsconfig.json", "compilerOptions": { "skipLibCheck": true }, "include": ["*.ts", "generated"] }',
    );
    project = resolveProject({ root, contract: 'main.tsp', tool: 'npx colophon' });
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  /** Edits a file of the copy, runs a callback, and restores the file. */
  async function edited<Outcome>(file: string, from: string, to: string, run: () => Promise<Outcome>) {
    const text = await readFile(join(root, file), 'utf8');
    expect(text).toContain(from);
    await writeFile(join(root, file), text.replace(from, to));
    try {
      return await run();
    } finally {
      await writeFile(join(root, file), text);
    }
  }
  /** Returns the errors of the type check, each by its file and text. */
  const errors = async () => (await typeCheck(project)).map(({ file, message }) => `${file}: ${message}`);

  test('is the source of the committed files', async () => {
    const output = await createGenerator(project).run();
    expect(output.problems).toEqual([]);
    expect(await findDrifts({ ...project, root: fixture }, output)).toEqual([]);
  });

  test('generates files that compile in strict mode, including declarations', async () => {
    const declarations = ['"skipLibCheck": true', '"skipLibCheck": false'] as const;
    expect(await edited('tsconfig.json', ...declarations, errors)).toEqual([]);
  });

  test('requires each of its handlers, and no others', async () => {
    const missing = await edited('handlers.ts', '  deleteOrder: async', '  cancelOrder: async', errors);
    expect(missing.join('\n')).toMatch(/^handlers\.ts: .*'?cancelOrder'? does not exist in type/m);
    const removed = await edited('handlers.ts', '  getHealth: async () => ({ open: true }),\n', '', errors);
    expect(removed.join('\n')).toContain('handlers.ts: getHealth has no handler');
  });

  test('requires handlers to return the declared bodies', async () => {
    const wrong = await edited('handlers.ts', '{ open: true }', "{ open: 'always' }", errors);
    expect(wrong.join('\n')).toMatch(/^handlers\.ts: open: Type 'string' is not assignable/m);
  });

  test('reports the handlers that no longer match after an edit', async () => {
    const text = await edited('common.tsp', '  total: int32;', '  count: int32;', async () => {
      expect((await generate(project)).written).toHaveLength(2);
      return errors();
    });
    await generate(project);
    expect(text.join('\n')).toMatch(/^handlers\.ts: /m);
  });

  test('is checked with messages that name only its own files', async () => {
    await mkdir(join(root, 'released'));
    await copyFile(join(root, 'generated/openapi.json'), join(root, 'released/openapi.json'));
    await writeFile(
      join(root, 'rule.js'),
      `export function $onValidate(program) {
  const target = program.getGlobalNamespaceType();
  program.reportDiagnostic({ code: 'own/rule', severity: 'warning', message: 'Not like that.', target });
}
`,
    );
    const checked = async () => {
      const results = await runChecks(project);
      const red = results.flatMap(({ name, failure }) => (failure ? name : []));
      return { red, text: formatResults(results) };
    };
    const { red, text } = await edited('handlers.ts', '{ open: true }', "{ open: 'always' }", () =>
      edited('articles.tsp', '@maxLength(80)', '   @maxLength(40)', () =>
        edited('main.tsp', 'import "./common.tsp";', 'import "./common.tsp";\nimport "./rule.js";', checked),
      ),
    );
    await rm(join(root, 'released'), { recursive: true });
    expect(red).toEqual(['contract format', 'contract', 'drift', 'released', 'types']);
    expect(text.replaceAll(root, '')).not.toMatch(
      /(?<![\w.])(spec|server|client|test|resources)\/|undefined|unknown location|\.\//,
    );
    for (const line of [
      'articles.tsp is not formatted',
      'Fix: npx tsp format "**/*.tsp"',
      'main.tsp warning own/rule: Not like that.',
      /^Fix: Edit main\.tsp at the locations above, then run: npx colophon generate --contract main\.tsp\./m,
      'can be approved in released/approvals.yaml with a reason',
      /^generated\/openapi\.json:\d+ does not match/m,
      'Run npx colophon diff released/openapi.json generated/openapi.json for the reasons',
      /^handlers\.ts:\d+/m,
      /^Fix: Edit .* To see the remaining errors while you edit, run: npx colophon dev --contract main\.tsp$/m,
    ]) {
      expect.soft(text).toMatch(line);
    }
  });

  test('reports the breaking changes of an edit', async () => {
    const before = await createGenerator(project).run();
    const after = await edited('articles.tsp', '@maxLength(80)', '@maxLength(40)', () =>
      createGenerator(project).run(),
    );
    const changes = diffDocuments(documentOf('before', before.document), documentOf('after', after.document));
    const breaking = changes.filter(({ level }) => level === 'breaking');
    expect(breaking.map(({ operation, message }) => `${operation}: ${message}`)).toEqual([
      'createArticle: maxLength changed from 80 to 40.',
    ]);
  });
});

describe('the server of the shop', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  /** Returns the typed client of the contract, as one of the tenants. */
  const clientOf = (token: string) =>
    createClient<paths>({ baseUrl: shop.url, headers: { authorization: `Bearer ${token}` } });
  const client = () => clientOf(tokens[0]);

  /** Returns data that must exist. */
  function dataOf<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
    expect(error).toBeUndefined();
    if (data === undefined) {
      throw new Error('The answer has no body.');
    }
    return data;
  }

  test('serves typed calls that create, read, update and delete', async () => {
    const created = await client().POST('/articles', { body: { title: 'Lamp', price: 1900 } });
    const article = dataOf(created);
    expect(created.response.status).toBe(201);
    expect(created.response.headers.get('location')).toBe(`/articles/${article.id}`);
    expect(article).toMatchObject({ title: 'Lamp', wrapping: 'paper', keywords: [], description: null });

    const params = { path: { articleId: article.id } };
    const changed = dataOf(await client().PATCH('/articles/{articleId}', { params, body: { price: 1500 } }));
    expect(changed).toEqual({ ...article, price: 1500 });
    expect(dataOf(await client().GET('/articles/{articleId}', { params }))).toEqual(changed);
    expect((await client().DELETE('/articles/{articleId}', { params })).response.status).toBe(204);
    const deleted = await client().GET('/articles/{articleId}', { params });
    expect(deleted.error).toMatchObject({ type: 'about:blank', status: 404 });
    // @ts-expect-error: the contract has no such path
    await client().GET('/spaces');
  });

  test('paginates both kinds of lists to the end', async () => {
    const shopper = dataOf(await client().POST('/customers', { body: { name: 'Ada' } }));
    const article = dataOf(await client().POST('/articles', { body: { title: 'Pen', price: 5 } }));
    const path = { customerId: shopper.id };
    const body = { lines: [{ articleId: article.id, count: 1 }] };
    const ordered: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const order = await client().POST('/customers/{customerId}/orders', { params: { path }, body });
      ordered.push(dataOf(order).id);
      await client().POST('/customers', { body: { name: `Friend ${index}` } });
    }
    const seen: string[] = [];
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const params = { path, query: { page, limit: 2 } };
      const list = dataOf(await client().GET('/customers/{customerId}/orders', { params }));
      expect(list.total).toBe(5);
      pages = list.pages;
      seen.push(...list.data.map(({ id }) => id));
    }
    expect(seen).toEqual(ordered);
    const [orderId = ''] = ordered;
    const otherCustomer = dataOf(await client().GET('/customers', { params: { query: { size: 50 } } }))
      .customers[1];
    const otherOrder = { path: { customerId: otherCustomer?.id ?? '', orderId } };
    const order = await client().GET('/customers/{customerId}/orders/{orderId}', { params: otherOrder });
    expect(order.response.status).toBe(404);

    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { size: 2, ...(cursor !== undefined && { cursor }) };
      const list = dataOf(await client().GET('/customers', { params: { query } }));
      names.push(...list.customers.map(({ name }) => name));
      cursor = list.cursor;
    } while (cursor !== undefined);
    expect(names).toEqual(['Ada', 'Friend 0', 'Friend 1', 'Friend 2', 'Friend 3', 'Friend 4']);
  });

  test('isolates tenants, and rejects unknown callers', async () => {
    const { id } = dataOf(await client().POST('/customers', { body: { name: 'Grace' } }));
    const params = { path: { customerId: id } };
    expect((await clientOf(tokens[1]).GET('/customers/{customerId}', { params })).response.status).toBe(404);
    expect(dataOf(await clientOf(tokens[1]).GET('/customers')).customers).toEqual([]);
    expect((await clientOf('unknown').GET('/customers')).response.status).toBe(401);
    expect((await fetch(`${shop.url}/customers`)).status).toBe(401);
    expect(await (await fetch(`${shop.url}/health`)).json()).toEqual({ open: true });
  });

  test('rejects invalid requests with its own messages', async () => {
    const { error, response } = await client().POST('/articles', {
      // @ts-expect-error: a price is a number, and there is no colour
      body: { title: '', price: 'cheap', colour: 'red' },
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(error).toMatchObject({ type: 'about:blank', title: 'Bad Request', status: 400 });
    expect(error?.fields?.toSorted()).toEqual(['colour', 'price', 'title']);
    const wrong = await fetch(`${shop.url}/articles`, { method: 'PUT' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD']);
    expect((await fetch(`${shop.url}/nothing`)).status).toBe(404);
  });

  test('returns no undeclared properties', async () => {
    await using broken = await startShop({
      // A handler that the compiler would reject.
      handlers: { ...handlers, getHealth: async () => ({ open: 'always' }) as never },
    });
    const response = await fetch(`${broken.url}/health`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('always');
  });
});
