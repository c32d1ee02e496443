import { measureModules, measureOneCall } from '../../../client/build/size.ts';
import { createClient, ok } from '../../../client/platform/index.ts';
import { amountFor, type Benchmark, type Size } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { exchangesFor } from '../children/exchanges.ts';
import { type Figure, ratioOf } from '../table.ts';

/** CPU of the caller for one call through the client compared with a bare fetch, and the size of the client. */
export const benchmark: Benchmark = {
  description: 'CPU of a call through the client compared with a bare fetch, and the size of the client',
  run,
};

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const calls = amountFor(size, { full: 2000, tiny: 10 });
  const body = { id: 'usr_1', displayName: 'Ada', email: 'ada@example.com', urls: { location: '' } };
  const pathname = '/v1/user';
  const exchange = {
    operation: 'getCurrentUser',
    method: 'GET',
    target: pathname,
    pathname,
    status: 200,
    body,
  };
  const { url, stop } = await startChild('express', exchangesFor([{ ...exchange, method: 'GET' }]));
  const client = createClient({ baseUrl: url, token: 'token' });
  const through = () => ok(client.GET('/v1/user'));
  const bare = async () => {
    const response = await fetch(`${url}/v1/user`, { headers: { Authorization: 'Bearer token' } });
    return await response.json();
  };
  const costs = { through: 0, bare: 0 };
  for (let round = 0; round < 5; round++) {
    const [first, second] = [await cpuOf(through, calls), await cpuOf(bare, calls)];
    // The first round warms up the compiler.
    if (round > 0) {
      costs.through += first / 4;
      costs.bare += second / 4;
    }
  }
  await stop();
  report({
    name: 'CPU of a call through the client',
    result: `${costs.through.toFixed(0)} µs`,
    baseline: `${costs.bare.toFixed(0)} µs bare fetch`,
    ratio: ratioOf(costs.through, costs.bare),
  });
  const { minified, gzip } = await measureOneCall();
  report({
    name: 'size of an application with one call',
    result: `${gzip} B gzip`,
    baseline: `${minified} B minified`,
  });
  for (const module of await measureModules()) {
    report({
      name: `  of it ${module.name}`,
      result: `${module.gzip} B gzip`,
      baseline: `${module.minified} B minified`,
    });
  }
}

async function cpuOf(call: () => Promise<unknown>, calls: number): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < calls; index++) {
    await call();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}
