import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, ok, waitForRun } from '../../client/platform/index.ts';
import { type ServedRepository, startGitServer } from '../support/git-server.ts';
import { manyPages } from '../support/repositories.ts';
import { type Child, startChild } from './child.ts';
import { onEachEngine } from './engines.ts';
import { usageOfTree } from './processes.ts';
import { type Figure, milliseconds } from './table.ts';

const PAGES = 2000;
/** Imports of each change; the cheapest one counts, as others are delayed by the machine. */
const ROUNDS = 8;
/** Time for which the service rests before a measurement. */
const IDLE_MS = 1500;

/** Cost of an import, until its pages can be found by search. */
interface Cost {
  /** CPU time of all processes of the service, including git. */
  cpuMs: number;
  elapsedMs: number;
}

/** A change of the repository; its number makes each one different. */
type Change = (repository: ServedRepository, round: number) => Promise<unknown>;

const CHANGES: Readonly<Record<string, Change>> = {
  'one page': (repository, round) =>
    repository.update({
      'group-7/page-175.md': `# Page 175\n\nText ${round} about [page 180](page-180.md).\n`,
    }),
  'one line of SUMMARY.md': async (repository, round) => {
    const { 'SUMMARY.md': summary } = manyPages(PAGES);
    return await repository.update({
      'SUMMARY.md': summary?.replace('[Page 500]', `[Page 500, ${round}]`) ?? '',
    });
  },
};

/** Imports after small changes of a repository of 2,000 pages, compared with its first import in the same run. */
export async function measureReimport(): Promise<Figure[]> {
  const server = await startGitServer();
  const figures = await onEachEngine(async ({ engine, environment }) => {
    const repository = await server.createRepository(manyPages(PAGES));
    const service = await startChild('service', environment);
    const client = createClient({ baseUrl: service.url, token: service.token });
    const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
    const inOrganization = { path: { organizationId } };
    const firsts: Cost[] = [];
    let spaceId = '';
    for (let round = 0; round < 2; round++) {
      const created = client.POST('/v1/orgs/{organizationId}/spaces', { params: inOrganization, body: {} });
      spaceId = (await ok(created)).id;
      firsts.push(await costOfImport(service, client, spaceId, repository.url));
    }
    const first = cheapest(firsts);
    const rows: Figure[] = [];
    // In turn, so that both kinds of changes find the same compiled code and the same heap.
    const costsOf = new Map(Object.keys(CHANGES).map((label) => [label, [] as Cost[]]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [label, change] of Object.entries(CHANGES)) {
        await change(repository, round);
        costsOf.get(label)?.push(await costOfImport(service, client, spaceId, repository.url));
      }
    }
    for (const [label, costs] of costsOf) {
      const again = cheapest(costs);
      for (const [measure, of] of [
        ['CPU', 'cpuMs'],
        ['time', 'elapsedMs'],
      ] as const) {
        rows.push({
          name: `${measure} of another import of ${PAGES.toLocaleString('en')} pages after a change of ${label}, on ${engine}`,
          result: milliseconds(again[of]),
          baseline: `${milliseconds(first[of])} first import`,
          ratio: again[of] / first[of],
          target: 'at most 0.1x',
        });
      }
    }
    await service.stop();
    return rows;
  });
  await server.close();
  return figures.flat();
}

async function costOfImport(service: Child, client: Client, spaceId: string, url: string): Promise<Cost> {
  await delay(IDLE_MS);
  const before = await usageOfTree(service.pid);
  const began = performance.now();
  const params = { path: { spaceId } };
  const body = { url, ref: 'refs/heads/main' };
  await waitForRun(client, client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
  const elapsedMs = performance.now() - began;
  return { cpuMs: (await usageOfTree(service.pid)).cpuMs - before.cpuMs, elapsedMs };
}

/** Returns the lowest CPU and the lowest time of several measurements. */
function cheapest(costs: readonly Cost[]): Cost {
  return {
    cpuMs: Math.min(...costs.map(({ cpuMs }) => cpuMs)),
    elapsedMs: Math.min(...costs.map(({ elapsedMs }) => elapsedMs)),
  };
}
