import { createClient, ok } from '../../../client/platform/index.ts';
import { REPLICA_CHECK_INTERVAL_MS } from '../../../server/database/replicas/replicas.ts';
import { findPostgres, start, withDatabase } from '../../support/database/postgres.ts';
import { type Amounts, amountFor, type Benchmark } from '../benchmark.ts';
import type { Child } from '../child.ts';
import { createEngine } from '../engines.ts';
import { measureInTurn, type RequestCost, type Rounds } from '../request-cost.ts';
import { type Figure, ratioOf } from '../table.ts';

const AMOUNTS: Amounts<Rounds> = {
  full: { warmups: 1500, rounds: 9, requests: 1000 },
  tiny: { warmups: 1, rounds: 1, requests: 1 },
};

/** The CPU of reads with a replica, in the server, the primary and the replica, compared with a server without one. */
export const benchmark: Benchmark = {
  description: 'CPU of reads in the primary and in a replica, compared with reads without a replica',
  run: async (size, report) => {
    const postgres = findPostgres();
    // A server that was not started here cannot be copied.
    if (postgres && 'binaries' in postgres) {
      await measureOn(postgres.binaries, amountFor(size, AMOUNTS), report);
    }
  },
};

async function measureOn(binaries: string, rounds: Rounds, report: (figure: Figure) => void): Promise<void> {
  const primary = await start(binaries);
  const postgres = { url: primary.url, id: primary.id(), stop: primary.stop };
  const engine = await createEngine({ postgres });
  const alone = await engine.startService();
  const replica = await start(binaries, { primary });
  const [, database = ''] = 'url' in engine.location ? (/\/([^/?]+)\?/.exec(engine.location.url) ?? []) : [];
  const variables = { DATABASE_READ_URL: withDatabase(replica.url, database) };
  const reading = await engine.startService(undefined, variables);
  const { token } = alone;
  const client = createClient({ baseUrl: alone.url, token });
  const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
  const params = { path: { organizationId } };
  const { id } = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }));
  // Until the replica has the writes of the caller, the primary serves it.
  await new Promise((resolve) => setTimeout(resolve, 4 * REPLICA_CHECK_INTERVAL_MS));
  for (const [name, target] of [
    ['getSpace', `/v1/spaces/${id}`],
    ['listSpaces', `/v1/orgs/${organizationId}/spaces`],
  ] as const) {
    const load = (server: Child, id: number | undefined) =>
      ({ server, method: 'GET', target, token, database: id }) as const;
    const [baseline, onPrimary, onReplica] = await measureInTurn(
      [load(alone, primary.id()), load(reading, primary.id()), load(reading, replica.id())],
      rounds,
    );
    for (const [place, cost] of [
      ['the primary', onPrimary],
      ['the replica', onReplica],
    ] as const) {
      if (baseline && cost) {
        report({
          name: `CPU of GET ${name} in the server, and in ${place} with a replica`,
          result: describe(cost),
          baseline: `${describe(baseline)} in the primary without`,
          ratio: ratioOf(cost.database ?? 0, baseline.database ?? 0),
        });
      }
    }
  }
  await alone.stop();
  await reading.stop();
  await replica.stop();
  await primary.stop();
}

const describe = ({ server, database = 0 }: RequestCost): string =>
  `${server.toFixed(0)} µs, and ${database.toFixed(0)} µs`;
