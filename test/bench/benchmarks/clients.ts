import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { amountFor, type Benchmark, type Size } from '../benchmark.ts';
import { type Figure, median } from '../table.ts';

/** CPU of a call, with a `fetch` that returns at once, through this client, openapi-fetch and the client of hey-api. */
export const benchmark: Benchmark = {
  description: 'CPU of a call with a stubbed fetch through this client, openapi-fetch and that of hey-api',
  run,
};

type Calls = Record<string, () => Promise<unknown>>;

/** What the measured clients have in common. They are bundled, so that all of them are JavaScript. */
interface Clients {
  clientsOf(fetch: (request: Request) => Promise<Response>, baseUrl: string): Record<string, Calls>;
}

const BODY = JSON.stringify({ id: 'spc_guide', title: 'Guide', visibility: 'private', urls: { app: '' } });

/** Calls each client as its generated function does. That of hey-api is written as its generator writes it. */
const CLIENTS = (hey: string) => `
import openapiFetch from 'openapi-fetch';
import { createClient, getSpace, listSpaces, createChangeRequest } from './client/platform/index.ts';
import { createClient as createHey, createConfig } from ${JSON.stringify(hey)};
const security = [{ scheme: 'bearer', type: 'http' }];
export function clientsOf(fetch, baseUrl) {
  const own = createClient({ baseUrl, fetch, token: 'token' });
  const bare = openapiFetch({ baseUrl, fetch, headers: { Authorization: 'Bearer token' } });
  const hey = createHey(createConfig({ baseUrl, fetch, auth: () => 'token', throwOnError: true }));
  const read = ({ data }) => data;
  return {
    own: {
      GET: () => getSpace(own, { spaceId: 'spc_guide' }),
      'GET with a query': () => listSpaces(own, { organizationId: 'org_acme', limit: 20, page: 'two' }),
      'POST of JSON': () => createChangeRequest(own, { spaceId: 'spc_guide', body: { subject: 'Guide' } }),
    },
    'openapi-fetch': {
      GET: () => bare.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId: 'spc_guide' } } }).then(read),
      'GET with a query': () => bare.GET('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: 'org_acme' }, query: { limit: 20, page: 'two' } },
      }).then(read),
      'POST of JSON': () => bare.POST('/v1/spaces/{spaceId}/change-requests', {
        params: { path: { spaceId: 'spc_guide' } }, body: { subject: 'Guide' },
      }).then(read),
    },
    'hey-api': {
      GET: () => hey.get({ security, url: '/v1/spaces/{spaceId}', path: { spaceId: 'spc_guide' } }).then(read),
      'GET with a query': () => hey.get({
        security, url: '/v1/orgs/{organizationId}/spaces', path: { organizationId: 'org_acme' },
        query: { limit: 20, page: 'two' },
      }).then(read),
      'POST of JSON': () => hey.post({
        security, url: '/v1/spaces/{spaceId}/change-requests', path: { spaceId: 'spc_guide' },
        body: { subject: 'Guide' }, headers: { 'Content-Type': 'application/json' },
      }).then(read),
    },
  };
}`;

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const amounts = { full: { rounds: 200, calls: 300 }, tiny: { rounds: 4, calls: 5 } };
  await measureCalls(amountFor(size, amounts), report);
}

/**
 * Measures the clients in turn, in rounds with changing order, so that other work of the machine slows all of them. The
 * ratio is the median of the ratios of the rounds.
 */
async function measureCalls(
  { rounds, calls }: { rounds: number; calls: number },
  report: (figure: Figure) => void,
): Promise<void> {
  const clients = await loadClients();
  const fetch = async () => new Response(BODY, { headers: { 'Content-Type': 'application/json' } });
  const all = Object.entries(clients.clientsOf(fetch, 'https://docs.example.com'));
  const times = all.map(() => new Map<string, number[]>());
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < all.length; turn++) {
      const index = (round + turn) % all.length;
      for (const [name, call] of Object.entries(all[index]?.[1] ?? {})) {
        const of = times[index]?.get(name) ?? [];
        times[index]?.set(name, [...of, await timeOf(call, calls)]);
      }
    }
  }
  const [, , reference] = times;
  for (const [index, [client]] of all.slice(0, -1).entries()) {
    for (const [name, measured] of times[index] ?? []) {
      // The compiler warms up in the first rounds.
      const [values, others] = [measured, reference?.get(name) ?? []].map((list) => list.slice(rounds / 4));
      if (values === undefined || others === undefined) {
        continue;
      }
      report({
        name: `${name} through ${client === 'own' ? 'this client' : client}`,
        result: summaryOf(values),
        baseline: `${summaryOf(others)} hey-api`,
        ratio: median(values.map((value, round) => value / (others[round] ?? Number.NaN))),
        ...(client === 'own' && { target: '1x' }),
      });
    }
  }
}

const summaryOf = (values: readonly number[]): string =>
  `${median(values).toFixed(1)} (minimum ${Math.min(...values).toFixed(1)}) µs`;

/** Returns the microseconds of a call. The stub needs no other thread, so that they are those of the CPU. */
async function timeOf(call: () => Promise<unknown>, calls: number): Promise<number> {
  const start = performance.now();
  for (let index = 0; index < calls; index++) {
    await call();
  }
  return ((performance.now() - start) * 1000) / calls;
}

async function loadClients(): Promise<Clients> {
  const root = join(import.meta.dirname, '../../..');
  // The package exports only its generator, which copies the modules of this folder.
  const generator = dirname(fileURLToPath(import.meta.resolve('@hey-api/openapi-ts')));
  const outfile = join(process.env.TMPDIR ?? root, 'clients.mjs');
  await build({
    stdin: { contents: CLIENTS(join(generator, 'clients/fetch/index.ts')), resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    target: 'es2024',
    outfile,
  });
  return await import(pathToFileURL(outfile).href);
}
