import { Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { QuickCounter, QuickHistogram } from '../../../../server/telemetry/metrics/quick.ts';

// The metrics that only add numbers return what those of prom-client return.

const BUCKETS = [0.01, 0.5, 2];
const VALUES = [0, 0.01, 0.010001, 0.3, 0.5, 2, 2.1, 1000];

/** Returns what a registry returns, with its values in one order. */
async function valuesIn(registry: Registry): Promise<unknown> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map(({ values, ...metric }) => ({
    ...metric,
    values: values
      // Without empty examples.
      .map((value) => Object.entries(value).filter(([, part]) => part !== null && part !== undefined))
      .map((value) => JSON.stringify(value.sort()))
      .sort(),
  }));
}

test('a histogram with a label', async () => {
  const [quick, usual] = [new Registry(), new Registry()];
  const options = { name: 'a_seconds', help: 'A duration.', buckets: BUCKETS };
  const added = new QuickHistogram({ ...options, label: 'operation', registers: [quick] });
  const observed = new Histogram({ ...options, labelNames: ['operation'], registers: [usual] });
  expect(await valuesIn(quick)).toEqual(await valuesIn(usual));
  for (const [at, value] of VALUES.entries()) {
    const operation = at % 2 ? 'getSpace' : 'listSpaces';
    added.add(value, operation);
    observed.observe({ operation }, value);
  }
  expect(await valuesIn(quick)).toEqual(await valuesIn(usual));
  expect(await quick.getMetricsAsJSON()).toEqual(await quick.getMetricsAsJSON());
});

test('a histogram without a label', async () => {
  const [quick, usual] = [new Registry(), new Registry()];
  const options = { name: 'a_seconds', help: 'A duration.', buckets: BUCKETS };
  const added = new QuickHistogram({ ...options, registers: [quick] });
  const observed = new Histogram({ ...options, registers: [usual] });
  expect(await valuesIn(quick)).toEqual(await valuesIn(usual));
  for (const value of VALUES) {
    added.add(value);
    observed.observe(value);
  }
  expect(await valuesIn(quick)).toEqual(await valuesIn(usual));
});

test('a counter', async () => {
  const [quick, usual] = [new Registry(), new Registry()];
  const options = { name: 'a_total', help: 'A number.' };
  const added = new QuickCounter({ ...options, labels: ['operation', 'status'], registers: [quick] });
  const counted = new Counter({ ...options, labelNames: ['operation', 'status'], registers: [usual] });
  expect(await valuesIn(quick)).toEqual(await valuesIn(usual));
  for (const [at, status] of [200, 404, 200, 201, 404, 200].entries()) {
    const operation = at % 2 ? 'getSpace' : 'listSpaces';
    added.count(operation, status);
    counted.inc({ operation, status });
  }
  expect(await valuesIn(quick)).toEqual(await valuesIn(usual));
});
