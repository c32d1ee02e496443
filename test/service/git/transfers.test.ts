import { describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { readJson, writeJson } from '../../../server/database/json.ts';
import {
  addPage,
  exportTo,
  finishedTransfers,
  importGuide,
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
import { isFirstEngine } from '../../support/database/engines.ts';
import { type ServedRepository, startGitServer } from '../../support/git/git-server.ts';
import { git, server, useServers } from './servers.ts';

useServers();

describe('imports and exports of a space', () => {
  test('run in the order of their requests', async () => {
    const { promise: pause, resolve: release } = Promise.withResolvers<void>();
    const slow = await startGitServer({ before: () => pause });
    const first = await slow.createRepository({ 'README.md': '# First\n' });
    const { id } = await createSpace(server);
    const importInto = async (timestamp: string, url: string) =>
      await ok(
        server.admin.client.POST('/v1/spaces/{spaceId}/git/import', {
          params: { path: { spaceId: id } },
          body: { url, ref: 'refs/heads/main', timestamp },
        }),
      );
    await importInto('2026-01-01T00:00:00Z', first.url);
    await vi.waitFor(() => expect(slow.requests.length).toBeGreaterThan(0), WAIT_OPTIONS);
    const second = await git.createRepository({ 'README.md': '# Second\n' });
    const target = await git.createEmptyRepository();
    // Requested in the other order: the export has the content of the first import, not of the second.
    await importInto('2026-01-03T00:00:00+01:00', second.url);
    await requestExport(server, id, target, { timestamp: '2026-01-02T12:00:00Z' });
    release();
    await vi.waitFor(async () => expect(await finishedTransfers(server, id)).toHaveLength(3), WAIT_OPTIONS);
    expect((await finishedTransfers(server, id)).map(({ kind }) => kind)).toEqual([
      'git-import',
      'git-export',
      'git-import',
    ]);
    expect((await target.read())['README.md']).toBe('# First\n');
    expect(outline(await readTree(server.admin.client, id))).toEqual(['document Second /readme']);

    await exportTo(server, id, target, { timestamp: '2026-01-02T13:00:00Z' });
    expect((await target.read())['README.md']).toBe('# First\n');
    await slow.close();
  });

  test.runIf(isFirstEngine)('create no revision for a known commit, unless they are forced', async () => {
    const { id, repository } = await importGuide(server, git);
    const { revision } = await readSpace(server.admin.client, id);
    await importRepository(server, id, repository);
    expect((await readSpace(server.admin.client, id)).revision).toBe(revision);
    const news = await addPage(server, id, 'news', 'Nothing yet.\n');
    await importRepository(server, id, repository);
    expect(flatten(await readTree(server.admin.client, id)).at(-1)?.id).toBe(news);
    await importRepository(server, id, repository, { force: true });
    expect(flatten(await readTree(server.admin.client, id)).map((page) => page.id)).not.toContain(news);
  });

  test.runIf(isFirstEngine)('keep a standalone revision available by its id', async () => {
    const { id, repository } = await importGuide(server, git);
    const before = await revisionsOf(server, id);
    await repository.update({ 'README.md': '# Hello\n' });
    await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/git/import', {
        params: { path: { spaceId: id } },
        body: { url: repository.url, ref: 'refs/heads/main', standalone: true },
      }),
    );
    await vi.waitFor(
      async () => expect(await revisionsOf(server, id)).toHaveLength(before.length + 1),
      WAIT_OPTIONS,
    );
    const created = (await revisionsOf(server, id)).find((item) => !before.some(({ id }) => id === item.id));
    const params = { path: { spaceId: id, revisionId: created?.id ?? '' } };
    const alone = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}', { params }),
    );
    expect(alone.git?.createdByService).toBe(false);
    expect(alone.pages[0]?.title).toBe('Welcome');
    expect((await readSpace(server.admin.client, id)).gitSync).toBeDefined();
  });
});

describe.runIf(isFirstEngine)('a branch that moves during an export', () => {
  /** Starts a server where somebody commits just before the first push arrives. */
  async function interrupted(files: Record<string, string>) {
    let repository: ServedRepository | undefined;
    let commits = 0;
    const busy = await startGitServer({
      before: async ({ url }) => {
        if (!url?.endsWith('/git-receive-pack') || commits > 0) {
          return;
        }
        commits += 1;
        await repository?.update({ 'theirs.md': 'Theirs.\n' });
      },
    });
    repository = await busy.createRepository(files);
    const { id } = await createSpace(server);
    await importRepository(server, id, repository);
    await addPage(server, id, 'news', 'Ours.\n');
    return { id, repository, busy };
  }

  test('is read again: other commits are a conflict', async () => {
    const { id, repository, busy } = await interrupted({ 'README.md': '# Guide\n' });
    expect(await runExport(server, id, repository)).toMatchObject({
      state: 'failed',
      lastError: expect.stringContaining('Import the branch and export again'),
    });
    expect(Object.keys(await repository.read())).toEqual(['README.md', 'theirs.md']);
    expect(await revisionsOf(server, id)).toHaveLength(3);
    await busy.close();
  });

  test('is written on top of its new tip if forced', async () => {
    const { id, repository, busy } = await interrupted({ 'README.md': '# Guide\n' });
    await exportTo(server, id, repository, { force: true });
    expect(Object.keys(await repository.read()).sort()).toEqual([
      'README.md',
      'SUMMARY.md',
      'news.md',
      'theirs.md',
    ]);
    expect(await repository.log()).toHaveLength(3);
    await busy.close();
  });
});

describe('a legacy Git installation', () => {
  const forget = async (spaceId: string, client = server.admin.client) =>
    (await client.DELETE('/v1/spaces/{spaceId}/git/legacy-installation', { params: { path: { spaceId } } }))
      .response.status;

  test('is removed, and no other one', async () => {
    const { id } = await importGuide(server, git);
    expect(await forget(id)).toBe(204);
    const space = await readSpace(server.admin.client, id);
    expect(space.gitSync).toBeDefined();
    const { query } = server.database;
    const row = await query.selectFrom('spaces').select('git').where('id', '=', id).executeTakeFirstOrThrow();
    if (!row.git) {
      throw new Error('The import left nothing.');
    }
    const legacy = writeJson({ ...readJson(row.git), installationProvider: 'github-legacy' as const });
    await query.updateTable('spaces').set({ git: legacy }).where('id', '=', id).execute();
    const editor = await server.member('Forgetful', 'edit');
    expect(await forget(id, editor.client)).toBe(403);
    expect(await forget(id)).toBe(204);
    expect((await readSpace(server.admin.client, id)).gitSync).toBeUndefined();
    expect(await forget(id)).toBe(204);
  });
});
