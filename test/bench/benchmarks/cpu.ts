import { createClient, ok } from '../../../client/platform/index.ts';
import { type Amounts, amountFor, type Benchmark, type Checkout } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import { type Exchange, exchangesFor } from '../children/exchanges.ts';
import { type BenchEngine, onEachEngine } from '../engines.ts';
import { measureInTurn, type RequestCost, type RequestLoad, type Rounds } from '../request-cost.ts';
import type { Figure } from '../table.ts';

const AMOUNTS: Amounts<Rounds> = {
  full: { warmups: 500, rounds: 5, requests: 300 },
  small: { warmups: 200, rounds: 5, requests: 60 },
  tiny: { warmups: 0, rounds: 1, requests: 2 },
};

/** Servers that return the same bytes as the service, without identity and database. */
const FIXED_SERVERS = [{ name: 'contract', label: 'the contract alone', target: 'at most 2x' }] as const;

/**
 * CPU of the server for one request compared with bare Express that serves the same bytes: the contract's router
 * alone (routing and validation of the request), and the whole service on each engine. All servers take turns.
 */
export const benchmark: Benchmark = {
  description: 'CPU of requests to the service and to its router alone, compared with bare Express',
  run: async (size, report, { against }) => {
    const rounds = amountFor(size, AMOUNTS);
    let isFirst = true;
    await onEachEngine(async (engine) => {
      await measureOn(engine, { rounds, withFixed: isFirst, against }, report);
      isFirst = false;
    });
  },
};

/** A server with its row of the table. */
interface Row {
  label: string;
  target?: string;
  server: Child;
  exchanges: readonly Exchange[];
  token: string;
}

interface CpuOptions {
  rounds: Rounds;
  /** Whether the {@link FIXED_SERVERS} are measured too. */
  withFixed: boolean;
  against: Checkout | undefined;
}

async function measureOn(
  { engine, startService, createAnother, postgresId }: BenchEngine,
  { rounds, withFixed, against }: CpuOptions,
  report: (figure: Figure) => void,
): Promise<void> {
  const service = await startService();
  const exchanges = await exchangesOf(service);
  const fixed = async (name: 'express' | 'contract') => ({
    server: await startChild(name, exchangesFor(exchanges)),
    exchanges,
    token: 'token',
  });
  const bare: Row = { label: 'bare Express', ...(await fixed('express')) };
  const rows: Row[] = [];
  for (const { name, label, target } of withFixed ? FIXED_SERVERS : []) {
    rows.push({ label, target, ...(await fixed(name)) });
  }
  rows.push({ label: `the service on ${engine}`, server: service, exchanges, token: service.token });
  const other = against && (await (await createAnother()).startService(against.folder));
  if (against && other) {
    const label = `the service of ${against.commit} on ${engine}`;
    rows.push({ label, server: other, exchanges: await exchangesOf(other), token: other.token });
  }
  for (const [at, exchange] of exchanges.entries()) {
    const loads = [bare, ...rows].map((row) => loadOf(row, at, postgresId));
    const [least, ...costs] = await measureInTurn(loads, rounds);
    for (const [index, { label, target }] of rows.entries()) {
      const [cost, minimum] = [costs[index], least];
      if (cost && minimum) {
        report(figure(`CPU of ${exchange.method} ${exchange.operation}, ${label}`, cost, minimum, target));
      }
    }
    const [own, before] = costs.slice(-2);
    if (against && own && before) {
      report(change(`CPU of ${exchange.method} ${exchange.operation} on ${engine}`, own, before, against));
    }
  }
  await Promise.all([bare, ...rows].map(({ server }) => server.stop()));
}

function loadOf({ server, exchanges, token }: Row, at: number, database: number | undefined): RequestLoad {
  const { method = 'GET', target = '/', send } = exchanges[at] ?? {};
  return { server, method, target, send, token, database };
}

function figure(
  name: string,
  { server, database }: RequestCost,
  least: RequestCost,
  target: string | undefined,
): Figure {
  const inDatabase = database ? `, and ${database.toFixed(0)} µs in PostgreSQL` : '';
  return {
    name,
    result: `${server.toFixed(0)} µs${inDatabase}`,
    baseline: `${least.server.toFixed(0)} µs bare Express`,
    ratio: server / least.server,
    ...(target !== undefined && { target }),
  };
}

/** The cost of this commit compared with another one. */
function change(name: string, own: RequestCost, before: RequestCost, { commit }: Checkout): Figure {
  return {
    name: `${name}, compared with ${commit}`,
    result: `${own.server.toFixed(0)} µs`,
    baseline: `${before.server.toFixed(0)} µs ${commit}`,
    ratio: own.server / before.server,
  };
}

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
    exchanges.push({ ...item, pathname, status: response.status, body: await response.json() });
  }
  return exchanges;
}
