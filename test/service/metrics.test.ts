/** What a process counts while it serves, imports, calls integrations and runs tasks of threads. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../client/platform/index.ts';
import { type MetricsSnapshot, ProcessMetrics } from '../../server/telemetry/metrics/process-metrics.ts';
import { createSpace, importRepository } from '../support/content/imports.ts';
import { startGitServer } from '../support/git/git-server.ts';
import { untilEventsSettle, untilJobsEnd } from '../support/jobs.ts';
import { developed, server, useReceivers } from './integrations/developed.ts';

useReceivers();

let metrics: ProcessMetrics;

beforeAll(() => {
  metrics = new ProcessMetrics('tests');
});
afterAll(() => metrics.stop());

/** Returns the values of a counter, or the numbers of observations of a histogram, by their labels. */
async function valuesOf(name: string, snapshot?: MetricsSnapshot): Promise<Record<string, number>> {
  const all = snapshot ?? (await metrics.snapshot());
  const { values = [], type } = all.find((metric) => metric.name === name) ?? {};
  const counted = values.filter(
    (value) =>
      String(type) !== 'histogram' || ('metricName' in value && value.metricName === `${name}_count`),
  );
  return Object.fromEntries(
    counted.map(({ labels: { process: _, ...labels }, value }) => [Object.values(labels).join(' '), value]),
  );
}

test('a Git import is counted as a job, with its runs of Git, statements and tasks', async () => {
  const git = await startGitServer();
  const repository = await git.createRepository({ 'README.md': '# Guide\n\nText.\n' });
  const { id } = await createSpace(server);
  await importRepository(server, id, { url: repository.url });
  await untilJobsEnd(server.database, server.organization);
  await git.close();

  expect(await valuesOf('colophon_job_attempts_total')).toMatchObject({ 'git-import done': 1 });
  expect(await valuesOf('colophon_job_duration_seconds')).toMatchObject({ 'git-import': 1 });
  expect(await valuesOf('colophon_git_runs_total')).toMatchObject({ 'fetch done': 1 });
  expect((await valuesOf('colophon_git_run_duration_seconds'))['']).toBeGreaterThan(0);
  expect((await valuesOf('colophon_statement_duration_seconds'))['']).toBeGreaterThan(10);
});

test('an import that fails is counted by its outcome', async () => {
  const git = await startGitServer();
  const { id } = await createSpace(server);
  await server.admin.client.POST('/v1/spaces/{spaceId}/git/import', {
    params: { path: { spaceId: id } },
    body: { url: `${git.url}/none.git`, ref: 'refs/heads/main' },
  });
  await untilJobsEnd(server.database, server.organization);
  await git.close();
  expect(await valuesOf('colophon_job_attempts_total')).toMatchObject({ 'git-import failed': 1 });
});

test('an event is counted as a delivery, with its call and its request', async () => {
  await developed();
  await untilEventsSettle(server.database);
  expect(await valuesOf('colophon_event_deliveries_total')).toEqual({ success: expect.any(Number) });
  expect(await valuesOf('colophon_integration_calls_total')).toMatchObject({ 'installation_setup done': 1 });
  expect((await valuesOf('colophon_outgoing_requests_total'))['2xx']).toBeGreaterThan(0);
});

test('a search is counted as a task, and no task remains in progress', async () => {
  const { id } = await createSpace(server);
  const query = { params: { path: { spaceId: id }, query: { query: 'guide' } } };
  await ok(server.admin.client.GET('/v1/spaces/{spaceId}/search', query));
  expect(await valuesOf('colophon_tasks_total')).toMatchObject({ 'rank done': 1 });
  expect(await valuesOf('colophon_tasks_in_progress')).toEqual({ '': 0 });
  expect((await valuesOf('colophon_task_wait_seconds'))['']).toBeGreaterThan(0);
});

test('lookups in caches are counted by cache and result', async () => {
  const lookups = await valuesOf('colophon_cache_lookups_total');
  expect(lookups['objects hit']).toBeGreaterThan(0);
  expect(lookups['objects miss']).toBeGreaterThan(0);
});

test('after the end, nothing is counted', async () => {
  const other = new ProcessMetrics('other');
  const before = await other.snapshot();
  other.stop();
  await ok(server.admin.client.GET('/v1/user'));
  expect(await valuesOf('colophon_statement_duration_seconds', before)).toEqual({ '': 0 });
  expect(await other.snapshot()).toEqual([]);
});
