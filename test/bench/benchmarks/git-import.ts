import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, ok } from '../../../client/platform/index.ts';
import { manyPages } from '../../support/content/repositories.ts';
import { git } from '../../support/git/git-files.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import { type Amounts, amountFor, type Benchmark, type Size } from '../benchmark.ts';
import { onEachEngine } from '../engines.ts';
import { type Figure, median, milliseconds, time } from '../table.ts';

const AMOUNTS: Amounts<{ pages: number; rounds: number }> = {
  full: { pages: 1300, rounds: 3 },
  tiny: { pages: 3, rounds: 1 },
};

/**
 * First import of a docs repository compared with `git clone` alone: until its pages are readable, and until they
 * are indexed for search.
 */
export const benchmark: Benchmark = {
  description: 'first import of a Git repository, compared with git clone',
  run,
};

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const { pages, rounds } = amountFor(size, AMOUNTS);
  const server = await startGitServer();
  const { url } = await server.createRepository(manyPages(pages));
  const folder = await mkdtemp(join(tmpdir(), 'colophon-bench-'));
  const clones: number[] = [];
  for (let round = 0; round < rounds; round++) {
    clones.push(await time(() => git(folder, ['clone', '--quiet', url, `clone-${round}`])));
  }
  await onEachEngine(async ({ engine, startService }) => {
    const service = await startService();
    const client = createClient({ baseUrl: service.url, token: service.token });
    const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
    const readable: number[] = [];
    const searchable: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const body = { title: 'Imported' };
      const params = { path: { organizationId } };
      const space = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body }));
      const { revision } = space;
      const began = performance.now();
      await startImport(client, space.id, url);
      await poll(async () => (await readSpace(client, space.id)).revision !== revision);
      readable.push(performance.now() - began);
      await poll(async () => (await latestRun(client, space.id))?.status === 'completed');
      searchable.push(performance.now() - began);
    }
    await service.stop();
    const figure = (label: string, times: number[]): Figure => ({
      name: `import of ${pages.toLocaleString('en')} pages, ${label}, on ${engine}`,
      result: milliseconds(median(times)),
      baseline: `${milliseconds(median(clones))} git clone`,
      ratio: median(times) / median(clones),
    });
    report({ ...figure('to read', readable), target: 'at most 3x' });
    report(figure('to search', searchable));
  });
  await server.close();
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

/** Polls until the condition is true, at an interval that does not affect the measurement. */
async function poll(done: () => Promise<boolean>): Promise<void> {
  const signal = AbortSignal.timeout(120_000);
  while (!(await done())) {
    await delay(25, undefined, { signal });
  }
}
