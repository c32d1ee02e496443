import { createClient, ok } from '../../../client/platform/index.ts';
import { type Amounts, amountFor, type Benchmark, type Checkout } from '../benchmark.ts';
import type { Child } from '../child.ts';
import type { Exchange } from '../children/exchanges.ts';
import { type BenchEngine, onEachEngine } from '../engines.ts';
import { measureInTurn, type RequestCost, type RequestLoad, type Rounds } from '../request-cost.ts';
import { type Figure, median, megabytes, milliseconds, ratioOf } from '../table.ts';
import {
  BARE_SERVER,
  checkServer,
  FIXED_SERVERS,
  FIXED_TOKEN,
  type FixedServer,
  startFixed,
} from './cpu/fixed-servers.ts';

const AMOUNTS: Amounts<Rounds> = {
  full: { warmups: 6000, rounds: 20, requests: 300 },
  small: { warmups: 200, rounds: 5, requests: 60 },
  tiny: { warmups: 0, rounds: 1, requests: 2 },
};

/**
 * CPU of the server for one request compared with bare Express that serves the same bytes: the contract's router
 * alone (routing and validation of the request), other frameworks, and the whole service on each engine. All servers
 * take turns.
 */
export const benchmark: Benchmark = {
  description: 'CPU of requests to the service, to its router alone and to peers, compared with bare Express',
  run: async (size, report, { against }) => {
    const rounds = amountFor(size, AMOUNTS);
    // CI compares two commits, between which only the versions of peers could differ.
    const measured = FIXED_SERVERS.filter(({ isPeer }) => !isPeer || size !== 'small');
    let fixed = measured;
    await onEachEngine(async (engine) => {
      await measureOn(engine, { rounds, fixed, against }, report);
      // Fixed servers have no database.
      fixed = [];
    });
  },
};

/** A server with its row of the table. */
interface Row extends Partial<Omit<FixedServer, 'label'>> {
  label: string;
  server: Child;
  exchanges: readonly Exchange[];
  token: string;
}

interface CpuOptions {
  rounds: Rounds;
  fixed: readonly FixedServer[];
  against: Checkout | undefined;
}

async function measureOn(
  engine: BenchEngine,
  { rounds, fixed, against }: CpuOptions,
  report: (figure: Figure) => void,
): Promise<void> {
  const services = await startServices(engine, against);
  const [{ exchanges }, watched] = services;
  const bare: Row = await startRow(BARE_SERVER, exchanges);
  const rows: Row[] = [];
  for (const item of fixed) {
    const row = await startRow(item, exchanges);
    await checkServer(row.server, item, exchanges);
    rows.push(row);
  }
  rows.push(...services);
  for (const [at, { method, operation }] of exchanges.entries()) {
    const name = `CPU of ${method} ${operation}`;
    const [least, ...costs] = await measureInTurn(
      [bare, ...rows].map((row) => loadOf(row, at, engine.postgresId)),
      rounds,
    );
    for (const [index, { label, targets, comparedWith }] of rows.entries()) {
      const cost = costs[index];
      if (cost && least) {
        report(figure(`${name}, ${label}`, cost, { ...least, label: bare.label }, targets?.[operation]));
      }
      const reference = costs[rows.findIndex((row) => row.label === comparedWith?.label)];
      if (cost && reference && comparedWith) {
        const compared = `${name}, ${label}, compared with ${comparedWith.label}`;
        report(figure(compared, cost, { ...reference, label: comparedWith.label }, comparedWith.target));
      }
    }
  }
  for (const { label, server, memoryTarget } of rows) {
    if (memoryTarget !== undefined) {
      report(memory(label, (await server.usage()).rss, (await bare.server.usage()).rss, memoryTarget));
    }
  }
  report(await scrapeCost(watched, rounds));
  await Promise.all([bare, ...rows].map(({ server }) => server.stop()));
}

/** Starts the service as it is, with metrics, and that of another commit, each with its own database. */
async function startServices(
  { engine, startService, createAnother }: BenchEngine,
  against: Checkout | undefined,
): Promise<[Row, Row, ...Row[]]> {
  const label = `the service on ${engine}`;
  const other = against && `the service of ${against.commit} on ${engine}`;
  const service = await serviceRow(label, await startService(), other ? { label: other } : undefined);
  const metrics = { COLOPHON_METRICS_ADDRESS: '127.0.0.1:0' };
  const watched = await serviceRow(
    `the service with metrics on ${engine}`,
    await (await createAnother()).startService(undefined, metrics),
    { label, target: 'at most 1.1x' },
  );
  return against && other
    ? [service, watched, await serviceRow(other, await (await createAnother()).startService(against.folder))]
    : [service, watched];
}

const serviceRow = async (
  label: string,
  server: Child,
  comparedWith?: Row['comparedWith'],
): Promise<Row> => ({
  label,
  server,
  exchanges: await exchangesOf(server),
  token: server.token,
  ...(comparedWith && { comparedWith }),
});

async function startRow(fixed: FixedServer, exchanges: readonly Exchange[]): Promise<Row> {
  return { ...fixed, server: await startFixed(fixed, exchanges), exchanges, token: FIXED_TOKEN };
}

function loadOf({ server, exchanges, token }: Row, at: number, database: number | undefined): RequestLoad {
  const { method = 'GET', target = '/', send } = exchanges[at] ?? {};
  return { server, method, target, send, token, database };
}

/** The cost of a server compared with that of another one. */
function figure(
  name: string,
  { server, database }: RequestCost,
  baseline: RequestCost & { label: string },
  target?: string,
): Figure {
  const inDatabase = database ? `, and ${database.toFixed(0)} µs in PostgreSQL` : '';
  return {
    name,
    result: `${server.toFixed(0)} µs${inDatabase}`,
    baseline: `${baseline.server.toFixed(0)} µs ${baseline.label}`,
    ratio: ratioOf(server, baseline.server),
    ...(target !== undefined && { target }),
  };
}

/** Interval of the scrapes of a server in milliseconds, as Prometheus is usually set up. */
const SCRAPE_INTERVAL_MS = 15_000;

/** The cost of reading the metrics of a server. */
async function scrapeCost({ label, server }: Pick<Row, 'label' | 'server'>, rounds: Rounds): Promise<Figure> {
  const costs: number[] = [];
  for (let round = 0; round < rounds.rounds; round++) {
    const before = await server.usage();
    await (await fetch(server.metricsUrl ?? '')).text();
    costs.push(((await server.usage()).cpu - before.cpu) / 1000);
  }
  const cost = median(costs);
  const share = ((100 * cost) / SCRAPE_INTERVAL_MS).toFixed(2);
  return {
    name: `CPU of a scrape, ${label}`,
    result: `${milliseconds(cost)}, ${share} % of a processor at one scrape in 15 s`,
  };
}

/** The memory of a server after all requests. */
const memory = (label: string, rss: number, baseline: number, target: string): Figure => ({
  name: `memory after the requests, ${label}`,
  result: megabytes(rss),
  baseline: `${megabytes(baseline)} ${BARE_SERVER.label}`,
  ratio: ratioOf(rss, baseline),
  target,
});

/** One resource, a list of 20 and a creation, with the responses of the service. */
async function exchangesOf({ url, token }: Child): Promise<Exchange[]> {
  const client = createClient({ baseUrl: url, token });
  const [organization] = (await ok(client.GET('/v1/orgs'))).items;
  const params = { path: { organizationId: organization?.id ?? '' } };
  const collections = `/v1/orgs/${params.path.organizationId}/collections`;
  for (let index = 0; index < 20; index++) {
    await ok(
      client.POST('/v1/orgs/{organizationId}/collections', { params, body: { title: `Part ${index}` } }),
    );
  }
  const body = { title: 'Guide' };
  const space = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body }));
  const requested: Pick<Exchange, 'operation' | 'method' | 'target' | 'send'>[] = [
    { operation: 'getSpace', method: 'GET', target: `/v1/spaces/${space.id}` },
    { operation: 'listCollections', method: 'GET', target: `${collections}?limit=20` },
    { operation: 'createCollection', method: 'POST', target: collections, send: { title: 'One more' } },
  ];
  const exchanges: Exchange[] = [];
  for (const item of requested) {
    const response = await fetch(`${url}${item.target}`, {
      method: item.method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(item.send && { body: JSON.stringify(item.send) }),
    });
    const { pathname } = new URL(response.url);
    const location = response.headers.get('Location');
    const headers = location === null ? {} : { Location: location };
    exchanges.push({ ...item, pathname, status: response.status, headers, body: await response.json() });
  }
  return exchanges;
}
