// Runs on one engine: service/metrics.test.ts counts what both execute.
import { beforeAll, expect, test, vi } from 'vitest';
import { createClient, ok } from '../../../client/platform/index.ts';
import { type ServerProgram, useTestPrograms } from '../../support/processes/program.ts';

const programs = useTestPrograms({ shared: true });
const WAIT = { timeout: 60_000, interval: 100 };

let server: ServerProgram;
let url: string;

beforeAll(async () => {
  server = await programs.serve({ COLOPHON_METRICS_ADDRESS: '127.0.0.1:0' });
  [, url = ''] = await server.until('stdout', /^Metrics: (.*)$/m);
  const client = createClient({ baseUrl: server.url, token: server.token ?? '', retries: 0 });
  const { items } = await ok(client.GET('/v1/orgs'));
  const path = { organizationId: items[0]?.id ?? '' };
  await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params: { path }, body: { title: 'Guide' } }));
  for (const address of ['/v1/user', '/none', '/docs']) {
    await fetch(server.url + address);
  }
  // The job process starts a second after the server.
  await vi.waitFor(async () => expect(await series('process_resident_memory_bytes')).toHaveLength(2), WAIT);
});

/** Reads the series of a metric, without empty buckets. */
async function series(name: string): Promise<string[]> {
  const text = await (await fetch(url)).text();
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

test('are served at an address of their own, in the text format of Prometheus', async () => {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect((await fetch(new URL('/v1/user', url))).status).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
});

test('count requests by operation and status, and rejections by reason', async () => {
  const requests = await series('colophon_requests_total');
  expect(requests).toEqual(
    expect.arrayContaining([
      'colophon_requests_total{operation="createSpace",status="201",process="server"} 1',
      'colophon_requests_total{operation="getCurrentUser",status="401",process="server"} 1',
      'colophon_requests_total{operation="none",status="200",process="server"} 1',
    ]),
  );
  expect(await series('colophon_requests_rejected_total')).toContain(
    'colophon_requests_rejected_total{reason="unauthenticated",process="server"} 1',
  );
  expect(await series('colophon_request_duration_seconds_count')).toContain(
    'colophon_request_duration_seconds_count{operation="createSpace",process="server"} 1',
  );
});

test('contain the memory, event loop and statements of each process', async () => {
  for (const name of [
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'colophon_statement_duration_seconds_count',
  ]) {
    const values = await series(name);
    expect(values).toEqual([
      expect.stringContaining(`${name}{process="server"} `),
      expect.stringContaining(`${name}{process="jobs"} `),
    ]);
    expect(values.every((line) => Number(line.split(' ').at(-1)) > 0)).toBe(true);
  }
});

test('contain the queues and the connections', async () => {
  expect(await series('colophon_event_streams_waiting')).toEqual(['colophon_event_streams_waiting 0']);
  expect(await series('colophon_event_overdue_seconds')).toEqual(['colophon_event_overdue_seconds 0']);
  expect(await series('colophon_database_calls_waiting')).toEqual(['colophon_database_calls_waiting 0']);
  expect(await series('colophon_database_connections')).toHaveLength(1);
});

test.skipIf(process.platform !== 'linux')('contain the memory of programs', async () => {
  expect(await series('colophon_programs')).toEqual([
    expect.stringMatching(/^colophon_programs\{program="node"\} [2-9]$/),
  ]);
});

test('an address that cannot be used prevents the start, with the variable', async () => {
  const other = await programs
    .serve({
      COLOPHON_DATA: `${programs.location.folder}-other`,
      COLOPHON_METRICS_ADDRESS: new URL(url).host,
    })
    .catch((error: Error) => error.message);
  expect(other).toContain(`COLOPHON_METRICS_ADDRESS ${new URL(url).host} cannot be used.`);
});
