import { createClient, ok } from '../../../client/platform/index.ts';
import { findPostgres } from '../../support/database/postgres.ts';
import { type Amounts, amountFor, type Benchmark } from '../benchmark.ts';
import type { Child } from '../child.ts';
import { createEngine, type Postgres, servePostgres } from '../engines.ts';
import { usageOfTree } from '../processes.ts';
import { type Figure, median, milliseconds, ratioOf, time } from '../table.ts';

/** Amounts of work of a run. */
interface ContentionAmounts {
  /** Numbers of servers that share the database. */
  servers: readonly number[];
  /** Numbers of concurrent writers, divided among the servers. */
  writers: readonly number[];
  /** Creations in one organization by all writers. */
  creations: number;
  /** Creations of each server that are not measured, while the compiler warms up. */
  warmups: number;
  rounds: number;
}

const AMOUNTS: Amounts<ContentionAmounts> = {
  full: { servers: [1, 2, 4], writers: [4, 200], creations: 200, warmups: 200, rounds: 9 },
  tiny: { servers: [1, 2], writers: [2], creations: 4, warmups: 0, rounds: 1 },
};

/** Cost of creations. */
interface ContentionCost {
  elapsedMs: number;
  /** CPU of all servers for one creation. */
  serversMs: number;
  /** CPU of PostgreSQL for one creation; 0 if it was not started for this benchmark. */
  databaseMs: number;
}

/**
 * Creations in one organization, whose writers take turns, through several servers that share a database of PostgreSQL,
 * compared with one server: with as many writers as servers, each creation follows one of another server.
 */
export const benchmark: Benchmark = {
  description: 'creations that take turns, through several servers of one database, compared with one server',
  run: async (size, report) => {
    if (findPostgres()) {
      const postgres = await servePostgres();
      await measureOn(postgres, amountFor(size, AMOUNTS), report);
      await postgres.stop();
    }
  },
};

async function measureOn(
  postgres: Postgres,
  { servers: counts, writers, creations, warmups, rounds }: ContentionAmounts,
  report: (figure: Figure) => void,
): Promise<void> {
  const servers = await startServers(postgres, Math.max(...counts));
  const create = await creatorsOf(servers);
  const createAll = async (serverCount: number, writerCount: number, total: number) => {
    let left = total;
    const write = async (index: number) => {
      while (left > 0) {
        left -= 1;
        await create[index % serverCount]?.();
      }
    };
    await Promise.all(Array.from({ length: Math.min(writerCount, total) }, (_, index) => write(index)));
  };
  for (const writerCount of writers) {
    await createAll(servers.length, writerCount, warmups * servers.length);
    const costs = new Map(counts.map((count) => [count, [] as ContentionCost[]]));
    for (let round = 0; round < rounds; round++) {
      for (const [count, measured] of costs) {
        const before = await cpuOf(servers, postgres);
        const elapsedMs = await time(() => createAll(count, writerCount, creations));
        const after = await cpuOf(servers, postgres);
        measured.push({
          elapsedMs,
          serversMs: (after.serversMs - before.serversMs) / creations,
          databaseMs: (after.databaseMs - before.databaseMs) / creations,
        });
      }
    }
    reportCosts(`${creations} creations by ${writerCount} writers`, costs, report);
  }
  await Promise.all(servers.map((server) => server.stop()));
}

/** Starts servers that share a database. The first one creates its tables and the token. */
async function startServers(postgres: Postgres, count: number): Promise<Child[]> {
  const { startService } = await createEngine({ postgres });
  const servers: Child[] = [];
  while (servers.length < count) {
    servers.push(await startService());
  }
  return servers;
}

/** Returns for each server a function that creates a collection through it, all in one organization. */
async function creatorsOf(servers: readonly Child[]): Promise<Array<() => Promise<unknown>>> {
  const token = servers[0]?.token ?? '';
  const clients = servers.map(({ url }) => createClient({ baseUrl: url, token }));
  const organizations = clients[0] && (await ok(clients[0].GET('/v1/orgs')));
  const params = { path: { organizationId: organizations?.items[0]?.id ?? '' } };
  return clients.map(
    (client) => () => ok(client.POST('/v1/orgs/{organizationId}/collections', { params, body: {} })),
  );
}

/** Returns the CPU of the servers with their job processes, and of PostgreSQL, so far. */
async function cpuOf(
  servers: readonly Child[],
  { id }: Postgres,
): Promise<{ serversMs: number; databaseMs: number }> {
  const usages = await Promise.all(servers.map(({ pid }) => usageOfTree(pid)));
  return {
    serversMs: usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    databaseMs: id === undefined ? 0 : (await usageOfTree(id)).cpuMs,
  };
}

function reportCosts(
  label: string,
  costs: ReadonlyMap<number, readonly ContentionCost[]>,
  report: (figure: Figure) => void,
): void {
  let least: { elapsedMs: number; cpuMs: number } | undefined;
  for (const [count, rounds] of costs) {
    const elapsedMs = median(rounds.map((round) => round.elapsedMs));
    const serversMs = mean(rounds.map((round) => round.serversMs));
    const databaseMs = mean(rounds.map((round) => round.databaseMs));
    const cpuMs = serversMs + databaseMs;
    least ??= { elapsedMs, cpuMs };
    const name = `${label}, through ${count === 1 ? '1 server' : `${count} servers`}`;
    report({
      name: `${name}, duration`,
      result: milliseconds(elapsedMs),
      baseline: `${milliseconds(least.elapsedMs)} one server`,
      ratio: ratioOf(elapsedMs, least.elapsedMs),
    });
    report({
      name: `${name}, CPU of each`,
      result: `${milliseconds(serversMs)} Node and ${milliseconds(databaseMs)} PostgreSQL`,
      baseline: `${milliseconds(least.cpuMs)} one server`,
      ratio: ratioOf(cpuMs, least.cpuMs),
      target: 'at most 1.5x',
    });
  }
}

/** Unlike a median, it is accurate for a clock that ticks rarely. */
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
