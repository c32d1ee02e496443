import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { type JobMetrics, MetricsCollection } from '../../../../server/telemetry/metrics/collection.ts';

/** Creates the metrics of a job process that has done `jobs` jobs and uses `bytes` of memory. */
async function jobProcess(jobs: number, bytes: number) {
  const registry = new Registry();
  const registers = [registry];
  registry.setDefaultLabels({ process: 'jobs' });
  new Counter({ name: 'jobs_total', help: 'Jobs.', registers }).inc(jobs);
  new Histogram({ name: 'job_seconds', help: 'Time.', buckets: [1], registers }).observe(jobs);
  new Gauge({ name: 'memory_bytes', help: 'Memory.', registers }).set(bytes);
  return await registry.getMetricsAsJSON();
}

/** Creates a collection whose calls return these metrics of job processes, one after the other. */
function collectionOf(...jobs: JobMetrics[]) {
  const errors: unknown[] = [];
  const collection = new MetricsCollection({
    own: async () => [],
    jobs: async () => jobs.shift() ?? { running: [], ended: [] },
    gauges: [
      { gauges: [{ name: 'waiting', help: 'Waiting.' }], read: async () => [{ name: 'waiting', value: 3 }] },
      {
        gauges: [{ name: 'broken', help: 'Broken.' }],
        read: () => Promise.reject(new Error('The database does not respond.')),
      },
    ],
    onError: (error) => errors.push(error),
  });
  const lines = async () =>
    (await collection.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { collection, lines, errors };
}

test('counters of processes that ended remain in the sums, and their gauges do not', async () => {
  const first = await jobProcess(2, 500);
  const second = await jobProcess(3, 100);
  const { lines } = collectionOf(
    { running: [first], ended: [] },
    { running: [second], ended: [first] },
    { running: [], ended: [second] },
  );
  expect(await lines()).toContain('jobs_total{process="jobs"} 2');
  const both = await lines();
  expect(both).toContain('jobs_total{process="jobs"} 5');
  expect(both).toContain('job_seconds_count{process="jobs"} 2');
  expect(both).toContain('memory_bytes{process="jobs"} 100');
  const none = await lines();
  expect(none).toContain('jobs_total{process="jobs"} 5');
  expect(none.filter((line) => line.startsWith('memory_bytes'))).toEqual([]);
});

test('gauges that cannot be read are omitted, and the error is reported', async () => {
  const { lines, errors } = collectionOf();
  expect(await lines()).toEqual(['waiting 3']);
  expect(errors).toEqual([new Error('The database does not respond.')]);
});

test('concurrent calls share one collection', async () => {
  const { collection } = collectionOf();
  expect(collection.text()).toBe(collection.text());
});
