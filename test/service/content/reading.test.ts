import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, paginate } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { createSpace, flatten, importRepository, readTree } from '../../support/content/imports.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const FILES = {
  'README.md': '# Welcome\n\nHello <code class="expression">space.vars.product</code>.\n',
  'SUMMARY.md':
    '* [Welcome](README.md)\n* [Install](install.md)\n* [Secret](secret.md)\n* [Elsewhere](https://example.com)\n',
  'install.md':
    '---\ndescription: How to install\nicon: download\nlayout:\n  width: wide\n  outline:\n    visible: false\nvars:\n  version: 3.1\n---\n\n# Install\n\n{% hint style="info" %}\nVersion <code class="expression">page.vars.version</code>.\n{% endhint %}\n\n## On Linux\n\nUse the penguin.\n\n![Penguin](.gitbook/assets/penguin.svg)\n',
  'secret.md': '---\nhidden: true\nnoIndex: true\n---\n\n# Secret\n\nThe penguin again.\n',
  '.gitbook/assets/penguin.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="40"></svg>',
  '.gitbook/vars.yaml': 'product: Colophon\n',
  '.gitbook/includes/note.md': '---\ntitle: Note\n---\nA note.\n',
};

let server: TestServer;
let git: GitServer;
let space: string;
let pages: components['schemas']['Page'][];

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  space = (await createSpace(server)).id;
  await importRepository(server, space, await git.createRepository(FILES));
  pages = flatten(await readTree(server.admin.client, space));
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const idOf = (title: string) => pages.find((page) => page.title === title)?.id ?? '';

const readPage = async (title: string, query: object = {}, client = server.admin.client) =>
  await client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
    params: { path: { spaceId: space, pageId: idOf(title) }, query },
  });

describe('the content of a space', () => {
  test('is its revision, with pages, files, reusable contents and variables', async () => {
    const content = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/content', { params: { path: { spaceId: space } } }),
    );
    expect(content).toMatchObject({
      object: 'revision',
      type: 'edits',
      files: [{ name: 'penguin.svg', contentType: 'image/svg+xml', dimensions: { width: 30, height: 40 } }],
      reusableContents: [{ title: 'Note', git: { path: '.gitbook/includes/note.md' } }],
      variables: { product: 'Colophon' },
    });
    expect(flatten(content.pages)).toEqual(pages);
  });

  test('has no bodies in its tree', () => {
    for (const page of pages) {
      expect(page).not.toHaveProperty('markdown');
      expect(page).not.toHaveProperty('document');
    }
  });

  test('omits Git metadata with metadata=false', async () => {
    const content = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/content', {
        params: { path: { spaceId: space }, query: { metadata: false } },
      }),
    );
    expect(JSON.stringify(content)).not.toContain('"git"');
  });
});

describe('a page', () => {
  test('returns its document, and its markdown on request', async () => {
    const page = await ok(readPage('Install'));
    expect(page).toMatchObject({
      type: 'document',
      title: 'Install',
      slug: 'install',
      path: 'install',
      description: 'How to install',
      icon: 'download',
      layout: { width: 'wide', outline: false, cover: true },
      variables: { version: '3.1' },
      git: { path: 'install.md' },
    });
    const types = page.type === 'document' ? page.document?.nodes.map(({ type }) => type) : [];
    expect(types).toEqual(['hint', 'heading-1', 'paragraph', 'images']);
    const { data } = await readPage('Install', { format: 'markdown' });
    expect(data).toHaveProperty('markdown', expect.stringContaining('{% hint style="info" %}'));
    expect(data).not.toHaveProperty('document');
  });

  test('has values in place of expressions if it is evaluated', async () => {
    const read = async (title: string) =>
      (await readPage(title, { format: 'markdown', evaluated: true })).data;
    expect(await read('Welcome')).toHaveProperty('markdown', expect.stringContaining('Hello Colophon.'));
    expect(await read('Install')).toHaveProperty('markdown', expect.stringContaining('Version 3.1.'));
    expect((await readPage('Welcome', { format: 'markdown' })).data).toHaveProperty(
      'markdown',
      expect.stringContaining('space.vars.product'),
    );
  });

  test('can be a link', async () => {
    expect(await ok(readPage('Elsewhere'))).toMatchObject({
      type: 'link',
      target: { kind: 'url', url: 'https://example.com' },
    });
  });

  test('is a 404 if it does not exist or is not visible to the caller', async () => {
    const { response } = await server.admin.client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
      params: { path: { spaceId: space, pageId: 'nowhere' } },
    });
    expect(response.status).toBe(404);
    const guest = await server.member('Guest', null);
    expect((await readPage('Install', {}, guest.client)).response.status).toBe(404);
  });
});

describe('files', () => {
  const list = async (query: object = {}) =>
    await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/content/files', {
        params: { path: { spaceId: space }, query },
      }),
    );

  test('are listed, read individually, and downloaded by anyone who has the URL', async () => {
    const { items, count } = await list();
    expect(count).toBe(1);
    const [file] = items;
    expect(
      await ok(
        server.admin.client.GET('/v1/spaces/{spaceId}/content/files/{fileId}', {
          params: { path: { spaceId: space, fileId: file?.id ?? '' } },
        }),
      ),
    ).toEqual(file);
    const download = await fetch(file?.downloadURL ?? '');
    expect(await download.text()).toBe(FILES['.gitbook/assets/penguin.svg']);
    expect(download.headers.get('content-type')).toMatch('image/svg+xml');
    expect(download.headers.get('content-security-policy')).toContain('sandbox');
    const forged = new URL(file?.downloadURL ?? '');
    forged.searchParams.set('type', 'text/html');
    expect((await fetch(forged)).status).toBe(404);
  });

  test('are paginated', async () => {
    const many = await createSpace(server, 'Files');
    const images = Object.fromEntries(
      Array.from({ length: 7 }, (_, at) => [`.gitbook/assets/${at}.txt`, `file ${at}`]),
    );
    const links = Object.keys(images).map((path) => `[${path}](${path})`);
    await importRepository(
      server,
      many.id,
      await git.createRepository({ ...images, 'README.md': `# All\n\n${links.join('\n')}\n` }),
    );
    const names: string[] = [];
    for await (const file of paginate(server.admin.client, '/v1/spaces/{spaceId}/content/files', {
      params: { path: { spaceId: many.id }, query: { limit: 3 } },
    })) {
      names.push(file.name);
    }
    expect(names.sort()).toEqual(['0.txt', '1.txt', '2.txt', '3.txt', '4.txt', '5.txt', '6.txt']);
    const foreign = await server.admin.client.GET('/v1/spaces/{spaceId}/content/files', {
      params: {
        path: { spaceId: space },
        query: { page: (await list({ limit: 0 })).next?.page ?? 'made-up' },
      },
    });
    expect(foreign.response.status).toBe(400);
  });
});

describe('search', () => {
  const search = async (query: string, client = server.admin.client) =>
    await ok(
      client.GET('/v1/spaces/{spaceId}/search', { params: { path: { spaceId: space }, query: { query } } }),
    );

  test('finds sections of pages, best match first', async () => {
    const results = await search('penguin');
    expect(results).toMatchObject({
      count: 1,
      items: [
        { title: 'Install', path: 'install', sections: [{ title: 'On Linux', path: 'install#on-linux' }] },
      ],
    });
    expect((await search('Colophon')).items).toMatchObject([{ title: 'Welcome' }]);
    expect((await search('no such words')).items).toEqual([]);
    expect((await search('"; drop table (x) OR *')).items).toEqual([]);
  });

  test('in the organization finds what the caller can see', async () => {
    const inOrganization = async (client = server.admin.client) =>
      await ok(
        client.GET('/v1/orgs/{organizationId}/search', {
          params: { path: { organizationId: server.organization }, query: { query: 'install' } },
        }),
      );
    const admin = await inOrganization();
    expect(admin.items).toMatchObject([{ id: space, pages: [{ title: 'Install' }] }]);
    const guest = await server.member('Searching', null);
    expect((await inOrganization(guest.client)).items).toEqual([]);
  });
});
