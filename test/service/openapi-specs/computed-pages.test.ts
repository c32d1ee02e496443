// Runs on one engine: pages are computed from texts that openapi-specs.test.ts stores.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { computedEntry, createComputedSpace } from '../../support/content/computed-pages.ts';
import { createSpace, flatten, importRepository, outline, readTree } from '../../support/content/imports.ts';
import { createSpecification, PET_STORE, waitUntilProcessed } from '../../support/content/specifications.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { readPdf } from '../../support/pdf/pdf.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Page = components['schemas']['Page'];

const FILES = {
  'README.md': '# Welcome\n',
  'api.md': '# API\n',
  'pets.md': '# Pets\n',
  'SUMMARY.md': [
    '* [Welcome](README.md)\n',
    '* [API](api.md)\n',
    '  * [Pets](pets.md)\n',
    computedEntry('pets', { indent: '  ' }),
    computedEntry('nowhere', { models: false, indent: '  ' }),
  ].join(''),
};

let server: TestServer;
let git: GitServer;
let space: string;

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  space = (await createSpace(server)).id;
  await importRepository(server, space, await git.createRepository(FILES));
  await createSpecification(server.admin, server.organization, 'pets');
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const read = (pageId: string, query: object = {}, spaceId = space) =>
  server.admin.client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
    params: { path: { spaceId, pageId }, query },
  });

const tree = async (query: object = {}) =>
  (
    await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/content/pages', {
        params: { path: { spaceId: space }, query },
      }),
    )
  ).pages;

const find = async (path: string): Promise<Page & { type: 'document' }> => {
  const page = flatten(await tree()).find((item) => 'path' in item && item.path === path);
  if (page?.type !== 'document') {
    throw new Error(`There is no document at ${path}.`);
  }
  return page;
};

describe('an entry that is computed from an OpenAPI specification', () => {
  test('is replaced in the tree by the pages of the specification', async () => {
    expect(outline(await tree())).toEqual([
      'document Welcome /readme',
      'document API /api',
      '  document Pets /api/pets',
      '  document Pets /api/pets-1',
      '    document Pets /api/pets-1/pets',
      '    document Other operations /api/pets-1/other-operations',
      '    document Models /api/pets-1/models',
      // That specification does not exist.
      '  computed Nowhere',
    ]);
  });

  test('remains itself with computed=false', async () => {
    const pages = await tree({ computed: false });
    expect(outline(pages).slice(-2)).toEqual(['  computed Pets', '  computed Nowhere']);
    const entry = flatten(pages).find((page) => page.type === 'computed');
    const shown = await ok(read(entry?.id ?? '', { computed: false }));
    expect(shown).toMatchObject({ type: 'computed', computed: { props: { models: true } } });
    const models = await find('api/pets-1/models');
    expect((await read(models.id, { computed: false })).response.status).toBe(404);
  });

  test('has the source of its pages in the tree instead of the id of a body', async () => {
    const pages = flatten(await tree()).filter((page) => page.type === 'document' && page.computed);
    expect(pages.map((page) => page.type === 'document' && page.computed?.props)).toEqual([
      { doc: 'info', page: 'info' },
      { doc: 'operations', page: 'pets' },
      { doc: 'operations', page: 'other-operations' },
      { doc: 'models' },
    ]);
    for (const page of pages) {
      expect(page).toHaveProperty('computedSeed');
      expect(page).not.toHaveProperty('documentId');
    }
  });

  test('has the same pages when one is read by its id or its path', async () => {
    for (const page of flatten(await tree())) {
      if (!('path' in page)) {
        continue;
      }
      const { document, ...byId } = { document: undefined, ...(await ok(read(page.id))) };
      expect(byId).toEqual(page);
      const byPath = await ok(
        server.admin.client.GET('/v1/spaces/{spaceId}/content/path/{pagePath}', {
          params: { path: { spaceId: space, pagePath: page.path } },
        }),
      );
      expect(byPath.id).toBe(page.id);
    }
  });

  test('renders its operations and models as markdown', async () => {
    const overview = await ok(read((await find('api/pets-1')).id, { format: 'markdown' }));
    expect(overview).toMatchObject({ markdown: expect.stringContaining('Sells *pets* of every kind.') });
    const operations = await ok(read((await find('api/pets-1/pets')).id, { format: 'markdown' }));
    const models = await find('api/pets-1/models');
    const markdown = operations.type === 'document' ? operations.markdown : '';
    expect(markdown).toContain('## List pets\n\n`GET /pets`');
    expect(markdown).toContain('| `limit` | query | integer | How many. At most `100`. |');
    expect(markdown).toContain(`[Pet](/pages/${models.id}#pet)`);
    const page = await ok(read(models.id, { format: 'markdown' }));
    expect(page).toMatchObject({
      markdown: expect.stringContaining('| `name` (required) | string | What it listens to. |'),
    });
  });

  test('renders them as documents, too', async () => {
    const page = await ok(read((await find('api/pets-1/pets')).id));
    if (page.type !== 'document') {
      throw new Error('Operations are rendered as a document.');
    }
    const types = page.document?.nodes.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['heading-1', 'paragraph', 'table']));
  });

  test('has new texts and seeds, and the same ids, once the specification changed', async () => {
    const before = await find('api/pets-1/pets');
    const text = PET_STORE.replace('summary: List pets', 'summary: Look at the pets');
    const path = { organizationId: server.organization, specSlug: 'pets' };
    const updateSource = async (source: { text: string }) => {
      await ok(
        server.admin.client.PUT('/v1/orgs/{organizationId}/openapi/{specSlug}', {
          params: { path },
          body: { source },
        }),
      );
      await waitUntilProcessed(server.admin, server.organization, 'pets');
    };
    await updateSource({ text });
    const after = await find('api/pets-1/pets');
    expect(after.id).toBe(before.id);
    expect(after.computedSeed).not.toBe(before.computedSeed);
    expect(await ok(read(after.id, { format: 'markdown' }))).toMatchObject({
      markdown: expect.stringContaining('## Look at the pets'),
    });
    // An invalid text keeps the previous version.
    await updateSource({ text: 'openapi: [' });
    expect((await find('api/pets-1/pets')).computedSeed).toBe(after.computedSeed);
    await updateSource({ text: PET_STORE });
  });

  test('is also computed in the content of change requests', async () => {
    const { id } = await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/change-requests', {
        params: { path: { spaceId: space } },
        body: {},
      }),
    );
    const path = { spaceId: space, changeRequestId: id };
    const content = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', {
        params: { path },
      }),
    );
    expect(outline(content.pages)).toEqual(outline(await tree()));
    const models = await find('api/pets-1/models');
    const page = await ok(
      server.admin.client.GET(
        '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}',
        { params: { path: { ...path, pageId: models.id } } },
      ),
    );
    expect(page.title).toBe('Models');
  });

  test('is printed with its pages', async () => {
    const { id } = await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/change-requests', {
        params: { path: { spaceId: space } },
        body: {},
      }),
    );
    const print = async (query: { page?: string }) => {
      const { url } = await ok(
        server.admin.client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf', {
          params: { path: { spaceId: space, changeRequestId: id }, query },
        }),
      );
      return await readPdf(new Uint8Array(await (await fetch(url)).arrayBuffer()));
    };
    const { id: operations } = await find('api/pets-1/pets');
    const page = (await print({ page: operations })).pages.map(({ text }) => text).join('\n');
    expect(page).toContain('List pets');
    expect(page).toContain('GET /pets');
    const all = (await print({})).pages.map(({ text }) => text).join('\n');
    expect(all).toContain('Buy a pet');
    expect(all).toContain('What it listens to');
  });
});

describe('a space whose whole content is computed', () => {
  test('has the pages of the specification, and none with computed=false', async () => {
    const created = await createComputedSpace(server, 'pets');
    const pages = await readTree(server.admin.client, created.id);
    expect(outline(pages)).toEqual([
      'document Pet store /pet-store',
      '  document Pets /pet-store/pets',
      '  document Other operations /pet-store/other-operations',
      '  document Models /pet-store/models',
    ]);
    for (const page of flatten(pages)) {
      const { document, ...alone } = { document: undefined, ...(await ok(read(page.id, {}, created.id))) };
      expect(alone).toEqual(page);
    }
    const stored = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/content', {
        params: { path: { spaceId: created.id }, query: { computed: false } },
      }),
    );
    expect(stored).toMatchObject({ type: 'computed', pages: [] });
  });
});
