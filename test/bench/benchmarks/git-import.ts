import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, ok } from '../../../client/platform/index.ts';
import { manyPages } from '../../support/content/repositories.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import { type Amounts, amountFor, type Benchmark, type Size } from '../benchmark.ts';
import { onEachEngine } from '../engines.ts';
import { cpuOfProgram, usageOfTree } from '../processes.ts';
import { type Figure, median, milliseconds, ratioOf } from '../table.ts';

/** Amounts of work of a run. */
interface ImportAmounts {
  pages: number;
  rounds: number;
  /** Idle time of the service before an import. */
  idleMs: number;
}

const AMOUNTS: Amounts<ImportAmounts> = {
  full: { pages: 7202, rounds: 3, idleMs: 3000 },
  tiny: { pages: 3, rounds: 1, idleMs: 0 },
};
/** Variables of git, so that the configuration of the machine does not affect a clone. */
const GIT_ENVIRONMENT = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
/** Interval of requests that wait for an import, whose CPU is part of the result. */
const POLL_MS = 100;

/** Cost of an import or a clone. */
interface Cost {
  cpuMs: number;
  elapsedMs: number;
}

/**
 * First import of a docs repository compared with `git clone`: its CPU, and the time until its pages are readable and
 * until they are indexed for search.
 *
 * Both transfer the repository from the same server over HTTP on loopback, in turn. The CPU of an import is that of all
 * processes of the service, with git, and that of a clone that of git and its helpers; that of the server is part of
 * neither. Most of the CPU of a clone creates the files of the working tree, and depends on the file system. A bare clone
 * transfers the same objects without these files.
 */
export const benchmark: Benchmark = {
  description: 'first import of a Git repository, compared with git clone',
  run,
};

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const { pages, rounds, idleMs } = amountFor(size, AMOUNTS);
  const server = await startGitServer();
  const { url } = await server.createRepository(manyPages(pages));
  const folder = await mkdtemp(join(tmpdir(), 'colophon-bench-'));
  await onEachEngine(async ({ engine, startService }) => {
    const service = await startService();
    const client = createClient({ baseUrl: service.url, token: service.token });
    const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
    const clones: Cost[] = [];
    const bareClones: Cost[] = [];
    const readable: Cost[] = [];
    const searchable: Cost[] = [];
    for (let round = 0; round < rounds; round++) {
      clones.push(await costOfClone(folder, [url]));
      bareClones.push(await costOfClone(folder, ['--bare', url]));
      const body = { title: 'Imported' };
      const params = { path: { organizationId } };
      const space = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body }));
      const { revision } = space;
      await delay(idleMs);
      const { cpuMs } = await usageOfTree(service.pid);
      const began = performance.now();
      const costSoFar = async () => ({
        elapsedMs: performance.now() - began,
        cpuMs: (await usageOfTree(service.pid)).cpuMs - cpuMs,
      });
      await startImport(client, space.id, url);
      await poll(async () => (await readSpace(client, space.id)).revision !== revision);
      readable.push(await costSoFar());
      await poll(async () => (await latestRun(client, space.id))?.status === 'completed');
      searchable.push(await costSoFar());
    }
    await service.stop();
    const compare = (
      label: string,
      costs: Cost[],
      measure: keyof Cost,
      others: Cost[],
      other: string,
    ): Figure => {
      const medianOf = (all: readonly Cost[]) => median(all.map((cost) => cost[measure]));
      const [result, baseline] = [medianOf(costs), medianOf(others)];
      return {
        name: `${label} of an import of ${pages.toLocaleString('en')} pages, on ${engine}`,
        result: milliseconds(result),
        baseline: `${milliseconds(baseline)} ${other}`,
        ratio: ratioOf(result, baseline),
      };
    };
    report({ ...compare('CPU', searchable, 'cpuMs', clones, 'git clone'), target: 'at most 2.5x' });
    report(compare('CPU', searchable, 'cpuMs', bareClones, 'git clone --bare'));
    report({ ...compare('time to read', readable, 'elapsedMs', clones, 'git clone'), target: 'at most 3x' });
    report(compare('time to search', searchable, 'elapsedMs', clones, 'git clone'));
  });
  await server.close();
}

/** Clones a repository into a folder that is removed again. */
async function costOfClone(parent: string, args: readonly string[]): Promise<Cost> {
  const folder = join(parent, 'clone');
  const began = performance.now();
  const cpuMs = await cpuOfProgram('git', ['clone', '--quiet', ...args, folder], GIT_ENVIRONMENT);
  const elapsedMs = performance.now() - began;
  await rm(folder, { recursive: true });
  return { cpuMs, elapsedMs };
}

async function startImport(
  client: ReturnType<typeof createClient>,
  spaceId: string,
  url: string,
): Promise<void> {
  const params = { path: { spaceId } };
  await ok(client.POST('/v1/spaces/{spaceId}/git/import', { params, body: { url, ref: 'refs/heads/main' } }));
}

async function latestRun(client: ReturnType<typeof createClient>, spaceId: string) {
  const { items } = await ok(
    client.GET('/v1/spaces/{spaceId}/git/runs', { params: { path: { spaceId }, query: { limit: 1 } } }),
  );
  return items[0];
}

async function readSpace(client: ReturnType<typeof createClient>, spaceId: string) {
  return await ok(client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }));
}

/** Polls until the condition is true. */
async function poll(done: () => Promise<boolean>): Promise<void> {
  const signal = AbortSignal.timeout(300_000);
  while (!(await done())) {
    await delay(POLL_MS, undefined, { signal });
  }
}
