// Runs on one engine: imports fail before they are stored.
import { tmpdir } from 'node:os';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import type { ConvertLimits } from '../../../server/content/convert/types.ts';
import { createContentThreads } from '../../../server/content/threads/threads.ts';
import { createId } from '../../../server/database/seams.ts';
import { Searches } from '../../../server/database/search/searches.ts';
import { authenticate } from '../../../server/identity/caller.ts';
import { createQueue } from '../../../server/jobs/queue.ts';
import { parseAllowedRanges } from '../../../server/outgoing/addresses.ts';
import { createSamlThreads } from '../../../server/platform/accounts/saml/threads.ts';
import { importContent as importWebsite } from '../../../server/platform/content/imports/rules.ts';
import { registerIndexing } from '../../../server/platform/content/indexing/indexing.ts';
import { createResourceUrls } from '../../../server/platform/kit/resource-urls.ts';
import type { Services } from '../../../server/platform/kit/slice.ts';
import { createRequestSlots } from '../../../server/platform/kit/slots.ts';
import { siteHooks } from '../../../server/platform/sites/hooks.ts';
import { Quotas } from '../../../server/quotas/quotas.ts';
import { createSandbox } from '../../../server/sandbox/sandbox.ts';
import { createSpace, flatten, readTree } from '../../support/content/imports.ts';
import { docsPage } from '../../support/http/site.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { importContent, useSites, WEBSITE } from './websites.ts';

type Schemas = components['schemas'];

// No failure depends on the engine.
describe('an import that does not complete', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());
  const serve = useSites();

  async function failure(spaceId: string, body: Schemas['ContentImport']) {
    const { response, error } = await importContent(server.admin.client, spaceId, body);
    return { status: response.status, message: error?.message ?? '', details: error?.details };
  }

  describe('the limits of an import', () => {
    /** Imports content as a server with other limits does. */
    async function importWith(
      limits: ConvertLimits,
      spaceId: string,
      url: string,
      signal = new AbortController().signal,
    ) {
      const { database, admin } = server;
      const log = pino({ level: 'silent' });
      const clock = () => new Date();
      const services: Services = {
        database,
        clock,
        createId,
        log,
        resourceUrls: createResourceUrls(server.url),
        queue: createQueue({ database, clock, createId, log }),
        quotas: new Quotas({}, database.query),
        searches: new Searches({ database, log }),
        threads: createContentThreads(),
        objectStorage: undefined,
        samlThreads: createSamlThreads(),
        calls: { record: () => {}, flush: async () => {} },
        sandbox: createSandbox({ allow: [], ownOrigin: server.url, clock }),
        secretKey: 'unused here',
        outgoing: { allow: parseAllowedRanges('127.0.0.0/8'), folder: tmpdir(), copies: tmpdir() },
        hooks: siteHooks,
        translateUrl: undefined,
        languageModel: undefined,
      };
      registerIndexing(services);
      const caller = await authenticate(database.query, admin.token, clock());
      const request = {
        caller,
        signal,
        requestId: 'test',
        address: '127.0.0.1',
        visitor: undefined,
        audit: async () => {},
        location: undefined,
      };
      // Imports read no published pages.
      const unused = () => Promise.reject(new Error('not used'));
      const publishedPages = { search: unused, findRedirect: unused };
      const context = { ...services, ...request, publishedPages, slots: createRequestSlots() };
      return await importWebsite(context, { spaceId, url, source: 'website' }, limits);
    }

    const pages = Array.from({ length: 9 }, (_, at) => `/p${at}`);
    const many = {
      '/': docsPage('Welcome', pages.map((path) => `<a href="${path}">${path}</a>`).join('')),
      ...Object.fromEntries(pages.map((path) => [path, docsPage(path, '<p>Text</p>')])),
    };

    test('end it, and are reported with what was imported', async () => {
      const { id } = await createSpace(server);
      const { url } = await serve(many);
      const limits = { pages: 4, bytes: 1_000_000, milliseconds: 10_000 };
      expect(await importWith(limits, id, `${url}/`)).toMatchObject({ imported: 4, total: 10 });
      expect(flatten(await readTree(server.admin.client, id))).toHaveLength(4);
    });

    test('leave no data behind if the caller disconnects', async () => {
      const { id, revision } = await createSpace(server);
      const controller = new AbortController();
      const { url } = await serve({
        ...many,
        '/p3': (response) => {
          controller.abort();
          response.end();
        },
      });
      const limits = { pages: 100, bytes: 1_000_000, milliseconds: 10_000 };
      await expect(importWith(limits, id, `${url}/`, controller.signal)).rejects.toThrow(
        'aborted the request',
      );
      const after = await ok(
        server.admin.client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId: id } } }),
      );
      expect(after.revision).toBe(revision);
    });
  });

  describe('a failing import', () => {
    const missing = {
      '/page.html': docsPage('Page', ''),
      '/plain.txt': 'text',
      '/binary.md': Buffer.from([0, 1]),
    };

    test.each<[Schemas['ImportSource'], string, RegExp]>([
      ['website', '/missing', /must be the URL of a website: .*status 404/],
      ['website', '/plain.txt', /returned "text\/plain" instead of HTML/],
      ['html', '/plain.txt', /must be the URL of an HTML document/],
      ['markdown', '/page.html', /must be the URL of a markdown file: .*returned a page/],
      ['markdown', '/binary.md', /is not a text file/],
      ['docx', '/plain.txt', /must be the URL of a Word document: The archive cannot be extracted/],
      ['zip', '/plain.txt', /must be the URL of a ZIP archive/],
      ['notion', '/missing', /status 404/],
      ['confluence', '/page.html', /returned a page/],
      ['google-docs', '/page.html', /not that of a Google document/],
      ['google-docs', '/document/d/abc/edit', /Share the document with anyone/],
      ['github-wiki', '/owner/project/wiki', /must be the URL of a wiki on GitHub/],
    ])('of %s at %s reports the reason, and changes nothing', async (source, path, message) => {
      const { id, revision } = await createSpace(server);
      const { url } = await serve(missing);
      const failed = await failure(id, { url: url + path, source });
      expect(failed).toMatchObject({
        status: 400,
        message: expect.stringMatching(message),
        details: [{ in: 'body', path: 'url' }],
      });
      const after = await ok(
        server.admin.client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId: id } } }),
      );
      expect(after.revision).toBe(revision);
    });

    test.each([
      'http://10.0.0.1/',
      'http://169.254.169.254/latest/meta-data/',
      'ftp://example.com/',
      'http://user:secret@127.0.0.1/',
    ])('of %s names the field, and no credentials', async (url) => {
      const { id } = await createSpace(server);
      const failed = await failure(id, { url, source: 'website' });
      expect(failed).toMatchObject({ status: 400, details: [{ path: 'url' }] });
      expect(failed.message).not.toContain('secret');
    });

    test('into a locked space fetches nothing', async () => {
      const { id } = await createSpace(server);
      await ok(
        server.admin.client.PATCH('/v1/spaces/{spaceId}', {
          params: { path: { spaceId: id } },
          body: { editMode: 'locked' },
        }),
      );
      const { url, requestedPaths } = await serve(WEBSITE);
      expect(await failure(id, { url: `${url}/docs/`, source: 'website' })).toMatchObject({ status: 409 });
      expect(requestedPaths).toEqual([]);
    });

    test('by a caller without write access fetches nothing', async () => {
      const { id } = await createSpace(server);
      const reader = await server.member('Reader', 'read');
      const { url, requestedPaths } = await serve(WEBSITE);
      const body = { url: `${url}/docs/`, source: 'website' } as const;
      expect((await importContent(reader.client, id, body)).response.status).toBe(403);
      expect(requestedPaths).toEqual([]);
    });
  });
});
