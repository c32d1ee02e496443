import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { branch, edit, merge, pageInsertion, pagesByTitle } from '../../support/content/branches.ts';
import { computedEntry } from '../../support/content/computed-pages.ts';
import { createSpace, flatten, importRepository, readTree } from '../../support/content/imports.ts';
import { createSpecification } from '../../support/content/specifications.ts';
import { type GitServer, type ServedRepository, startGitServer } from '../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import {
  type BranchPath,
  describeLocation,
  type LinkQuery,
  linkLines,
  listBacklinks,
  listLinks,
} from './link-lists.ts';

let server: TestServer;
let git: GitServer;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

const client = () => server.admin.client;

/** Lists the links of content, or of one of its pages, as the admin. */
const links = (branch: BranchPath, page?: string, query?: LinkQuery) =>
  ok(listLinks(client(), branch, page, query));

/** Returns the sources of links to a page or a file, by title. */
const backlinks = (branch: BranchPath, to: { pageId: string } | { fileId: string }) =>
  listBacklinks(client(), branch, to);

const REPOSITORY = {
  'SUMMARY.md': '* [Home](README.md)\n* [Guide](guide/README.md)\n  * [Setup](guide/setup.md)\n',
  'README.md':
    '---\ncover: .gitbook/assets/cover.png\n---\n\n# Home\n\nTo the [guide](guide/) and [setup](guide/setup.md#first).\n\n[Out](https://example.com)\n',
  'guide/README.md':
    '# Guide\n\n![p](<../.gitbook/assets/a picture.png>)\n\n[Gone](gone.md) {% include "../.gitbook/includes/note.md" %}\n',
  'guide/setup.md':
    '# Setup\n\n## First\n\n[Home](../README.md), [guide](README.md), [here](#first)\n\n![p](../.gitbook/assets/a%20picture.png)\n',
  '.gitbook/assets/a picture.png': 'not a picture, but a file',
  '.gitbook/assets/cover.png': 'a cover',
  '.gitbook/includes/note.md': '---\ntitle: Note\n---\n\n[Setup](../../guide/setup.md)\n',
};

async function imported(
  files: Record<string, string> = REPOSITORY,
): Promise<{ space: string; repository: ServedRepository; ids: Record<string, string> }> {
  const repository = await git.createRepository(files);
  const { id: space } = await createSpace(server);
  await importRepository(server, space, repository);
  return { space, repository, ids: await idsIn(space) };
}

async function idsIn(space: string): Promise<Record<string, string>> {
  return Object.fromEntries(flatten(await readTree(client(), space)).map(({ title, id }) => [title, id]));
}

async function startChangeRequest(spaceId: string): Promise<Required<BranchPath>> {
  const { id: changeRequestId } = await branch(client(), spaceId);
  return { spaceId, changeRequestId };
}

describe('the links of a space', () => {
  test('list each target with all links to it, valid or broken', async () => {
    const { space, ids } = await imported();
    const all = await links({ spaceId: space });
    expect(linkLines(all)).toEqual([
      'broken ? < Guide',
      'ok Guide < Home, Setup',
      'ok Home < Setup',
      'ok Note < Guide',
      'ok Setup < Note',
      'ok Setup#first < Home, Setup',
      'ok a picture.png < Guide, Setup',
      'ok cover.png < Home',
      'ok https://example.com < Home',
    ]);
    expect(all.stats).toEqual({ total: 9, broken: { total: 1 } });
    expect(all.count).toBe(9);
    expect(linkLines(await links({ spaceId: space }, ids.Setup))).toEqual([
      'ok Guide < Setup',
      'ok Home < Setup',
      'ok Setup#first < Setup',
      'ok a picture.png < Setup',
    ]);
  });

  test('can be filtered by status, with counts of all', async () => {
    const { space } = await imported();
    const broken = await links({ spaceId: space }, undefined, { status: 'broken' });
    expect(linkLines(broken)).toEqual(['broken ? < Guide']);
    expect(broken.count).toBe(1);
    expect(broken.stats.total).toBe(9);
    const all = await links({ spaceId: space });
    const first = await links({ spaceId: space }, undefined, { limit: 4 });
    const rest = await links({ spaceId: space }, undefined, { page: first.next?.page ?? '' });
    expect([...first.items, ...rest.items]).toEqual(all.items);
  });

  test('return complete locations without reading the tree once per link', async () => {
    const { space, ids } = await imported();
    const { items } = await links({ spaceId: space }, ids.Home);
    const guide = items.find(({ targetReference }) => describeLocation(targetReference) === 'Guide');
    expect(guide?.targetReference).toMatchObject({
      kind: 'page',
      organization: { id: server.organization },
      space: { id: space },
      versionContext: {
        type: 'revision',
        revision: { object: 'revision', pages: [], files: [], reusableContents: [] },
      },
      page: { id: ids.Guide, path: 'guide', pages: [], git: { path: 'guide/README.md' } },
    });
    expect(guide?.locationReferences).toMatchObject([
      { kind: 'page', internalLocation: { type: 'node', node: expect.stringMatching(/^b/) } },
    ]);
  });

  test('name the address of broken ones, and their text and line in the page', async () => {
    const { space, ids } = await imported({
      'README.md':
        '# Home\n\n```\n[code](gone.md)\n```\n\nTo [the guide](guide.md#Next-Steps%21).\n\n' +
        '- [Gone](gone.md)\n- [No **anchor**](guide.md#none)\n\n![A picture](x/y.png) and [up](#up)\n',
      'guide.md': '# Guide\n\n## Next steps!\n\n<a id="up"></a>\n\n[Bad](../../out.md)\n',
    });
    const broken = await links({ spaceId: space }, undefined, { status: 'broken' });
    const described = broken.items.map(({ address, targetReference, locationReferences }) => [
      address,
      targetReference?.kind,
      locationReferences.map((location) => location.kind === 'page' && location.internalLocation),
    ]);
    const at = (text: string, line: number) => [
      { type: 'node', node: expect.stringMatching(/^b/), text, line },
    ];
    const inHome = [
      ['gone.md', undefined, at('Gone', 7)],
      ['guide.md#none', 'page', at('No anchor', 8)],
      ['x/y.png', undefined, at('A picture', 10)],
      [`/pages/${ids.Home}#up`, 'page', at('up', 10)],
    ];
    const all = [...inHome, ['../../out.md', undefined, at('Bad', 5)]];
    expect(described).toHaveLength(all.length);
    expect(described).toEqual(expect.arrayContaining(all));
    const { items, stats } = await links({ spaceId: space }, ids.Home);
    expect(stats.broken.total).toBe(inHome.length);
    expect(items.find(({ address }) => address === 'gone.md')?.locationReferences).toMatchObject([
      { internalLocation: { text: 'Gone', line: 7 } },
    ]);
    expect(items.find(({ status }) => status === 'ok')).not.toHaveProperty('address');
  });

  test('follow imports', async () => {
    const { space, repository } = await imported();
    await repository.update({
      'SUMMARY.md': '* [Home](README.md)\n* [Gone](guide/gone.md)\n',
      'guide/gone.md': '# Gone\n\nHere again.\n',
      'guide/README.md': null,
      'guide/setup.md': null,
    });
    await importRepository(server, space, repository);
    expect(linkLines(await links({ spaceId: space }))).toEqual([
      'broken ? < Home',
      'broken ? < Home',
      'broken ? < Note',
      'ok cover.png < Home',
      'ok https://example.com < Home',
    ]);
  });
});

describe('backlinks', () => {
  test('list the links to a page or a file, except for its own', async () => {
    const { space, ids } = await imported();
    const path = { spaceId: space };
    expect(await backlinks(path, { pageId: ids.Setup ?? '' })).toEqual(['Home', 'Note']);
    expect(await backlinks(path, { pageId: ids.Guide ?? '' })).toEqual(['Home', 'Setup']);
    expect(await backlinks(path, { pageId: ids.Home ?? '' })).toEqual(['Setup']);
    const files = await ok(
      client().GET('/v1/spaces/{spaceId}/content/files', { params: { path: { spaceId: space } } }),
    );
    for (const [name, pages] of [
      ['a picture.png', ['Guide', 'Setup']],
      ['cover.png', ['Home']],
    ] as const) {
      const fileId = files.items.find((file) => file.name === name)?.id ?? '';
      expect(await backlinks(path, { fileId })).toEqual(pages);
    }
  });

  test('list the links to the address of a page on a website', async () => {
    const { space, ids } = await imported({
      'book.toml': '[book]\n',
      'src/SUMMARY.md': '[One](ch01.md)\n\n- [Two](ch02.md)\n- [Three](three/README.md)\n',
      'src/ch01.md': '# One\n\nSee [two](ch02.html#end) and [three](three/index.html).\n',
      'src/ch02.md': '# Two\n\n[One](ch01), [gone](ch03.html).\n\n## End\n',
      'src/three/README.md': '# Three\n',
    });
    const path = { spaceId: space };
    expect(await backlinks(path, { pageId: ids.One ?? '' })).toEqual(['Two']);
    expect(await backlinks(path, { pageId: ids.Two ?? '' })).toEqual(['One']);
    expect(await backlinks(path, { pageId: ids.Three ?? '' })).toEqual(['One']);
    const { items } = await links(path, undefined, { status: 'broken' });
    expect(items.map(({ address }) => address)).toEqual(['src/ch03.html']);
  });

  test('return 404 for a missing page or file', async () => {
    const { space } = await imported();
    const { response } = await client().GET('/v1/spaces/{spaceId}/content/page/{pageId}/backlinks', {
      params: { path: { spaceId: space, pageId: 'page_gone' } },
    });
    expect(response.status).toBe(404);
  });
});

describe('in a change request', () => {
  test('links break and recover with its pages, and in the space with its merge', async () => {
    const { space, ids } = await imported();
    const path = await startChangeRequest(space);
    expect((await links(path)).stats.broken).toEqual({ total: 1, changeRequest: 0 });
    await edit(client(), space, path.changeRequestId, { operation: 'delete_page', page: ids.Setup ?? '' });
    const broken = await links(path, undefined, { status: 'broken' });
    expect(linkLines(broken)).toEqual(['broken ? < Guide', 'broken ? < Home', 'broken ? < Note']);
    expect(broken.stats.broken).toEqual({ total: 3, changeRequest: 2 });
    expect(broken.items[0]?.locationReferences[0]).toMatchObject({
      versionContext: { type: 'changeRequest', changeRequest: { id: path.changeRequestId } },
    });
    expect((await links(path, ids.Home)).stats.broken).toEqual({ total: 1, changeRequest: 1 });
    expect((await links({ spaceId: space })).stats.broken).toEqual({ total: 1 });
    await merge(client(), space, path.changeRequestId);
    expect((await links({ spaceId: space })).stats.broken).toEqual({ total: 3 });
  });

  test('addresses that start with the path of a page move with it', async () => {
    const { id: space } = await createSpace(server);
    const path = await startChangeRequest(space);
    const { changeRequestId } = path;
    await edit(
      client(),
      space,
      changeRequestId,
      { ...pageInsertion('One', '[Below](one/below.md)'), ref: 'One' },
      { ...pageInsertion('Below', '[Two](../two.md#x) ![](/spaces)'), into: 'One' },
      pageInsertion('Two', '## X\n\n[Below](/one/below) [Stable](/pages/One)'),
    );
    const results = await links(path);
    expect(linkLines(results)).toEqual([
      'broken ? < Below',
      'ok Below < One, Two',
      'ok One < Two',
      'ok Two#x < Below',
    ]);
    const pages = await pagesByTitle(client(), space, changeRequestId);
    const idOf = (title: string) => pages.get(title)?.id ?? '';
    expect(await backlinks(path, { pageId: idOf('Below') })).toEqual(['One', 'Two']);
    const renaming = { operation: 'update_page', page: idOf('One'), slug: 'first' } as const;
    await edit(client(), space, changeRequestId, renaming);
    // The child page kept its text; its links are resolved from its new path, which has the same depth.
    expect(linkLines(await links(path))).toEqual([
      'broken ? < Below',
      'broken ? < One',
      'broken ? < Two',
      'ok One < Two',
      'ok Two#x < Below',
    ]);
    const move = { operation: 'update_page', page: idOf('Below'), into: idOf('Two') } as const;
    await edit(client(), space, changeRequestId, move);
    expect(await backlinks(path, { pageId: idOf('Two') })).toEqual(['Below']);
  });
});

describe('a target outside the content', () => {
  test('is in the app, valid, or broken for callers who may not see it', async () => {
    const other = await imported({ 'README.md': '# Other\n' });
    const grace = await server.member('Grace', 'read');
    const app = `${server.url}/app/spaces/${other.space}`;
    const text = [
      `[page](/spaces/${other.space}/pages/${other.ids.Other})`,
      `[space](/spaces/${other.space})`,
      `[app](${app})`,
      `[none](/spaces/${other.space}/pages/page_none)`,
      `[mention](user:${grace.id})`,
      '{% openapi-operation spec="missing" path="/a" method="get" %}\n{% endopenapi-operation %}',
    ];
    const { space } = await imported({ 'README.md': `# Home\n\n${text.join('\n\n')}\n` });
    expect(linkLines(await links({ spaceId: space }))).toEqual(
      [
        'broken ? < Home',
        'broken ? < Home',
        'in-app Other < Home',
        `in-app ${app} < Home`,
        'ok Docs < Home',
        'ok Grace < Home',
      ].sort(),
    );
    const guest = await server.member('Guest', null);
    await ok(
      client().POST('/v1/spaces/{spaceId}/permissions', {
        params: { path: { spaceId: space } },
        body: { role: 'read', users: [guest.id] },
      }),
    );
    const seen = await ok(listLinks(guest.client, { spaceId: space }));
    expect(linkLines(seen).filter((line) => line.startsWith('broken'))).toHaveLength(4);
    expect(linkLines(seen).join('\n')).not.toMatch(/Other|Docs/);
    const { response } = await listLinks(guest.client, { spaceId: other.space });
    expect(response.status).toBe(404);
  });
});

describe('computed pages', () => {
  test('are link targets, and depend on their specification', async () => {
    await createSpecification(server.admin, server.organization, 'pets');
    const { space } = await imported({
      'SUMMARY.md': `* [Home](README.md)\n${computedEntry('pets', { title: 'Pets' })}`,
      'README.md': '# Home\n\n[Pets](/pets) [Gone](/cats)\n',
    });
    const { items } = await links({ spaceId: space });
    expect(items.find(({ relation }) => relation === 'dependsOn')).toMatchObject({
      status: 'ok',
      targetReference: { kind: 'openapi', openAPISpec: { slug: 'pets' } },
      locationReferences: [{ kind: 'page', page: { title: 'Pets' } }],
    });
    const pets = flatten(await readTree(client(), space)).find(({ title }) => title === 'Pets');
    expect(linkLines(await links({ spaceId: space }))).toContain('ok Pets < Home');
    expect((await links({ spaceId: space })).stats).toEqual({ total: 3, broken: { total: 1 } });
    expect(await backlinks({ spaceId: space }, { pageId: pets?.id ?? '' })).toEqual(['Home']);
  });
});
