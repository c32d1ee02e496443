// Runs on one engine: repositories are written after content is read; runs.test.ts records exports.
import { describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import {
  addPage,
  exportTo,
  GUIDE,
  importGuide,
  readRevision,
  removePage,
  requestExport,
  revisionsOf,
  runExport,
  WAIT_OPTIONS,
} from '../../support/content/exports.ts';
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

type Schemas = components['schemas'];

useServers();

/** Returns the fields of a page that an export and an import preserve: all but dates. */
const identity = (pages: readonly Schemas['Page'][]) =>
  flatten(pages).map((page) => {
    const { createdAt: _, updatedAt: __, ...rest } = page;
    return { ...rest, pages: undefined };
  });

const gitPaths = (pages: readonly Schemas['Page'][]) =>
  flatten(pages).map((page) => ('git' in page ? page.git?.path : undefined));

describe('a Git export', () => {
  test('creates the first commit of an empty repository, whose import has the same content', async () => {
    const { id } = await importGuide(server, git);
    await addPage(server, id, 'news', 'Nothing yet. See [the start](start/install.md).\n');
    const repository = await git.createEmptyRepository();
    await exportTo(server, id, repository, { repoCommitURL: 'https://example.com/commit/' });
    const files = await repository.read();
    expect(Object.keys(files).sort()).toEqual(
      [
        ...Object.keys(GUIDE).filter((path) => path !== 'LICENSE' && path !== 'src/main.md'),
        'news.md',
      ].sort(),
    );
    expect(files['.gitbook/assets/penguin.svg']).toBe(GUIDE['.gitbook/assets/penguin.svg']);
    const [commit] = await repository.log();
    expect(commit).toMatchObject({
      author: 'Colophon <colophon@noreply.invalid>',
      message: 'Export the guide',
    });
    const before = await readRevision(server, id);
    expect(before.git).toEqual({
      oid: commit?.oid,
      message: 'Export the guide',
      createdByService: true,
      ref: 'refs/heads/main',
      url: `https://example.com/commit/${commit?.oid}`,
    });
    expect(gitPaths(before.pages)).toEqual([
      'README.md',
      undefined,
      'start/install.md',
      'start/linux.md',
      undefined,
      'news.md',
    ]);
    expect((await readSpace(server.admin.client, id)).gitSync?.url).toBe(repository.url);

    await importRepository(server, id, repository, { force: true });
    const after = await readRevision(server, id);
    expect(after.id).not.toBe(before.id);
    expect(after.git?.createdByService).toBe(true);
    expect(identity(after.pages)).toEqual(identity(before.pages));
    expect([after.files, after.reusableContents, after.variables]).toEqual([
      before.files,
      before.reusableContents,
      before.variables,
    ]);
  });

  test('writes changes, and keeps everything else as its authors wrote it', async () => {
    const { id, repository } = await importGuide(server, git);
    const news = await addPage(server, id, 'news', 'Nothing yet.\n');
    await exportTo(server, id, repository);
    expect(await repository.read()).toEqual({
      ...GUIDE,
      'SUMMARY.md': `${GUIDE['SUMMARY.md']}\n***\n\n* [NEWS](news.md)\n`,
      'news.md': '# NEWS\n\nNothing yet.\n',
    });
    await removePage(server, id, news);
    await exportTo(server, id, repository);
    expect(await repository.read()).toEqual(GUIDE);
    expect(await repository.log()).toHaveLength(3);

    const revision = await readSpace(server.admin.client, id);
    await exportTo(server, id, repository, { force: true });
    expect(await repository.log()).toHaveLength(3);
    expect((await readSpace(server.admin.client, id)).revision).toBe(revision.revision);
  });

  test('keeps the identity of pages while both sides change', async () => {
    const { id, repository } = await importGuide(server, git);
    const news = await addPage(server, id, 'news', 'Nothing yet.\n');
    await exportTo(server, id, repository);
    const before = new Map(
      flatten(await readTree(server.admin.client, id)).map((page) => [page.title, page.id]),
    );
    await repository.update({
      'news.md': '# NEWS\n\nSomething.\n',
      'start/linux.md': null,
      'start/mac.md': '# On a Mac\n',
      'SUMMARY.md':
        '# Contents\n\n* [NEWS](news.md)\n* [Welcome](README.md)\n\n## Start\n\n* [Set up](start/install.md)\n  * [On a Mac](start/mac.md)\n',
    });
    await importRepository(server, id, repository);
    const pages = flatten(await readTree(server.admin.client, id));
    expect(pages.map((page) => page.title)).toEqual(['NEWS', 'Welcome', 'Start', 'Set up', 'On a Mac']);
    expect(pages.slice(0, 4).map((page) => page.id)).toEqual([
      news,
      before.get('Welcome'),
      before.get('Start'),
      before.get('Install'),
    ]);
    await addPage(server, id, 'more', 'More.\n');
    await exportTo(server, id, repository);
    const files = await repository.read();
    expect(files['news.md']).toBe('# NEWS\n\nSomething.\n');
    expect(files['more.md']).toBe('# MORE\n\nMore.\n');
    expect(files['start/linux.md']).toBeUndefined();
  });

  test('overwrites no commits that the space lacks, and reports what to do', async () => {
    const { id, repository } = await importGuide(server, git);
    await addPage(server, id, 'news', 'Ours.\n');
    const theirs = await repository.update({
      'README.md': '# Welcome\n\nTheirs.\n',
      'their.md': 'Theirs.\n',
    });
    const before = await readRevision(server, id);
    const job = await runExport(server, id, repository);
    expect(job.state).toBe('failed');
    expect(job.lastError).toMatch(/has commits that the space does not have.*Import the branch.*"force"/);
    expect((await repository.log())[0]?.oid).toBe(theirs);
    expect(await readRevision(server, id)).toEqual(before);
    expect(await revisionsOf(server, id)).toHaveLength(3);

    await exportTo(server, id, repository, { force: true });
    const files = await repository.read();
    expect([files['README.md'], files['their.md'], files['news.md']]).toEqual([
      GUIDE['README.md'],
      'Theirs.\n',
      '# NEWS\n\nOurs.\n',
    ]);
    expect((await repository.log())[1]?.oid).toBe(theirs);
  });

  test('conflicts with a repository that the space was never synchronized with', async () => {
    const { id } = await importGuide(server, git);
    const other = await git.createRepository({ 'README.md': 'Theirs.\n', 'start/install.md': 'Theirs.\n' });
    expect((await runExport(server, id, other)).lastError).toContain('was never synchronized');
    const fresh = await createSpace(server);
    expect((await runExport(server, fresh.id, other)).lastError).toContain('never synchronized');
    await exportTo(server, id, other, { ref: 'refs/heads/docs' });
    expect(await other.read()).toEqual({ 'README.md': 'Theirs.\n', 'start/install.md': 'Theirs.\n' });
    expect((await other.read('docs'))['README.md']).toBe(GUIDE['README.md']);
  });

  test('is limited to its directory', async () => {
    const repository = await git.createRepository({
      'README.md': '# The code\n',
      'docs/README.md': '# The docs\n\n[Code](../src/main.ts)\n',
      'docs/.gitbook.yaml': 'structure:\n  summary: toc.md\n',
      'docs/toc.md': '* [The docs](README.md)\n',
    });
    const { id } = await createSpace(server);
    const body = { repoProjectDirectory: 'docs', repoTreeURL: 'https://example.com/tree/main' };
    await importRepository(server, id, repository, body);
    const page = flatten(await readTree(server.admin.client, id))[0];
    const text = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
        params: { path: { spaceId: id, pageId: page?.id ?? '' }, query: { format: 'markdown' } },
      }),
    );
    expect(text).toMatchObject({ markdown: '[Code](https://example.com/tree/main/src/main.ts)\n' });
    const before = await repository.read();
    await addPage(server, id, 'news', 'Nothing yet.\n');
    await exportTo(server, id, repository, { repoProjectDirectory: '/docs/' });
    expect(await repository.read()).toEqual({
      ...before,
      'docs/toc.md': '* [The docs](README.md)\n* [NEWS](news.md)\n',
      'docs/news.md': '# NEWS\n\nNothing yet.\n',
    });
    expect(gitPaths(await readTree(server.admin.client, id))).toEqual(['docs/README.md', 'docs/news.md']);
  });

  test('loses no edit that is made while it runs', async () => {
    const { promise: pause, resolve: release } = Promise.withResolvers<void>();
    const slow = await startGitServer({
      before: ({ url }) => (url?.endsWith('/git-receive-pack') ? pause : undefined),
    });
    const { id } = await importGuide(server, git);
    const repository = await slow.createEmptyRepository();
    const news = await addPage(server, id, 'news', 'First.\n');
    const running = runExport(server, id, repository);
    await vi.waitFor(() => {
      expect(slow.requests.some(({ url }) => url.endsWith('/git-receive-pack'))).toBe(true);
    }, WAIT_OPTIONS);
    const later = await addPage(server, id, 'later', 'Later.\n');
    await removePage(server, id, news);
    release();
    expect((await running).state).toBe('done');
    const pages = await readTree(server.admin.client, id);
    expect(outline(pages).at(-1)).toBe('document LATER /later');
    expect(pages.find((page) => page.id === later)).not.toHaveProperty('git');
    expect(gitPaths(pages)).toContain('start/linux.md');
    await exportTo(server, id, repository);
    const files = await repository.read();
    expect([files['news.md'], files['later.md']]).toEqual([undefined, '# LATER\n\nLater.\n']);
    await slow.close();
  });

  test('is possible from a locked space, and only for callers with write access', async () => {
    const { id, repository } = await importGuide(server, git);
    await addPage(server, id, 'news', 'Nothing yet.\n');
    await ok(
      server.admin.client.PATCH('/v1/spaces/{spaceId}', {
        params: { path: { spaceId: id } },
        body: { editMode: 'locked' },
      }),
    );
    await exportTo(server, id, repository);
    expect((await repository.read())['news.md']).toBeDefined();
    const { error } = await requestExport(server, id, { url: 'http://10.0.0.1/x.git' });
    expect(error).toMatchObject({ status: 400, details: [{ in: 'body', path: 'url' }] });
  });

  test('reports wrong credentials without revealing them', async () => {
    const guarded = await startGitServer({ credentials: { username: 'ada', password: 's3cr3t/+' } });
    const repository = await guarded.createRepository({ 'README.md': '# Guide\n' });
    const { id } = await createSpace(server);
    const url = (password: string) => repository.url.replace('//', `//ada:${password}@`);
    const addresses = {
      repoCommitURL: url('s3cr3t%2F%2B'),
      gitInfo: { provider: 'github', url: url('s3cr3t%2F%2B') },
    } as const;
    const job = await runExport(server, id, { url: url('wr0ng-p4ss') }, addresses);
    expect(job).toMatchObject({
      state: 'failed',
      lastError: expect.stringContaining('rejected the credentials'),
    });
    await importRepository(server, id, { url: url('s3cr3t%2F%2B') }, addresses);
    await addPage(server, id, 'news', 'Nothing yet.\n');
    await exportTo(server, id, { url: url('s3cr3t%2F%2B') }, addresses);
    const { query } = server.database;
    const texts = [
      await query.selectFrom('jobs').selectAll().execute(),
      await query.selectFrom('spaces').selectAll().execute(),
      await query.selectFrom('revisions').selectAll().execute(),
      await readSpace(server.admin.client, id),
      await readRevision(server, id),
    ];
    expect(JSON.stringify(texts)).not.toMatch(/s3cr3t|wr0ng-p4ss/);
    await guarded.close();
  });
});
