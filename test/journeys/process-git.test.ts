// Runs on one engine: jobs-processes.test.ts executes the statements of jobs that end with a process.
import { afterEach, describe, expect, test } from 'vitest';
import { type Client, createClient, ok, waitForRun } from '../../client/platform/index.ts';
import {
  type GitServer,
  type GitServerOptions,
  type ServedRepository,
  startGitServer,
} from '../support/git-server.ts';
import { flatten, readTree } from '../support/imports.ts';
import { expireLeases } from '../support/jobs.ts';
import { childrenOf } from '../support/kill-tree.ts';
import { type ServerProgram, useTestPrograms } from '../support/program.ts';

const programs = useTestPrograms();
const { serve } = programs;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) {
    await close();
  }
});

const WAIT = { timeout: 100_000, interval: 100 };

const as = (server: ServerProgram, token: string) => createClient({ baseUrl: server.url, token, retries: 0 });

async function gitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const server = await startGitServer(options);
  closing.push(() => server.close());
  return server;
}

/** Creates a space with the content of a repository. */
async function importedSpace(client: Client, { url }: ServedRepository): Promise<string> {
  const { items } = await ok(client.GET('/v1/orgs'));
  const params = { path: { organizationId: items[0]?.id ?? '' } };
  const { id } = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }));
  await waitForRun(client, startImport(client, id, url));
  return id;
}

const startImport = (client: Client, spaceId: string, url: string) =>
  client.POST('/v1/spaces/{spaceId}/git/import', {
    params: { path: { spaceId } },
    body: { url, ref: 'refs/heads/main' },
  });

const exportTo = async (client: Client, spaceId: string, url: string) =>
  await ok(
    client.POST('/v1/spaces/{spaceId}/git/export', {
      params: { path: { spaceId } },
      body: { url, ref: 'refs/heads/main', commitMessage: 'Export' },
    }),
  );

const info = async (client: Client, spaceId: string) =>
  await client.GET('/v1/spaces/{spaceId}/git/info', { params: { path: { spaceId } } });

const FILES = {
  'SUMMARY.md': '# Table of contents\n\n* [Guide](README.md)\n* [Part](part.md)\n',
  'README.md': '# Guide\n',
  'part.md': '# Part\n',
};

/** Starts a process that imports a repository and exports it to an empty repository of the same server. */
async function startExport(git: GitServer) {
  const source = await git.createRepository(FILES);
  const target = await git.createEmptyRepository();
  const first = await serve();
  const token = first.token ?? '';
  const space = await importedSpace(as(first, token), source);
  await exportTo(as(first, token), space, target.url);
  return { target, first, token, space };
}

describe('a process that is killed during an export', () => {
  test('has its push recognized by the next process, even after other pushes', async () => {
    const pause = Promise.withResolvers<void>();
    closing.push(() => pause.resolve());
    const git = await gitServer({
      after: ({ url }) => (url?.endsWith('/git-receive-pack') ? pause.promise : undefined),
    });
    const { target, first, token, space } = await startExport(git);
    await expect.poll(async () => Object.keys(await target.read()), WAIT).toContain('part.md');
    expect(await first.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    const [commit] = await target.log();
    const theirs = await target.update({ 'part.md': '# Part\n\nTheirs.\n' });

    pause.resolve();
    await expireLeases(programs.location);
    const second = await serve();
    const client = as(second, token);
    await expect.poll(async () => (await info(client, space)).data?.url, WAIT).toBe(target.url);
    const params = { path: { spaceId: space } };
    const revision = await ok(client.GET('/v1/spaces/{spaceId}/content', { params }));
    expect(revision.git).toMatchObject({ oid: commit?.oid, createdByService: true });
    expect((await target.log()).map(({ oid }) => oid)).toEqual([theirs, commit?.oid]);

    const ids = flatten(await readTree(client, space)).map(({ id }) => id);
    await waitForRun(client, startImport(client, space, target.url));
    const text = async () => {
      const path = { spaceId: space, pageId: ids[1] ?? '' };
      const page = await client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', {
        params: { path, query: { format: 'markdown' } },
      });
      return page.data;
    };
    await expect.poll(text, WAIT).toMatchObject({ markdown: 'Theirs.\n' });
    expect(flatten(await readTree(client, space)).map(({ id }) => id)).toEqual(ids);
  });

  test('has an interrupted push repeated by the next process, and logs no credentials', {
    timeout: 240_000,
  }, async () => {
    const pause = Promise.withResolvers<void>();
    closing.push(() => pause.resolve());
    const git = await gitServer({
      before: ({ url }) => (url?.endsWith('/git-receive-pack') ? pause.promise : undefined),
    });
    const { target, first, token, space } = await startExport(git);
    const pushes = () => git.requests.filter(({ url }) => url.endsWith('/git-receive-pack')).length;
    await expect.poll(pushes, WAIT).toBe(1);
    await first.stop('SIGKILL');
    expect(await target.read()).toEqual({});

    await expireLeases(programs.location);
    const second = await serve({ LOG_LEVEL: 'trace' });
    await expect.poll(pushes, WAIT).toBe(2);
    pause.resolve();
    const client = as(second, token);
    await expect.poll(async () => (await info(client, space)).data?.url, WAIT).toBe(target.url);
    expect(await target.read()).toEqual(FILES);
    expect(await target.log()).toHaveLength(1);

    // Credentials that the repository rejects are not logged.
    const closed = await gitServer({ credentials: { username: 'ada', password: 'other' } });
    const { url } = await closed.createRepository({});
    await exportTo(client, space, url.replace('//', '//ada:s3cret-passw0rd@'));
    await second.until('stderr', /"msg":"job failed/);
    await second.stop();
    expect(second.output.stderr).toContain('rejected the credentials');
    expect(second.output.stderr).not.toContain('s3cret-passw0rd');
  });
});

// What is stored of such a run, service/git/runs.test.ts tests on both engines.
test('an import that ends its process three times fails, and its run states so', async () => {
  const held = Promise.withResolvers<void>();
  closing.push(() => held.resolve());
  const git = await gitServer({ before: () => held.promise });
  const repository = await git.createRepository(FILES);
  const server = await serve();
  const client = as(server, server.token ?? '');
  const { items } = await ok(client.GET('/v1/orgs'));
  const params = { path: { organizationId: items[0]?.id ?? '' } };
  const space = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }));
  const started = startImport(client, space.id, repository.url);
  await started;
  for (let ends = 1; ends <= 3; ends++) {
    await expect.poll(() => git.requests.length, WAIT).toBeGreaterThanOrEqual(ends);
    for (const pid of childrenOf(server.child.pid ?? 0)) {
      process.kill(pid, 'SIGKILL');
    }
  }
  await expect(waitForRun(client, started, { timeout: 60_000 })).rejects.toMatchObject({
    name: 'RunFailedError',
    reason: 'interrupted',
  });
});
