import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, ok, waitForRun } from '../../../client/platform/index.ts';
import { manyPages } from '../../support/content/repositories.ts';
import { type ServedRepository, startGitServer } from '../../support/git/git-server.ts';
import { type Amounts, amountFor, type Benchmark, type Size } from '../benchmark.ts';
import type { Child } from '../child.ts';
import { onEachEngine } from '../engines.ts';
import { usageOfTree } from '../processes.ts';
import { type Figure, milliseconds, ratioOf } from '../table.ts';

/** Amounts of work of a run. */
interface ReimportAmounts {
  pages: number;
  /** Imports of each change; the cheapest one counts, as others are delayed by the machine. */
  rounds: number;
  /** Idle time of the service before a measurement. */
  idleMs: number;
}

const AMOUNTS: Amounts<ReimportAmounts> = {
  full: { pages: 2000, rounds: 8, idleMs: 1500 },
  tiny: { pages: 5, rounds: 1, idleMs: 0 },
};

/** Cost of an import, until its pages can be found by search. */
interface Cost {
  /** CPU time of all processes of the service, including git. */
  cpuMs: number;
  elapsedMs: number;
}

/** A change of the repository; its number makes each one different. */
type Change = (repository: ServedRepository, round: number) => Promise<unknown>;

function changesOf(files: Readonly<Record<string, string>>): Readonly<Record<string, Change>> {
  const pages = Object.keys(files).filter((path) => path.endsWith('.md') && path !== 'SUMMARY.md');
  const changed = pages[Math.floor(pages.length / 10)] ?? '';
  // In the middle of the pages.
  const title = `[Page ${Math.floor(pages.length / 4)}]`;
  return {
    'one page': (repository, round) =>
      repository.update({ [changed]: `# Changed\n\nText ${round} about [the start](/README.md).\n` }),
    'one line of SUMMARY.md': (repository, round) =>
      repository.update({
        'SUMMARY.md': files['SUMMARY.md']?.replace(title, `[Changed ${round}]`) ?? '',
      }),
  };
}

/** Imports after small changes of a repository, compared with its first import in the same run. */
export const benchmark: Benchmark = {
  description: 'imports of a Git repository after small changes, compared with its first import',
  run,
};

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const { pages, rounds, idleMs } = amountFor(size, AMOUNTS);
  const files = manyPages(pages);
  const changes = changesOf(files);
  const server = await startGitServer();
  await onEachEngine(async ({ engine, startService }) => {
    const repository = await server.createRepository(files);
    const service = await startService();
    const client = createClient({ baseUrl: service.url, token: service.token });
    const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
    const inOrganization = { path: { organizationId } };
    const firsts: Cost[] = [];
    let spaceId = '';
    for (let round = 0; round < 2; round++) {
      const created = client.POST('/v1/orgs/{organizationId}/spaces', { params: inOrganization, body: {} });
      spaceId = (await ok(created)).id;
      firsts.push(await costOfImport(service, client, spaceId, repository.url, idleMs));
    }
    const first = cheapest(firsts);
    // In turn, so that both kinds of changes find the same compiled code and the same heap.
    const costsOf = new Map(Object.keys(changes).map((label) => [label, [] as Cost[]]));
    for (let round = 0; round < rounds; round++) {
      for (const [label, change] of Object.entries(changes)) {
        await change(repository, round);
        costsOf.get(label)?.push(await costOfImport(service, client, spaceId, repository.url, idleMs));
      }
    }
    for (const [label, costs] of costsOf) {
      const again = cheapest(costs);
      for (const [measure, of] of [
        ['CPU', 'cpuMs'],
        ['time', 'elapsedMs'],
      ] as const) {
        report({
          name: `${measure} of another import of ${pages.toLocaleString('en')} pages after a change of ${label}, on ${engine}`,
          result: milliseconds(again[of]),
          baseline: `${milliseconds(first[of])} first import`,
          ratio: ratioOf(again[of], first[of]),
          target: 'at most 0.1x',
        });
      }
    }
    await service.stop();
  });
  await server.close();
}

async function costOfImport(
  service: Child,
  client: Client,
  spaceId: string,
  url: string,
  idleMs: number,
): Promise<Cost> {
  await delay(idleMs);
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
