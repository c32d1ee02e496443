import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Client, ok, RunFailedError, waitForRun } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { MAX_RETAINED_RUNS, MAX_RUN_PROBLEMS } from '../../../server/platform/content/runs/record.ts';
import { addPage, GUIDE, importGuide, requestExport, WAIT_OPTIONS } from '../../support/content/exports.ts';
import { createSpace, importRepository, readSpace, readTree } from '../../support/content/imports.ts';
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

const requestImport = (id: string, url: string, body: Partial<Schemas['GitImport']> = {}) =>
  server.admin.client.POST('/v1/spaces/{spaceId}/git/import', {
    params: { path: { spaceId: id } },
    body: { url, ref: 'refs/heads/main', ...body },
  });

/** Waits for a run that fails, and returns it. */
async function failedRun(started: Parameters<typeof waitForRun>[1]): Promise<Schemas['GitRun']> {
  const error = await waitForRun(server.admin.client, started, { timeout: 60_000 }).catch(
    (error: unknown) => error,
  );
  if (!(error instanceof RunFailedError)) {
    throw new Error('The run did not fail.', { cause: error });
  }
  return error.run;
}

const listRuns = async (spaceId: string, query: { limit?: number; page?: string } = {}, client?: Client) =>
  await (client ?? server.admin.client).GET('/v1/spaces/{spaceId}/git/runs', {
    params: { path: { spaceId }, query },
  });

/** A Git server that holds back its responses until they are released. */
async function startBlockedServer() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const blocked = await startGitServer({ before: () => promise });
  return { blocked, release };
}

describe('the run of a Git import', () => {
  test('reports the result: commit, revision, numbers and times', async () => {
    const repository = await git.createRepository(GUIDE);
    const { id } = await createSpace(server);
    const started = requestImport(id, repository.url.replace('//', '//ada:s3cret@'));
    const run = await waitForRun(server.admin.client, started);
    const { response } = await started;
    expect(run).toEqual({
      object: 'git-run',
      id: expect.stringMatching(/^run_/),
      direction: 'import',
      url: repository.url,
      ref: 'refs/heads/main',
      commit: (await repository.log())[0]?.oid,
      revision: (await readSpace(server.admin.client, id)).revision,
      status: 'completed',
      progress: 100,
      counts: { pages: 3, files: 1, problems: 0 },
      problems: [],
      createdAt: expect.any(String),
      startedAt: expect.any(String),
      endedAt: expect.any(String),
      urls: { location: response.headers.get('Location') },
    });
    expect(run.urls.location).toBe(`${server.url}/v1/spaces/${id}/git/runs/${run.id}`);
    const found = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/search', {
        params: { path: { spaceId: id }, query: { query: 'installer' } },
      }),
    );
    expect(found.items.map(({ title }) => title)).toEqual(['Install']);
  });

  test('leaves a job that indexes what it has committed, even if its own process ends before it has', async () => {
    const { id } = await importGuide(server, git);
    const jobs = await server.database.query
      .selectFrom('jobs')
      .select('kind')
      .where('key', '=', `space ${id}`)
      .orderBy('sequence')
      .execute();
    const kinds = jobs.map(({ kind }) => kind);
    expect(kinds.slice(kinds.indexOf('git-import'))).toEqual(['git-import', 'index-space']);
  });

  test.runIf(isFirstEngine)('lists the problems of the repository with their file and line', async () => {
    const repository = await git.createRepository({
      'README.md': '# Welcome\n',
      'SUMMARY.md': '# Contents\n\n* [Welcome](README.md)\n* [Gone](gone.md)\n',
      'link.md': { symlink: 'README.md' },
    });
    const { id } = await createSpace(server);
    const run = await waitForRun(server.admin.client, requestImport(id, repository.url));
    expect(run.counts).toEqual({ pages: 1, files: 0, problems: 2 });
    expect(run.problems).toEqual([
      { file: 'link.md', reason: 'unsupported', message: expect.stringContaining('Replace it') },
      {
        file: 'SUMMARY.md',
        line: 4,
        reason: 'not_found',
        message: expect.stringMatching(/"gone\.md", which does not exist .* Correct or remove/),
      },
    ]);
  });

  test.runIf(isFirstEngine)('lists the pointers of Git LFS that pages use, at each import', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4d7a2146'.repeat(8)}\nsize 12345\n`;
    const repository = await git.createRepository({
      'README.md': '# Welcome\n\n![Map](map.png) ![Text](text.png)\n',
      'map.png': pointer,
      'text.png': pointer.replace('version', 'Version'),
      'unused.png': pointer,
    });
    const { id } = await createSpace(server);
    const first = await waitForRun(server.admin.client, requestImport(id, repository.url));
    const problem = { file: 'map.png', reason: 'unsupported', message: expect.stringContaining('Git LFS') };
    expect(first.problems).toEqual([problem]);
    await repository.update({ 'README.md': '# Welcome\n\n![The map](map.png)\n' });
    const second = await waitForRun(server.admin.client, requestImport(id, repository.url));
    expect(second.problems).toEqual([problem]);
  });

  test('lists a limited number of problems, and counts all', async () => {
    const entries = Array.from({ length: MAX_RUN_PROBLEMS + 7 }, (_, at) => `* [Gone](gone-${at}.md)\n`);
    const repository = await git.createRepository({ 'README.md': '', 'SUMMARY.md': entries.join('') });
    const { id } = await createSpace(server);
    const run = await waitForRun(server.admin.client, requestImport(id, repository.url));
    expect(run.problems).toHaveLength(MAX_RUN_PROBLEMS);
    expect(run.counts.problems).toBe(MAX_RUN_PROBLEMS + 7);
  });

  test('of an unchanged commit is completed', async () => {
    const { id, repository } = await importGuide(server, git);
    const run = await waitForRun(server.admin.client, requestImport(id, repository.url));
    expect(run).toMatchObject({ status: 'completed', commit: (await repository.log())[0]?.oid });
    expect(run.revision).toBeUndefined();
  });

  test('of a standalone import names the revision', async () => {
    const repository = await git.createRepository(GUIDE);
    const { id, revision } = await createSpace(server);
    const run = await waitForRun(
      server.admin.client,
      requestImport(id, repository.url, { standalone: true }),
    );
    expect(run.revision).not.toBe(revision);
    const params = { path: { spaceId: id, revisionId: run.revision ?? '' } };
    const alone = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/revisions/{revisionId}', { params }),
    );
    expect(alone.git?.oid).toBe(run.commit);
  });

  test('is pending while another one runs', async () => {
    const { blocked, release } = await startBlockedServer();
    const slow = await blocked.createRepository(GUIDE);
    const { id } = await createSpace(server);
    const first = requestImport(id, slow.url);
    await vi.waitFor(() => expect(blocked.requests.length).toBeGreaterThan(0), WAIT_OPTIONS);
    const second = requestImport(id, slow.url);
    await second;
    expect((await ok(listRuns(id))).items.map(({ status }) => status)).toEqual(['pending', 'running']);
    release();
    await waitForRun(server.admin.client, first);
    await waitForRun(server.admin.client, second);
    await blocked.close();
  });
});

test('the Git information of a space changes together with its content', async () => {
  const pages = Array.from({ length: 150 }, (_, at) => [`page-${at}.md`, `# Page ${at}\n\nWords.\n`]);
  const repository = await git.createRepository(Object.fromEntries(pages));
  const { id, revision } = await createSpace(server);
  const started = requestImport(id, repository.url);
  await started;
  for (;;) {
    const space = await readSpace(server.admin.client, id);
    if (space.revision !== revision) {
      expect(space.gitSync).toBeDefined();
      break;
    }
  }
  await waitForRun(server.admin.client, started);
});

describe('the run of a Git export', () => {
  test('reports the commit', async () => {
    const { id, repository } = await importGuide(server, git);
    await addPage(server, id, 'news', 'Nothing yet.\n');
    const run = await waitForRun(server.admin.client, requestExport(server, id, repository));
    expect(run).toMatchObject({
      direction: 'export',
      status: 'completed',
      progress: 100,
      commit: (await repository.log())[0]?.oid,
      revision: (await readSpace(server.admin.client, id)).revision,
      counts: { pages: 4, files: 1, problems: 0 },
    });
  });

  test('fails if the branch has other commits', async () => {
    const { id, repository } = await importGuide(server, git);
    await repository.update({ 'theirs.md': 'Theirs.\n' });
    const run = await failedRun(requestExport(server, id, repository));
    expect(run).toMatchObject({
      status: 'failed',
      failure: { reason: 'branch_diverged', message: expect.stringContaining('Import the branch') },
      endedAt: expect.any(String),
    });
  });
});

describe('a failed run states its cause', () => {
  const failing = async (url: string, body: Partial<Schemas['GitImport']> = {}) =>
    await failedRun(requestImport((await createSpace(server)).id, url, body));

  // The reasons of the Git program are stored like the others.
  test.runIf(isFirstEngine).each([
    ['a missing branch', { ref: 'refs/heads/gone' }, 'not_found', 'refs/heads/gone'],
    ['a missing folder', { repoProjectDirectory: 'gone' }, 'not_found', 'no directory "gone"'],
  ] as const)('%s', async (_name, body, reason, message) => {
    const { url } = await git.createRepository(GUIDE);
    const run = await failing(url, body);
    expect(run).toMatchObject({ status: 'failed', failure: { reason } });
    expect(run.failure?.message).toContain(message);
  });

  test.runIf(isFirstEngine)('a missing repository', async () => {
    expect(await failing(`${git.url}/gone.git`)).toMatchObject({ failure: { reason: 'not_found' } });
  });

  test.runIf(isFirstEngine)('an unreachable server, after retries', async () => {
    const closedServer = await startGitServer();
    const { url } = await closedServer.createRepository(GUIDE);
    await closedServer.close();
    expect(await failing(url)).toMatchObject({ failure: { reason: 'unreachable' } });
  });

  test.runIf(isFirstEngine)('rejected credentials, which are not shown', async () => {
    const guarded = await startGitServer({ credentials: { username: 'ada', password: 'right' } });
    const { url } = await guarded.createRepository(GUIDE);
    const run = await failing(url.replace('//', '//ada:wr0ng-s3cret@'));
    expect(run).toMatchObject({ url, failure: { reason: 'authentication_failed' } });
    expect(JSON.stringify(run)).not.toContain('wr0ng-s3cret');
    await guarded.close();
  });

  test('a later import that was completed first', async () => {
    const { id, repository } = await importGuide(server, git);
    const run = await failedRun(requestImport(id, repository.url, { timestamp: '2020-01-01T00:00:00Z' }));
    expect(run.failure).toMatchObject({ reason: 'superseded', message: expect.stringContaining('`force`') });
  });

  test('a space that was locked meanwhile', async () => {
    const { blocked, release } = await startBlockedServer();
    const repository = await blocked.createRepository(GUIDE);
    const { id } = await createSpace(server);
    const started = requestImport(id, repository.url);
    await vi.waitFor(() => expect(blocked.requests.length).toBeGreaterThan(0), WAIT_OPTIONS);
    const params = { path: { spaceId: id } };
    await ok(server.admin.client.PATCH('/v1/spaces/{spaceId}', { params, body: { editMode: 'locked' } }));
    release();
    expect(await failedRun(started)).toMatchObject({ failure: { reason: 'space_locked' } });
    await blocked.close();
  });

  test('a caller who lost the permission meanwhile', async () => {
    const { blocked, release } = await startBlockedServer();
    const source = await blocked.createRepository(GUIDE);
    const target = await git.createEmptyRepository();
    const { id } = await createSpace(server);
    const member = await server.member('Former', 'create');
    const params = { path: { spaceId: id } };
    const ref = 'refs/heads/main';
    const body = { url: source.url, ref };
    await ok(member.client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
    await vi.waitFor(() => expect(blocked.requests.length).toBeGreaterThan(0), WAIT_OPTIONS);
    const exported = { url: target.url, ref, commitMessage: 'Export' };
    await ok(member.client.POST('/v1/spaces/{spaceId}/git/export', { params, body: exported }));
    await ok(
      server.admin.client.PATCH('/v1/orgs/{organizationId}/members/{userId}', {
        params: { path: { organizationId: server.organization, userId: member.id } },
        body: { role: 'read' },
      }),
    );
    release();
    await vi.waitFor(async () => {
      const { items } = await ok(server.admin.client.GET('/v1/spaces/{spaceId}/git/runs', { params }));
      expect(items.map(({ failure }) => failure?.reason)).toEqual(['superseded', 'superseded']);
    }, WAIT_OPTIONS);
    expect(await readTree(server.admin.client, id)).toEqual([]);
    expect(git.requests.filter(({ url }) => url?.includes(new URL(target.url).pathname))).toEqual([]);
    await blocked.close();
  });

  test('a job that ended its process repeatedly', async () => {
    const { blocked, release } = await startBlockedServer();
    const repository = await blocked.createRepository(GUIDE);
    const { id } = await createSpace(server);
    await requestImport(id, repository.url);
    await vi.waitFor(() => expect(blocked.requests.length).toBeGreaterThan(0), WAIT_OPTIONS);
    const { query } = server.database;
    // As if the process had been killed for the third time.
    await query
      .updateTable('jobs')
      .set({ state: 'queued', leaseOwner: null, leaseUntil: null, processEnds: 3, lastError: 'SIGKILL' })
      .where('key', '=', `space ${id}`)
      .where('kind', '=', 'git-import')
      .execute();
    const imports = query.selectFrom('jobs').select('state').where('key', '=', `space ${id}`);
    await vi.waitFor(
      async () => expect(await imports.execute()).toEqual([{ state: 'failed' }]),
      WAIT_OPTIONS,
    );
    const [run] = (await ok(listRuns(id))).items;
    expect(run).toMatchObject({
      status: 'failed',
      failure: { reason: 'interrupted', message: expect.stringContaining('again') },
    });
    expect(run?.failure?.message).not.toContain('SIGKILL');
    release();
    await blocked.close();
  });
});

describe('the list of runs', () => {
  test('is ordered from the newest, in pages', async () => {
    const { id, repository } = await importGuide(server, git);
    await waitForRun(server.admin.client, requestExport(server, id, repository));
    await importRepository(server, id, repository);
    const all = await ok(listRuns(id));
    expect(all.count).toBe(3);
    expect(all.items.map(({ direction }) => direction)).toEqual(['import', 'export', 'import']);
    const first = await ok(listRuns(id, { limit: 2 }));
    const second = await ok(listRuns(id, { limit: 2, page: first.next?.page ?? '' }));
    expect([...first.items, ...second.items]).toEqual(all.items);
    expect(second.next).toBeUndefined();
  });

  test('retains a limited number of ended runs', async () => {
    const { id } = await importGuide(server, git);
    const [template] = await server.database.query
      .selectFrom('runs')
      .selectAll()
      .where('space', '=', id)
      .execute();
    if (!template) {
      throw new Error('The import has no run.');
    }
    const older = Array.from({ length: MAX_RETAINED_RUNS + 20 }, (_, at) => ({
      ...template,
      id: `${template.id}_${at}`,
      createdAt: new Date(Date.UTC(2020, 0, 1) + at * 1000).toISOString(),
    }));
    await server.database.query.insertInto('runs').values(older).execute();
    const repository = await git.createRepository({ 'README.md': '# Again\n' });
    const latest = await waitForRun(server.admin.client, requestImport(id, repository.url));
    const { items, count } = await ok(listRuns(id, { limit: 1000 }));
    expect(count).toBe(MAX_RETAINED_RUNS);
    expect(items[0]?.id).toBe(latest.id);
    expect(items.at(-1)?.id).toBe(`${template.id}_22`);
  });

  test('is not visible to guests without access, nor to other organizations', async () => {
    const { id } = await importGuide(server, git);
    const runId = (await ok(listRuns(id))).items[0]?.id ?? '';
    const statuses = async (client: Client, spaceId = id) => [
      (await listRuns(spaceId, {}, client)).response.status,
      (await client.GET('/v1/spaces/{spaceId}/git/runs/{runId}', { params: { path: { spaceId, runId } } }))
        .response.status,
    ];
    const guest = await server.member(`Guest-${id}`, null);
    expect(await statuses(guest.client)).toEqual([404, 404]);
    const elsewhere = await ok(server.admin.client.POST('/v1/orgs', { body: { title: 'Elsewhere' } }));
    const outsider = await server.member(`Outsider-${id}`, 'admin', elsewhere.id);
    expect(await statuses(outsider.client)).toEqual([404, 404]);
    const params = { path: { spaceId: id } };
    const body = { role: 'read' as const, users: [guest.id] };
    await ok(server.admin.client.POST('/v1/spaces/{spaceId}/permissions', { params, body }));
    expect(await statuses(guest.client)).toEqual([200, 200]);
    // The run of another space does not exist in this one.
    expect(await statuses(server.admin.client, (await createSpace(server)).id)).toEqual([200, 404]);
  });
});
