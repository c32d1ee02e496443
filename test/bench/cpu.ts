import { createClient, ok } from '../../client/platform/index.ts';
import { type Child, cpuPerRequest, startChild } from './child.ts';
import { type Exchange, exchangesFor } from './children/exchanges.ts';
import { onEachEngine } from './engines.ts';
import type { Figure } from './table.ts';

/**
 * CPU of the server for one request compared with bare Express that serves the same bytes: the contract's router
 * alone (routing and validation of the request), and the whole service on each engine. Excludes the CPU of the
 * database server.
 */
export async function measureCpu(): Promise<Figure[]> {
  const bare = new Map<string, number>();
  const figures: Figure[] = [];
  await onEachEngine(async ({ engine, environment }) => {
    const service = await startChild('service', environment);
    const exchanges = await exchangesOf(service);
    if (bare.size === 0) {
      for (const name of ['express', 'contract'] as const) {
        const child = await startChild(name, exchangesFor(exchanges));
        for (const exchange of exchanges) {
          const cost = await cpuPerRequest(child, { ...exchange, token: 'token' });
          if (name === 'express') {
            bare.set(exchange.operation, cost);
          } else {
            figures.push(figure(exchange, 'the contract alone', cost, bare, exchange.method === 'GET'));
          }
        }
        await child.stop();
      }
    }
    for (const exchange of exchanges) {
      const cost = await cpuPerRequest(service, { ...exchange, token: service.token });
      figures.push(figure(exchange, `the service on ${engine}`, cost, bare, false));
    }
    await service.stop();
  });
  const order = ['getSpace', 'listCollections', 'createCollection'];
  return order.flatMap((id) => figures.filter(({ name }) => name.includes(id)));
}

function figure(
  { operation, method }: Exchange,
  label: string,
  cost: number,
  bare: ReadonlyMap<string, number>,
  aimed: boolean,
): Figure {
  const least = bare.get(operation) ?? Number.NaN;
  return {
    name: `CPU of ${method} ${operation}, ${label}`,
    result: `${cost.toFixed(0)} µs`,
    baseline: `${least.toFixed(0)} µs bare Express`,
    ratio: cost / least,
    ...(aimed && { target: 'at most 2x' }),
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
