import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveDocs } from '../../contract/docs/server.ts';
import { document } from '../../contract/small-contract.ts';
import { type SmallServer, serveSmallContract, TOKEN } from '../../contract/small-server.ts';
import { inaccessible } from '../../support/browser/axe.ts';
import { expectNoProblems, launchBrowser, visit } from '../../support/browser/browser.ts';
import { runsInBrowser } from '../../support/browser/find-browser.ts';

describe.runIf(runsInBrowser)('the documentation in a browser', () => {
  let browser: Browser;
  let server: SmallServer;
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
    server = await serveSmallContract({}, { onEnd: (stop) => ends.push(stop) });
  });

  afterAll(async () => {
    await browser?.close();
    for (const end of ends) {
      await end();
    }
  });

  test('sends requests with the token, which stays in the tab, and shows their responses', async () => {
    const visited = await visit(browser, `${server.url}/docs/operations/getWidget`);
    const { page, requests } = visited;
    await page.getByLabel('Access token').fill(TOKEN);
    await page.getByLabel('widgetId').fill('a/b');
    await page.getByRole('button', { name: 'Send request' }).click();
    const response = page.locator('.response');
    await response.getByText('200 OK').waitFor();
    expect(JSON.parse((await response.locator('> pre').textContent()) ?? '')).toMatchObject({ id: 'a/b' });
    expect(server.handled.at(-1)).toMatchObject({ operation: 'getWidget', path: { widgetId: 'a/b' } });
    expect(requests).toContain(`${server.url}/v1/widgets/a%2Fb`);
    expect(await inaccessible(page)).toEqual([]);

    await page.goto(`${server.url}/docs/operations/createWidget`);
    await page.getByLabel('Body').fill('{ "title": "New" }');
    await page.getByRole('button', { name: 'Send request' }).click();
    await response.getByText('201 Created').waitFor();
    expect(server.handled.at(-1)).toMatchObject({ operation: 'createWidget', body: { title: 'New' } });

    await page.goto(`${server.url}/docs/operations/listWidgets`);
    await page.getByLabel('scores').fill('1\n2');
    await page.getByLabel('nested').selectOption('true');
    await page.getByRole('button', { name: 'Send request' }).click();
    await response.getByText('200 OK').waitFor();
    expect(server.handled.at(-1)?.query).toMatchObject({ scores: [1, 2], nested: true });
    expectNoProblems(visited);
    expect(await page.title()).toBe(`List widgets · ${document.info.title}`);
    await page.close();
  });

  test('sends files, forms and every kind of credentials', async () => {
    const received: { url: string; headers: IncomingHttpHeaders; body: string }[] = [];
    const scheme = { type: 'string', format: 'binary' };
    const form = {
      type: 'object',
      required: ['file'],
      properties: { file: scheme, title: { type: 'string' } },
    };
    const operation = (type: string, schema: object, security: string) => ({
      operationId: 'send',
      security: [{ [security]: [] }],
      requestBody: { content: { [type]: { schema } } },
      responses: { 200: { description: 'OK' } },
    });
    const documentOf = (type: string, schema: object, security: string) => ({
      openapi: '3.1.0',
      info: { title: 'Forms', version: '1' },
      paths: { '/send': { post: operation(type, schema, security) } },
      components: {
        securitySchemes: {
          Header: { type: 'apiKey', in: 'header', name: 'X-Key' },
          Query: { type: 'apiKey', in: 'query', name: 'key' },
          Basic: { type: 'http', scheme: 'basic' },
        },
      },
    });
    const send = async (
      type: string,
      schema: object,
      security: string,
      fill: (page: Page) => Promise<void>,
    ) => {
      const url = await serveDocs(documentOf(type, schema, security), {
        respond: async (req, res) => {
          received.push({ url: req.url, headers: req.headers, body: await text(req) });
          res.type('application/zip').send(Buffer.from('zip'));
        },
      });
      const { page } = await visit(browser, `${url}/docs/operations/send`);
      await page.locator('[data-credential]').fill('ada:pässword');
      await fill(page);
      await page.getByRole('button', { name: 'Send request' }).click();
      await page.getByText('Download the body (3 bytes)').waitFor();
      await page.close();
      return received.at(-1);
    };
    const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('content') };

    const uploaded = await send('multipart/form-data', form, 'Header', async (page) => {
      await page.getByLabel('file').setInputFiles(file);
      await page.getByLabel('title').fill('A');
    });
    expect(uploaded?.headers).toMatchObject({ 'x-key': 'ada:pässword' });
    expect(uploaded?.body).toMatch(
      /name="file"; filename="a.txt"[\s\S]*content[\s\S]*name="title"\r\n\r\nA\r\n/,
    );

    const submitted = await send('application/x-www-form-urlencoded', form, 'Query', (page) =>
      page.getByLabel('title').fill('a b'),
    );
    expect(submitted).toMatchObject({ url: '/send?key=ada%3Ap%C3%A4ssword', body: 'title=a%20b' });

    const sent = await send('image/*', {}, 'Basic', (page) => page.getByLabel('Body').setInputFiles(file));
    expect(sent).toMatchObject({
      headers: {
        authorization: `Basic ${Buffer.from('ada:pässword').toString('base64')}`,
        'content-type': 'text/plain',
      },
      body: 'content',
    });
  });

  test('shows why a request without a token is rejected', async () => {
    const { page } = await visit(browser, `${server.url}/docs/operations/listWidgets`);
    await page.getByRole('button', { name: 'Send request' }).click();
    const response = page.locator('.response');
    await response.getByText('401 Unauthorized').waitFor();
    expect(await response.textContent()).toContain('Send Authorization: Bearer <token>');
    await page.close();
  });
});
