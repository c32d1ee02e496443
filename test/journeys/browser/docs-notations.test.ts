import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { list, map, object, string } from '../../contract/parameters/style-table.ts';
import { operation, serveEcho } from '../../contract/parameters/styled-parameters.ts';
import { inaccessible } from '../../support/browser/axe.ts';
import { expectNoProblems, launchBrowser, visit } from '../../support/browser/browser.ts';
import { runsInBrowser } from '../../support/browser/find-browser.ts';

const URL_ENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
const integer = { type: 'integer' };
const item = { type: 'object', required: ['price'], properties: { price: string, count: integer } };
const form = (properties: object) => ({ type: 'object', properties });
const rgb = { R: 1, G: 2 };

const PARTS = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const;
const anyJson = { content: { 'application/json': { schema: {} } } };
const rgbText = '{ "R": 1, "G": 2 }';
const lines = 'a,b\nc';

/** Parameters of one operation, the text that is entered for each, and the value that the handler receives. */
const PARAMETERS: [location: keyof typeof PARTS, name: string, more: object, text: string, value: unknown][] =
  [
    ['path', 'matrix', { style: 'matrix', explode: true, schema: object }, rgbText, rgb],
    ['path', 'label', { style: 'label', schema: list }, lines, ['a,b', 'c']],
    ['path', 'text', { schema: string }, 'a b', 'a b'],
    ['path', 'json', anyJson, '{ "a": ["b,c"] }', { a: ['b,c'] }],
    ['path', 'plus', { schema: string }, 'a/b c', 'a/b c'],
    ['query', 'exploded', { schema: object }, rgbText, rgb],
    ['query', 'joined', { schema: object, explode: false }, rgbText, rgb],
    ['query', 'repeated', { schema: list }, lines, ['a,b', 'c']],
    ['query', 'pipes', { style: 'pipeDelimited', explode: false, schema: list }, lines, ['a,b', 'c']],
    ['query', 'spaces', { style: 'spaceDelimited', explode: false, schema: list }, lines, ['a,b', 'c']],
    ['query', 'deep', { style: 'deepObject', schema: map }, '{ "a b": "c&d" }', { 'a b': 'c&d' }],
    ['query', 'content', anyJson, '[1, "a&b"]', [1, 'a&b']],
    ['query', 'reserved', { schema: string, allowReserved: true }, 'a/b?c#d&e', 'a/b?c#d&e'],
    ['query', 'mixed', { schema: { anyOf: [integer, form({ a: integer })] }, explode: false }, '5', 5],
    ['header', 'X-Object', { schema: object }, rgbText, rgb],
    ['header', 'X-Json', anyJson, '{ "a": "b,c" }', { a: 'b,c' }],
    ['cookie', 'object', { schema: object }, rgbText, rgb],
    ['cookie', 'list', { schema: list }, lines, ['a,b', 'c']],
    ['cookie', 'data', anyJson, '{ "a": "b;c" }', { a: 'b;c' }],
  ];

/** Forms: media type, schema, encoding, what is entered by the name of the field, and the received body. */
const FORMS: [type: string, schema: object, encoding: object, texts: Record<string, string>, body: object][] =
  [
    [
      URL_ENCODED,
      form({ tags: list, items: { type: 'array', items: item }, address: form({ city: string }) }),
      {},
      { tags: 'a,b\nc', items: '[{ "price": "p", "count": 2 }]', address: '{ "city": "X" }' },
      { tags: ['a,b', 'c'], items: [{ price: 'p', count: 2 }], address: { city: 'X' } },
    ],
    [
      URL_ENCODED,
      form({ codes: list, data: form({ a: list }) }),
      { codes: { style: 'pipeDelimited', explode: false }, data: { contentType: 'application/json' } },
      { codes: 'a\nb', data: '{ "a": ["1"] }' },
      { codes: ['a', 'b'], data: { a: ['1'] } },
    ],
    [
      URL_ENCODED,
      { type: 'object' },
      {},
      { 'Other fields': '{ "a": "1", "b": { "c": "2" } }' },
      { a: '1', b: { c: '2' } },
    ],
    [
      URL_ENCODED,
      {
        oneOf: [form({ a: string }), form({ b: integer })].map((schema, index) => ({
          ...schema,
          required: ['ab'[index]],
          additionalProperties: false,
        })),
      },
      {},
      { b: '5' },
      { b: 5 },
    ],
    [
      MULTIPART,
      form({ meta: item, products: { type: 'array', items: item }, tags: list }),
      { products: { contentType: 'application/json' } },
      { meta: '{ "price": "p" }', products: '[{ "price": "a" }, { "price": "b" }]', tags: 'x\ny' },
      { meta: { price: 'p' }, products: [{ price: 'a' }, { price: 'b' }], tags: ['x', 'y'] },
    ],
  ];

const paths = {
  '/{matrix}/{label}/{text}.json/{json}/{+plus}': {
    get: operation('all', {
      parameters: PARAMETERS.map(([location, name, more]) => ({
        name,
        in: location,
        required: true,
        ...more,
      })),
    }),
  },
  ...Object.fromEntries(
    FORMS.map(([type, schema, encoding], index) => [
      `/form${index}`,
      { post: operation(`post${index}`, { requestBody: { content: { [type]: { schema, encoding } } } }) },
    ]),
  ),
  '/empty': {
    get: operation('empty', {
      parameters: [{ name: 'flag', in: 'query', allowEmptyValue: true, schema: { type: 'boolean' } }],
    }),
  },
  '/options': { options: operation('options', {}) },
  '/head': { head: { operationId: 'head', responses: { 200: { description: 'OK.' } } } },
  '/body': { get: operation('body', { requestBody: { content: { 'application/json': { schema: {} } } } }) },
};

describe.runIf(runsInBrowser)('the forms of the documentation in a browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  /** Sends the form of an operation, and returns the response. */
  async function send(page: Page, url: string, id: string): Promise<Record<string, unknown>> {
    await page.goto(`${url}/docs/operations/${id}`);
    return await submit(page);
  }

  async function submit(page: Page): Promise<Record<string, unknown>> {
    await page.getByRole('button', { name: 'Send request' }).click();
    const status = page.locator('.response .status-line, .response .failure').first();
    await status.waitFor();
    const shown = page.locator('.response > pre');
    const text = (await shown.count()) > 0 ? ((await shown.textContent()) ?? '') : '';
    return { status: await status.textContent(), ...(text.startsWith('{') ? JSON.parse(text) : { text }) };
  }

  test('send parameters and forms in every notation', async () => {
    const { url } = await serveEcho(paths, { hasDocs: true });
    const visited = await visit(browser, `${url}/docs`);
    const { page } = visited;
    await page.goto(`${url}/docs/operations/all`);
    for (const [location, name, , text] of PARAMETERS) {
      await page.locator(`[id="${location}-${name}"]`).fill(text);
    }
    const { path, query, headers, cookies, status } = await submit(page);
    const expected = Object.values(PARTS).map((part) => [
      part,
      Object.fromEntries(
        PARAMETERS.filter(([location]) => PARTS[location] === part).map(([, name, , , value]) => [
          name,
          value,
        ]),
      ),
    ]);
    expect({ path, query, headers, cookies }, String(status)).toEqual(Object.fromEntries(expected));
    // Cookies are removed after the response.
    expect(await page.context().cookies()).toEqual([]);
    for (const [index, [, , , texts, body]] of FORMS.entries()) {
      await page.goto(`${url}/docs/operations/post${index}`);
      for (const [name, text] of Object.entries(texts)) {
        await page.getByLabel(name, { exact: true }).fill(text);
      }
      const sent = await submit(page);
      expect(sent.body, JSON.stringify(sent)).toEqual(body);
    }
    expect(await inaccessible(page)).toEqual([]);
    expectNoProblems(visited);
    await page.close();
  });

  test('send empty values and every method, and explain what they cannot send', async () => {
    const { url } = await serveEcho(paths, { hasDocs: true });
    const { page } = await visit(browser, `${url}/docs`);
    expect((await send(page, url, 'empty')).query).toEqual({});
    await page.getByLabel('Send flag without a value').check();
    expect((await submit(page)).query).toEqual({ flag: true });
    expect((await send(page, url, 'options')).status).toContain('200 OK');
    // The handler of the test returns a body, which HEAD has not.
    expect((await send(page, url, 'head')).status).toContain('500');
    await page.goto(`${url}/docs/operations/body`);
    await page.getByText('Browsers send no body with GET.').waitFor();

    await page.goto(`${url}/docs/operations/all`);
    for (const [location, name, , text] of PARAMETERS) {
      await page.locator(`[id="${location}-${name}"]`).fill(text);
    }
    await page.getByLabel('pipes').fill('a|b\nc');
    expect((await submit(page)).status).toBe('pipes has a value that its style cannot express: "a|b"');
    await page.getByLabel('pipes').fill('a');
    await page.getByLabel('content').fill('{');
    expect((await submit(page)).status).toContain('content is not valid JSON');
    await page.close();
  });
});
