import { describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import {
  createSpace,
  flatten,
  importRepository,
  outline,
  readSpace,
  readTree,
} from '../../support/content/imports.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import { git, server, useServers } from './servers.ts';

useServers();

const GUIDE = {
  'README.md': '# Welcome\n\nThe guide to *everything*.\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Welcome](README.md)\n\n## Start\n\n* [Install](start/install.md)\n  * [On Linux](start/linux.md)\n',
  'start/install.md':
    '---\ndescription: How to install\nicon: download\nhidden: true\n---\n\n# Install\n\nRun the **installer**.\n',
  'start/linux.md': '# On Linux\n\n![A picture](../.gitbook/assets/penguin.svg)\n',
  '.gitbook/assets/penguin.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="40"><rect width="30" height="40"/></svg>',
};

const WAIT = { timeout: 60_000, interval: 25 };

const importInto = async (spaceId: string, body: object, client = server.admin.client) =>
  await client.POST('/v1/spaces/{spaceId}/git/import', {
    params: { path: { spaceId } },
    body: { url: `${git.url}/none.git`, ref: 'refs/heads/main', ...body },
  });

describe('a Git import', () => {
  test('responds immediately, and the pages of the repository follow', async () => {
    const repository = await git.createRepository(GUIDE);
    const space = await createSpace(server);
    const { response } = await importInto(space.id, { url: repository.url });
    expect(response.status).toBe(204);
    await vi.waitFor(async () => {
      expect(outline(await readTree(server.admin.client, space.id))).toEqual([
        'document Welcome /readme',
        'group Start /start',
        '  document Install /start/install',
        '    document On Linux /start/install/linux',
      ]);
    }, WAIT);
  });

  test('returns the repository without its credentials', async () => {
    const guarded = await startGitServer({ credentials: { username: 'ada', password: 's3cr3t/+' } });
    const repository = await guarded.createRepository(GUIDE, { name: 'acme/docs' });
    const { id } = await createSpace(server);
    const missing = await server.admin.client.GET('/v1/spaces/{spaceId}/git/info', {
      params: { path: { spaceId: id } },
    });
    expect(missing.response.status).toBe(404);
    const space = await importRepository(server, id, {
      url: repository.url.replace('http://', 'http://ada:s3cr3t%2F%2B@'),
    });
    const info = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/git/info', { params: { path: { spaceId: id } } }),
    );
    expect(info).toEqual(space.gitSync);
    expect(info.url).toBe(repository.url);
    const jobs = await server.database.query.selectFrom('jobs').selectAll().execute();
    expect(JSON.stringify([info, jobs])).not.toContain('s3cr3t');
    await guarded.close();
  });

  test('keeps the ids of pages whose path is the same, and the dates of unchanged ones', async () => {
    const repository = await git.createRepository(GUIDE);
    const { id } = await createSpace(server);
    await importRepository(server, id, repository);
    const before = flatten(await readTree(server.admin.client, id));
    await repository.update({
      'start/linux.md': '# On Linux\n\nChanged.\n',
      'start/mac.md': '# On a Mac\n',
      'SUMMARY.md': `${GUIDE['SUMMARY.md']}  * [On a Mac](start/mac.md)\n`,
    });
    await importRepository(server, id, repository);
    const after = flatten(await readTree(server.admin.client, id));
    expect(after.slice(0, before.length).map((page) => page.id)).toEqual(before.map((page) => page.id));
    expect(after.at(-1)?.title).toBe('On a Mac');
    const [install, linux] = ['Install', 'On Linux'].map((title) =>
      [before, after].map((pages) => pages.find((page) => page.title === title)?.updatedAt),
    );
    expect(install?.[1]).toBe(install?.[0]);
    expect(linux?.[1]).not.toBe(linux?.[0]);
  });

  test('creates only a revision if it is standalone', async () => {
    const repository = await git.createRepository(GUIDE);
    const space = await createSpace(server);
    await ok(importInto(space.id, { url: repository.url, standalone: true }));
    await vi.waitFor(async () => {
      const revisions = await server.database.query
        .selectFrom('revisions')
        .select('id')
        .where('space', '=', space.id)
        .execute();
      expect(revisions).toHaveLength(2);
    }, WAIT);
    expect((await readSpace(server.admin.client, space.id)).revision).toBe(space.revision);
    expect(await readTree(server.admin.client, space.id)).toEqual([]);
  });

  test('is not applied if a later one came first, unless it is forced', async () => {
    const [late, early] = [
      await git.createRepository({ 'README.md': '# Late' }),
      await git.createRepository({ 'README.md': '# Early' }),
    ];
    const { id } = await createSpace(server);
    await importRepository(server, id, late, { timestamp: '2026-02-02T00:00:00Z' });
    const timestamp = '2026-01-01T00:00:00Z';
    await ok(importInto(id, { url: early.url, timestamp }));
    await importRepository(server, id, early, { timestamp, force: true });
    expect(outline(await readTree(server.admin.client, id))).toEqual(['document Early /readme']);
    const revisions = await server.database.query
      .selectFrom('revisions')
      .select('id')
      .where('space', '=', id)
      .execute();
    expect(revisions).toHaveLength(3);
  });

  test('reads a folder of a repository on request', async () => {
    const repository = await git.createRepository({
      'README.md': '# The code',
      'docs/README.md': '# The docs',
      'docs/more.md': '# More',
    });
    const { id } = await createSpace(server);
    await importRepository(server, id, repository, { repoProjectDirectory: 'docs' });
    expect(outline(await readTree(server.admin.client, id)).map((line) => line.split(' /')[0])).toEqual([
      'document The docs',
      'document More',
    ]);
  });

  test('returns its commit', async () => {
    const repository = await git.createRepository(GUIDE, { message: 'Write it all' });
    const { id } = await createSpace(server);
    await importRepository(server, id, repository, { repoCommitURL: 'https://example.com/commit/' });
    const content = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/content', { params: { path: { spaceId: id } } }),
    );
    expect(content.git).toMatchObject({
      message: 'Write it all',
      createdByService: false,
      ref: 'refs/heads/main',
      url: `https://example.com/commit/${content.git?.oid}`,
    });
  });
});

describe('a failing import', () => {
  test('leaves the content unchanged', async () => {
    const repository = await git.createRepository(GUIDE);
    const { id } = await createSpace(server);
    await importRepository(server, id, repository);
    const before = await readSpace(server.admin.client, id);
    await ok(importInto(id, {}));
    const jobs = async () =>
      await server.database.query
        .selectFrom('jobs')
        .select(['state', 'lastError'])
        .where('key', '=', `space ${id}`)
        .where('state', '=', 'failed')
        .execute();
    await vi.waitFor(async () => expect(await jobs()).toHaveLength(1), WAIT);
    expect(await readSpace(server.admin.client, id)).toEqual(before);
  });

  test.each([
    ['file:///etc/passwd', 'url'],
    ['ext::sh -c touch% /tmp/pwned', 'url'],
    ['git://example.com/x.git', 'url'],
    ['http://10.0.0.1/x.git', 'url'],
    ['http://[fd00::1]/x.git', 'url'],
    ['http://169.254.169.254/x.git', 'url'],
  ])('is a 400 for %s', async (url, path) => {
    const { id } = await createSpace(server);
    const { error } = await importInto(id, { url });
    expect(error).toMatchObject({ status: 400, details: [{ in: 'body', path }] });
  });

  test('is a 409 into a locked space, and a 403 without the right to create', async () => {
    const { id } = await createSpace(server);
    const reviewer = await server.member('Importer', 'review');
    expect((await importInto(id, {}, reviewer.client)).response.status).toBe(403);
    await ok(
      server.admin.client.PATCH('/v1/spaces/{spaceId}', {
        params: { path: { spaceId: id } },
        body: { editMode: 'locked' },
      }),
    );
    expect((await importInto(id, {})).error).toMatchObject({ status: 409, reason: 'space_locked' });
  });
});
