import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { exportTo } from '../../support/content/exports.ts';
import { createSpace, flatten, importRepository, readTree } from '../../support/content/imports.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Schemas = components['schemas'];

let server: TestServer;
let git: GitServer;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const client = () => server.admin.client;

const HOME = [
  'To [setup](guide/setup.md), [its start](./guide/setup.md#first), [here](#top) and [the guide](guide/).\n',
  '![Logo](<.gitbook/assets/a logo.png>)\n',
  '{% content-ref url="guide/setup.md" %}\n[setup.md](guide/setup.md)\n{% endcontent-ref %}\n',
  '{% include ".gitbook/includes/note.md" %}\n',
  '{% file src=".gitbook/assets/a%20logo.png" %}\n',
  '[Gone](gone.md), [out](https://example.com), [space](/spaces/spc_other),  [user](user:usr_ada).\n',
].join('\n');

const REPOSITORY = {
  'SUMMARY.md': '* [Home](README.md)\n* [Guide](guide/README.md)\n  * [Setup](guide/setup.md)\n',
  'README.md': `# Home\n\n${HOME}`,
  'guide/README.md': '# Guide\n\nAbout.\n',
  'guide/setup.md': '# Setup\n\n## First\n\nBack [home](../README.md).\n',
  '.gitbook/assets/a logo.png': 'a logo',
  '.gitbook/includes/note.md': '---\ntitle: Note\n---\n\nA note.\n',
};

interface Imported {
  space: string;
  /** IDs of pages by title. */
  ids: Record<string, string>;
  file: string;
  reusableContent: string;
}

async function imported(files: Record<string, string> = REPOSITORY): Promise<Imported> {
  const { id: space } = await createSpace(server);
  await importRepository(server, space, await git.createRepository(files));
  const content = await ok(
    client().GET('/v1/spaces/{spaceId}/content', { params: { path: { spaceId: space } } }),
  );
  return {
    space,
    ids: Object.fromEntries(flatten(await readTree(client(), space)).map(({ title, id }) => [title, id])),
    file: content.files[0]?.id ?? '',
    reusableContent: content.reusableContents[0]?.id ?? '',
  };
}

interface PagePath {
  spaceId: string;
  pageId: string;
}

async function readMarkdown(path: PagePath): Promise<string> {
  const page = await ok(
    client().GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
      params: { path, query: { format: 'markdown' } },
    }),
  );
  return ('markdown' in page && page.markdown) || '';
}

async function readDocument(path: PagePath, evaluated = false): Promise<Schemas['Document']> {
  const page = await ok(
    client().GET('/v1/spaces/{spaceId}/content/page/{pageId}', { params: { path, query: { evaluated } } }),
  );
  if (page.type !== 'document' || !page.document) {
    throw new Error('The page has no document.');
  }
  return page.document;
}

/** Lists the references of a document, in its order. */
function refsOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([name, entry]) => (name === 'ref' ? [entry] : refsOf(entry)));
}

/** Replaces the document of a page in a change request, and merges it. */
async function write({ spaceId, pageId }: PagePath, document: Schemas['DocumentInput']): Promise<void> {
  const { id: changeRequestId } = await ok(
    client().POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId } }, body: {} }),
  );
  const params = { path: { spaceId, changeRequestId } };
  await ok(
    client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
      params,
      body: { changes: [{ operation: 'update_page', page: pageId, document }] },
    }),
  );
  await ok(client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params }));
}

describe('the references of a document', () => {
  test.runIf(isFirstEngine)(
    'name pages, anchors, files and other resources by ID, and broken links by URL',
    async () => {
      const { space, ids, file, reusableContent } = await imported();
      const document = await readDocument({ spaceId: space, pageId: ids.Home ?? '' });
      expect(refsOf(document)).toEqual([
        { kind: 'page', page: ids.Setup },
        { kind: 'anchor', anchor: 'first', page: ids.Setup },
        { kind: 'anchor', anchor: 'top' },
        { kind: 'page', page: ids.Guide },
        { kind: 'file', file },
        { kind: 'page', page: ids.Setup },
        { kind: 'reusable-content', reusableContent },
        { kind: 'file', file },
        { kind: 'url', url: 'gone.md' },
        { kind: 'url', url: 'https://example.com' },
        { kind: 'url', url: '/spaces/spc_other' },
        { kind: 'url', url: 'user:usr_ada' },
      ]);
    },
  );

  test('name what is visible to the reader by ID, however it is written, and nothing else', async () => {
    const other = await imported();
    const { id: reader } = server.admin;
    const collection = await ok(
      client().POST('/v1/orgs/{organizationId}/collections', {
        params: { path: { organizationId: server.organization } },
        body: { title: 'Guides' },
      }),
    );
    const app = `${server.url}/app`;
    const elsewhere = `/spaces/${other.space}`;
    const addresses = [
      elsewhere,
      `${app}${elsewhere}`,
      `${elsewhere}/pages/${other.ids.Setup}`,
      `${app}${elsewhere}/pages/${other.ids.Setup}#first`,
      `${app}${elsewhere}/pages/page_gone`,
      `collection:${collection.id}`,
      `${app}/collections/${collection.id}`,
      `user:${reader}`,
      `${app}/users/${reader}`,
      `${app}/users/usr_gone`,
      `${app}/other`,
    ];
    const text = addresses.map((address) => `[Link](${address})\n`).join('\n');
    const { space, ids } = await imported({ 'README.md': `# Home\n\n${text}`, 'own.md': '# Own\n' });
    const path = { spaceId: space, pageId: ids.Home ?? '' };
    const page = { page: other.ids.Setup, space: other.space };
    const visible = [
      { kind: 'space', space: other.space },
      { kind: 'space', space: other.space },
      { kind: 'page', ...page },
      { kind: 'anchor', anchor: 'first', ...page },
      { kind: 'url', url: addresses[4] },
      { kind: 'collection', collection: collection.id },
      { kind: 'collection', collection: collection.id },
      { kind: 'user', user: reader },
      { kind: 'user', user: reader },
      { kind: 'url', url: addresses[9] },
      { kind: 'url', url: addresses[10] },
    ];
    const document = await readDocument(path);
    expect(refsOf(document)).toEqual(visible);
    await write(path, document);
    expect(await readMarkdown(path)).toBe(text);

    const guest = await server.member('Guest', null);
    await ok(
      client().POST('/v1/spaces/{spaceId}/permissions', {
        params: { path: { spaceId: space } },
        body: { users: [guest.id], role: 'read' },
      }),
    );
    const read = await ok(
      guest.client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', { params: { path } }),
    );
    expect(refsOf('document' in read ? read.document : undefined)).toEqual(
      addresses.map((url, at) => (at === 7 || at === 8 ? visible[at] : { kind: 'url', url })),
    );
  });

  test.runIf(isFirstEngine)('name the pages of their own space by their URLs in the app', async () => {
    const { space, ids } = await imported();
    const path = { spaceId: space, pageId: ids.Guide ?? '' };
    const app = `${server.url}/app/spaces/${space}`;
    const markdown = `[Setup](${app}/pages/${ids.Setup}#first), [gone](${app}/pages/page_gone), [all](${app}).\n`;
    await write(path, { markdown });
    expect(refsOf(await readDocument(path))).toEqual([
      { kind: 'anchor', anchor: 'first', page: ids.Setup },
      { kind: 'url', url: `${app}/pages/page_gone` },
      { kind: 'space', space },
    ]);
  });

  test.runIf(isFirstEngine)('of comments name resources by ID', async () => {
    const { space, ids } = await imported();
    const app = `${server.url}/app/spaces/${space}/pages`;
    const markdown = `[Setup](${app}/${ids.Setup}), [Guide](/pages/${ids.Guide}), [user](user:${server.admin.id}), [no](user:usr_no).`;
    const created = await ok(
      client().POST('/v1/spaces/{spaceId}/comments', {
        params: { path: { spaceId: space } },
        body: { body: { markdown } },
      }),
    );
    const comment = await ok(
      client().GET('/v1/spaces/{spaceId}/comments/{commentId}', {
        params: { path: { spaceId: space, commentId: created.id }, query: { format: 'document' } },
      }),
    );
    expect(refsOf(comment.body)).toEqual([
      { kind: 'page', page: ids.Setup },
      { kind: 'page', page: ids.Guide },
      { kind: 'user', user: server.admin.id },
      { kind: 'url', url: 'user:usr_no' },
    ]);
  });

  test.runIf(isFirstEngine)(
    'have the URLs of their targets in an evaluated document, which are ignored when it is sent back',
    async () => {
      const { space, ids, file } = await imported();
      const path = { spaceId: space, pageId: ids.Home ?? '' };
      const document = await readDocument(path, true);
      const setup = `${server.url}/app/spaces/${space}/pages/${ids.Setup}`;
      const refs = refsOf(document);
      expect(refs.slice(0, 3)).toEqual([
        { kind: 'page', page: ids.Setup, href: setup },
        { kind: 'anchor', anchor: 'first', page: ids.Setup, href: `${setup}#first` },
        { kind: 'anchor', anchor: 'top', href: `${server.url}/app/spaces/${space}/pages/${ids.Home}#top` },
      ]);
      const logo = refs[4];
      expect(logo).toEqual({ kind: 'file', file, href: expect.stringContaining(server.url) });
      const response = await fetch(logo && 'href' in logo ? String(logo.href) : '');
      expect(await response.text()).toBe('a logo');
      const before = await readMarkdown(path);
      await write(path, document);
      expect(await readMarkdown(path)).toBe(before);
    },
  );

  test.runIf(isFirstEngine)('follow pages that are created and deleted', async () => {
    const { space, ids } = await imported();
    const path = { spaceId: space, pageId: ids.Home ?? '' };
    expect(refsOf(await readDocument(path))[0]).toEqual({ kind: 'page', page: ids.Setup });
    const { id: changeRequestId } = await ok(
      client().POST('/v1/spaces/{spaceId}/change-requests', {
        params: { path: { spaceId: space } },
        body: {},
      }),
    );
    const params = { path: { spaceId: space, changeRequestId } };
    await ok(
      client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
        params,
        body: { changes: [{ operation: 'delete_page', page: ids.Setup ?? '' }] },
      }),
    );
    await ok(client().POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params }));
    expect(refsOf(await readDocument(path))).toContainEqual({ kind: 'url', url: 'guide/setup.md' });
  });

  test.runIf(isFirstEngine)('keep the text of the page when its document is sent back', async () => {
    const { space, ids } = await imported();
    const path = { spaceId: space, pageId: ids.Home ?? '' };
    const before = await readMarkdown(path);
    const document = await readDocument(path);
    await write(path, document);
    expect(await readMarkdown(path)).toBe(before);
    const json = JSON.stringify(document).replace('"To "', '"Go to "');
    await write(path, JSON.parse(json) as Schemas['Document']);
    expect(await readMarkdown(path)).toBe(before.replace('To [', 'Go to ['));
  });

  test.runIf(isFirstEngine)('are read as they were written', async () => {
    const { space, ids, file } = await imported();
    const other = await imported();
    const path = { spaceId: space, pageId: ids.Guide ?? '' };
    const refs = [
      { kind: 'page', page: ids.Setup ?? '' },
      { kind: 'anchor', page: ids.Setup ?? '', anchor: 'first' },
      { kind: 'file', file },
      { kind: 'user', user: server.admin.id },
      { kind: 'page', page: other.ids.Setup ?? '', space: other.space },
    ] as const;
    const document = await readDocument(path);
    const text: Schemas['DocumentText'] = {
      object: 'text',
      leaves: [{ object: 'leaf', text: 'Link', marks: [] }],
    };
    for (const ref of refs) {
      document.nodes.push({
        object: 'block',
        type: 'paragraph',
        isVoid: false,
        data: {},
        nodes: [{ object: 'inline', type: 'link', isVoid: false, data: { ref }, nodes: [text] }],
      });
    }
    await write(path, document);
    expect(refsOf(await readDocument(path))).toEqual(refs);
    const repository = await git.createEmptyRepository();
    await exportTo(server, space, repository);
    const files = await repository.read();
    expect(files['guide/README.md']).toBe(
      [
        '# Guide',
        'About.',
        '[Link](setup.md)',
        '[Link](setup.md#first)',
        '[Link](../.gitbook/assets/a%20logo.png)',
        `[Link](user:${server.admin.id})`,
        `[Link](/spaces/${other.space}/pages/${other.ids.Setup})\n`,
      ].join('\n\n'),
    );
    expect(files['README.md']).toBe(REPOSITORY['README.md']);
  });
});
