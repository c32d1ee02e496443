// Runs on one engine: sources are converted before they are stored as a revision.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { createSpace, flatten, outline, readTree } from '../../support/content/imports.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { docsPage } from '../../support/http/site.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { docx, PNG, zip } from '../../support/zip.ts';
import { importContent, useSites, WEBSITE } from './websites.ts';

type Schemas = components['schemas'];

let server: TestServer;
let git: GitServer;
const serve = useSites();

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), git.close()]));
const importInto = (spaceId: string, body: Schemas['ContentImport']) =>
  importContent(server.admin.client, spaceId, body);

async function markdownOf(spaceId: string, title: string): Promise<string> {
  const page = flatten(await readTree(server.admin.client, spaceId)).find((item) => item.title === title);
  const results = await ok(
    server.admin.client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
      params: { path: { spaceId, pageId: page?.id ?? '' }, query: { format: 'markdown' } },
    }),
  );
  return ('markdown' in results && results.markdown) || '';
}

const listFiles = async (spaceId: string) =>
  (await ok(server.admin.client.GET('/v1/spaces/{spaceId}/content/files', { params: { path: { spaceId } } })))
    .items;

const idOf = async (spaceId: string, title: string) =>
  flatten(await readTree(server.admin.client, spaceId)).find((page) => page.title === title)?.id;

describe('importing a website', () => {
  test('adds its pages as a tree, with its images as files and links between the pages', async () => {
    const { id } = await createSpace(server);
    const { url } = await serve(WEBSITE);
    const { data, response } = await importInto(id, { url: `${url}/docs/`, source: 'website' });
    expect(response.status).toBe(201);
    expect(data).toEqual({ revision: expect.any(String), importedResources: 4, totalResources: 4 });
    expect(response.headers.get('Location')).toBe(
      `${server.url}/v1/spaces/${id}/revisions/${data?.revision}`,
    );
    const revision = await fetch(response.headers.get('Location') ?? '', {
      headers: { Authorization: `Bearer ${server.admin.token}` },
    });
    expect(await revision.json()).toMatchObject({ object: 'revision', id: data?.revision });

    const tree = await readTree(server.admin.client, id);
    expect(outline(tree)).toEqual([
      'document Welcome /welcome',
      '  document Install /welcome/install',
      '  group Guide /welcome/guide',
      '    document Tables /welcome/guide/tables',
    ]);
    expect(tree[0]).toMatchObject({ description: 'All of it' });
    expect(tree[0]).not.toHaveProperty('git');
    const [file] = await listFiles(id);
    expect(file).toMatchObject({
      name: 'dot.png',
      contentType: 'image/png',
      size: PNG.length,
      dimensions: { width: 1, height: 1 },
    });
    expect(await markdownOf(id, 'Welcome')).toBe(
      `See [how to install](/pages/${await idOf(id, 'Install')}#linux).\n`,
    );
    expect(await markdownOf(id, 'Install')).toContain(`/files/${file?.id}`);
    expect(await markdownOf(id, 'Tables')).toContain('https://elsewhere.example/');
    const bytes = await fetch(file?.downloadURL ?? '');
    expect(Buffer.from(await bytes.arrayBuffer())).toEqual(PNG);
  });

  test('keeps existing pages, and gives imported ones unique slugs', async () => {
    const { id } = await createSpace(server);
    const { url } = await serve(WEBSITE);
    for (let times = 0; times < 2; times++) {
      await ok(importInto(id, { url: `${url}/docs/`, source: 'website' }));
    }
    const tree = await readTree(server.admin.client, id);
    expect(tree.map((page) => 'path' in page && page.path)).toEqual(['welcome', 'welcome-1']);
    const [first, second] = await Promise.all(
      tree.map((page) =>
        ok(
          server.admin.client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
            params: { path: { spaceId: id, pageId: page.id }, query: { format: 'markdown' } },
          }),
        ),
      ),
    );
    expect(first).toHaveProperty('markdown', expect.stringContaining(idBelow(tree[0], 'Install')));
    expect(second).toHaveProperty('markdown', expect.stringContaining(idBelow(tree[1], 'Install')));
  });

  test('loses nothing when another import runs concurrently', async () => {
    const { id } = await createSpace(server);
    const { url } = await serve(WEBSITE);
    const paths = ['/docs/', '/docs/install', '/docs/guide/tables.html'];
    await Promise.all(paths.map((path) => ok(importInto(id, { url: url + path, source: 'html' }))));
    const titles = (await readTree(server.admin.client, id)).map(({ title }) => title);
    expect(titles.sort()).toEqual(['Install', 'Tables', 'Welcome']);
  });

  test('is found by search', async () => {
    const { id } = await createSpace(server);
    const { url } = await serve({ '/': docsPage('Birds', '<p>The penguin cannot fly.</p>') });
    await ok(importInto(id, { url: `${url}/`, source: 'website' }));
    await expect
      .poll(async () => {
        const params = { path: { spaceId: id }, query: { query: 'penguin' } };
        return (await ok(server.admin.client.GET('/v1/spaces/{spaceId}/search', { params }))).items.length;
      })
      .toBe(1);
  });
});

const idBelow = (page: Schemas['Page'] | undefined, title: string): string =>
  flatten(page ? [page] : []).find((item) => item.title === title)?.id ?? 'missing';

// Each format results in the same changes as a website.
describe('importing', () => {
  test('creates one page with its images from a markdown file', async () => {
    const { id } = await createSpace(server);
    const { url } = await serve({
      '/guide.md':
        '---\ndescription: How\n---\n\n# Guide\n\n![Dot](dot.png) <code class="expression">x</code>\n',
      '/dot.png': PNG,
    });
    const imported = await ok(importInto(id, { url: `${url}/guide.md`, source: 'markdown' }));
    expect(imported).toMatchObject({ importedResources: 2, totalResources: 2 });
    expect(await readTree(server.admin.client, id)).toMatchObject([
      { title: 'Guide', slug: 'guide', description: 'How' },
    ]);
    expect(await markdownOf(id, 'Guide')).toMatch(/\/files\/file_/);
  });

  test('creates a page of the main content of an HTML document', async () => {
    const { id } = await createSpace(server);
    const { url } = await serve({ '/a.html': docsPage('Guide', '<p>Text <a href="b.html">more</a></p>') });
    await ok(importInto(id, { url: `${url}/a.html`, source: 'html' }));
    expect(await markdownOf(id, 'Guide')).toBe(`Text [more](${url}/b.html)\n`);
  });

  test('creates a page with text and images from a Word document', async () => {
    const { id } = await createSpace(server);
    const document = docx(
      [
        ['Title', 'Handbook'],
        ['Heading1', 'First'],
        ['', 'Text'],
      ],
      PNG,
    );
    const { url } = await serve({ '/a.docx': (response) => response.end(document) });
    const imported = await ok(importInto(id, { url: `${url}/a.docx`, source: 'docx' }));
    expect(imported).toMatchObject({ importedResources: 2, totalResources: 2 });
    expect(await markdownOf(id, 'Handbook')).toMatch(/^## First\n\nText\n\n.*\/files\/file_/s);
  });

  test('imports a Google document as the Word document that Google exports', async () => {
    const { id } = await createSpace(server);
    const { url } = await serve({
      '/document/d/abc_1/export?format=docx': (response) =>
        response.end(
          docx([
            ['Title', 'Shared'],
            ['', 'Text'],
          ]),
        ),
    });
    await ok(importInto(id, { url: `${url}/document/d/abc_1/edit#heading=h.1`, source: 'google-docs' }));
    expect(await markdownOf(id, 'Shared')).toBe('Text\n');
  });

  test('creates a tree of the folders of a ZIP archive', async () => {
    const { id } = await createSpace(server);
    const archive = zip({
      'docs/README.md': '# Welcome\n\n[Set up](guide/set-up.html)',
      'docs/guide/set-up.html': '<main><h1>Set up</h1><img src="../dot.png"></main>',
      'docs/dot.png': PNG,
    });
    const { url } = await serve({ '/docs.zip': archive });
    const imported = await ok(importInto(id, { url: `${url}/docs.zip`, source: 'zip' }));
    expect(imported).toMatchObject({ importedResources: 3, totalResources: 3 });
    expect(outline(await readTree(server.admin.client, id))).toEqual([
      'document Welcome /readme',
      'group Guide /guide',
      '  document Set up /guide/set-up',
    ]);
    expect(await markdownOf(id, 'Welcome')).toBe(`[Set up](/pages/${await idOf(id, 'Set up')})\n`);
    expect(await markdownOf(id, 'Set up')).toContain(`/files/${(await listFiles(id))[0]?.id}`);
  });

  test('names the pages of a Notion export as their authors did', async () => {
    const { id } = await createSpace(server);
    const [first, second] = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210'];
    const archive = zip({
      [`Home ${first}.md`]: `# Home\n\n[Plan](Home%20${first}/Plan%20${second}.md)`,
      [`Home ${first}/Plan ${second}.md`]: '# Plan\n\nText',
    });
    const { url } = await serve({ '/export.zip': archive });
    await ok(importInto(id, { url: `${url}/export.zip`, source: 'notion' }));
    expect(outline(await readTree(server.admin.client, id))).toEqual([
      'document Home /home',
      '  document Plan /home/plan',
    ]);
    expect(await markdownOf(id, 'Home')).toBe(`[Plan](/pages/${await idOf(id, 'Plan')})\n`);
  });

  test('follows the index of a Confluence export', async () => {
    const { id } = await createSpace(server);
    const archive = zip({
      'DOC/index.html':
        '<div id="main-content"><ul><li><a href="b_1.html">Home</a><ul><li><a href="a_2.html">Below</a></li></ul></li></ul></div>',
      'DOC/a_2.html': '<title>Docs : Below</title><div id="main-content"><p>Text</p></div>',
      'DOC/b_1.html': '<title>Docs : Home</title><div id="main-content"><p>Text</p></div>',
    });
    const { url } = await serve({ '/export.zip': archive });
    await ok(importInto(id, { url: `${url}/export.zip`, source: 'confluence' }));
    expect(outline(await readTree(server.admin.client, id))).toEqual([
      'document Home /b-1',
      '  document Below /b-1/a-2',
    ]);
  });

  test('starts with the home page of a GitHub wiki', async () => {
    const { id } = await createSpace(server);
    await git.createRepository(
      {
        'About.md': 'Text',
        'Home.md': '# Welcome\n\n[[About]] and [[the rest|Set-up]] `[[About]]`\n\n[[Nowhere]]',
        'Set-up.md': 'See [[About]]',
        '_Sidebar.md': '* [[Home]]',
      },
      { name: 'acme/docs.wiki.git', branch: 'main' },
    );
    await ok(importInto(id, { url: `${git.url}/acme/docs/wiki`, source: 'github-wiki' }));
    expect(outline(await readTree(server.admin.client, id))).toEqual([
      'document Welcome /home',
      'document About /about',
      'document Set up /set-up',
    ]);
    expect(await markdownOf(id, 'Set up')).toBe(`See [About](/pages/${await idOf(id, 'About')})\n`);
  });
});

describe('importing into a change request', () => {
  test('changes its content and not that of the space', async () => {
    const { id } = await createSpace(server);
    const path = { spaceId: id };
    const request = await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path }, body: {} }),
    );
    const { url } = await serve(WEBSITE);
    const params = { path: { ...path, changeRequestId: String(request.number) } };
    const imported = await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/import', {
        params,
        body: { url: `${url}/docs/`, source: 'website' },
      }),
    );
    const { pages } = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', {
        params,
      }),
    );
    expect(pages).toMatchObject([{ title: 'Welcome' }]);
    expect(await readTree(server.admin.client, id)).toEqual([]);
    const after = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}', { params }),
    );
    expect(after.revision).toBe(imported.revision);
    await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params }),
    );
    expect(await readTree(server.admin.client, id)).toMatchObject([{ title: 'Welcome' }]);

    const { response } = await server.admin.client.POST(
      '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/import',
      { params, body: { url: `${url}/docs/`, source: 'website' } },
    );
    expect(response.status).toBe(409);
  });
});
