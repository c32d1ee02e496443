import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, ok } from '../../client/index.ts';
import { type Child, startChild } from './child.ts';
import type { Delays, Probe } from './children/prober.ts';
import { onEachEngine } from './places.ts';
import { LOADS, type LoadTarget, prepareLoads } from './stalls-loads.ts';
import { type Figure, milliseconds } from './table.ts';

/** The least time that a load is measured for: a hundred requests of the second caller. */
const MEASURED_MS = 1000;
/** A load that takes longer is measured up to here. */
const LOAD_LIMIT_MS = 120_000;

/**
 * What a second caller waits for answers while the first one sends what is large or hostile: 99th percentile and
 * longest, beside what it waits while nothing else is asked for.
 */
export async function measureStalls(): Promise<Figure[]> {
  const sources = await prepareLoads();
  const figures = await onEachEngine(async ({ engine, environment }) => {
    const service = await startChild('service', { ...environment, COLOPHON_OUTGOING_ALLOW: '127.0.0.0/8' });
    const target = await loadTarget(service, sources);
    const prober = await startProber(service, target.client);
    await prober.report();
    await delay(5 * MEASURED_MS);
    const idle = await prober.report();
    const rows = [figure('nothing', engine, idle, idle)];
    for (const [what, load] of Object.entries(LOADS)) {
      const began = performance.now();
      // What the first caller sends may be refused: it is the second one who is measured.
      const outcome = await Promise.race([
        load(target).then(
          () => '',
          (error: unknown) => ` (${String(error).slice(0, 80)})`,
        ),
        delay(LOAD_LIMIT_MS, ' (not over after two minutes)'),
      ]);
      await delay(Math.max(0, MEASURED_MS - (performance.now() - began)));
      const found = figure(what + outcome, engine, await prober.report(), idle);
      // The whole takes minutes, so each load is reported as it ends.
      console.error(`${found.what}: ${found.ours}`);
      rows.push(found);
    }
    prober.child.kill('SIGKILL');
    await service.stop();
    return rows;
  });
  await sources.close();
  return figures.flat();
}

function figure(what: string, engine: string, found: Delays, idle: Delays): Figure {
  const refused = found.failed > 0 ? `, ${found.failed} failed` : '';
  return {
    what: `a second caller during ${what}, on ${engine}`,
    ours: `p99 ${milliseconds(found.p99)}, max ${milliseconds(found.max)} of ${found.count}${refused}`,
    beside: `p99 ${milliseconds(idle.p99)} at rest`,
    ratio: found.p99 / idle.p99,
    aim: 'p99 under 50 ms, max under 250 ms',
  };
}

async function loadTarget(service: Child, sources: LoadTarget['sources']): Promise<LoadTarget> {
  const client = createClient({
    baseUrl: service.url,
    token: service.token,
    retries: 0,
    timeout: LOAD_LIMIT_MS,
  });
  const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
  return { service, client, organizationId, sources };
}

async function startProber(
  service: Child,
  client: Client,
): Promise<{ child: ChildProcess; report(): Promise<Delays> }> {
  // An organization of its own: what bounds the first caller's leaves the second one's alone.
  const { id } = await ok(client.POST('/v1/orgs', { body: { title: 'Second' } }));
  const params = { path: { organizationId: id } };
  const space = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }));
  const child = fork(join(import.meta.dirname, 'children', 'prober.ts'));
  const targets = [
    '/v1/user',
    `/v1/spaces/${space.id}`,
    `/v1/orgs/${id}/spaces`,
    `/v1/spaces/${space.id}/content/pages`,
  ];
  child.send({ url: service.url, token: service.token, targets } satisfies Probe);
  await once(child, 'message');
  return {
    child,
    report: async () => {
      child.send('report');
      // The child sends what its interface says.
      const [found] = (await once(child, 'message')) as [Delays];
      return found;
    },
  };
}
