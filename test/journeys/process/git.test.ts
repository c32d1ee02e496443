// Runs on one engine: jobs-processes.test.ts executes the statements of jobs that end with a process.
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Client, createClient, ok, waitForRun } from '../../../client/platform/index.ts';
import { flatten, readTree } from '../../support/content/imports.ts';
import {
  type GitServerOptions,
  type ServedRepository,
  startGitServer,
} from '../../support/git/git-server.ts';
import { expireLeases } from '../../support/jobs.ts';
import { childrenOf } from '../../support/processes/kill-tree.ts';
import { type ServerProgram, useTestPrograms } from '../../support/processes/program.ts';

const programs = useTestPrograms({ shared: true });

const WAIT = { timeout: 100_000, interval: 100 };

const FILES = {
  'SUMMARY.md': '# Table of contents\n\n* [Guide](README.md)\n* [Part](part.md)\n',
  'README.md': '# Guide\n',
  'part.md': '# Part\n',
};

/** An export with a push that is held back. */
interface HeldExport {
  space: string;
  target: ServedRepository;
  /** Returns the number of pushes so far. */
  pushes(): number;
  /** Continues this push, and all later ones. */
  release(): void;
  close(): Promise<void>;
}

/** The server that continues the exports of a killed one. */
let server: ServerProgram;
let client: Client;
/** Exports of the killed server: after the first push, and before the second one. */
let pushed: HeldExport;
let interrupted: HeldExport;
/** Files of the target of the interrupted push when the server was killed. */
let beforePush: Record<string, string>;
/** Commits of the target of the other push: that of the export, and a later one. */
let commits: { ours: string | undefined; theirs: string };

beforeAll(async () => {
  const killed = await programs.serve();
  const token = killed.token ?? '';
  const connect = ({ url }: ServerProgram) => createClient({ baseUrl: url, token, retries: 0 });
  pushed = await startExport(connect(killed), 'after');
  interrupted = await startExport(connect(killed), 'before');
  await vi.waitFor(async () => expect(await pushed.target.read()).toHaveProperty(['part.md']), WAIT);
  await vi.waitFor(() => expect(interrupted.pushes()).toBe(1), WAIT);
  expect(await killed.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });

  beforePush = await interrupted.target.read();
  const [commit] = await pushed.target.log();
  commits = {
    ours: commit?.oid,
    theirs: await pushed.target.update({ 'part.md': '# Part\n\nTheirs.\n' }),
  };
  pushed.release();
  await expireLeases(programs.location);
  server = await programs.serve();
  client = connect(server);
  await vi.waitFor(() => expect(interrupted.pushes()).toBe(2), WAIT);
  interrupted.release();
});
afterAll(() => Promise.all([pushed?.close(), interrupted?.close()]));

/** Imports a repository, and exports it to an empty one of the same Git server, which holds back the push. */
async function startExport(of: Client, when: 'before' | 'after'): Promise<HeldExport> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const hold: GitServerOptions['before'] = ({ url }) =>
    url?.endsWith('/git-receive-pack') ? released : undefined;
  const git = await startGitServer({ [when]: hold });
  const source = await git.createRepository(FILES);
  const target = await git.createEmptyRepository();
  const space = await createSpace(of);
  await waitForRun(of, startImport(of, space, source.url));
  await ok(
    of.POST('/v1/spaces/{spaceId}/git/export', {
      params: { path: { spaceId: space } },
      body: { url: target.url, ref: 'refs/heads/main', commitMessage: 'Export' },
    }),
  );
  return {
    space,
    target,
    pushes: () => git.requests.filter(({ url }) => url.endsWith('/git-receive-pack')).length,
    release,
    close: async () => {
      release();
      await git.close();
    },
  };
}

async function createSpace(of: Client): Promise<string> {
  const { items } = await ok(of.GET('/v1/orgs'));
  const params = { path: { organizationId: items[0]?.id ?? '' } };
  return (await ok(of.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }))).id;
}

const startImport = (of: Client, spaceId: string, url: string) =>
  of.POST('/v1/spaces/{spaceId}/git/import', {
    params: { path: { spaceId } },
    body: { url, ref: 'refs/heads/main' },
  });

/** Waits until the space of an export is synchronized with the target. */
const untilExported = ({ space, target }: HeldExport) => {
  const params = { path: { spaceId: space } };
  const info = async () => (await client.GET('/v1/spaces/{spaceId}/git/info', { params })).data?.url;
  return expect.poll(info, WAIT).toBe(target.url);
};

describe('a process that is killed during an export', () => {
  test('has its push recognized by the next process, even after other pushes', async () => {
    const { space, target } = pushed;
    await untilExported(pushed);
    const params = { path: { spaceId: space } };
    const revision = await ok(client.GET('/v1/spaces/{spaceId}/content', { params }));
    expect(revision.git).toMatchObject({ oid: commits.ours, createdByService: true });
    expect((await target.log()).map(({ oid }) => oid)).toEqual([commits.theirs, commits.ours]);

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

  test('has an interrupted push repeated by the next process', async () => {
    expect(beforePush).toEqual({});
    await untilExported(interrupted);
    expect(await interrupted.target.read()).toEqual(FILES);
    expect(await interrupted.target.log()).toHaveLength(1);
  });
});

// What is stored of such a run, service/git/runs.test.ts tests on both engines.
test('an import that ends its process three times fails, and its run states so', async () => {
  // No other job runs in the processes that are killed.
  await Promise.all([untilExported(pushed), untilExported(interrupted)]);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const git = await startGitServer({ before: () => released });
  onTestFinished(async () => {
    release();
    await git.close();
  });
  const repository = await git.createRepository(FILES);
  const started = startImport(client, await createSpace(client), repository.url);
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
