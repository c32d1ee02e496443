import { afterEach, expect, test } from 'vitest';
import { currentTraceParent } from '../../../../server/diagnostics/trace-parent.ts';
import { contextOf, contexts } from '../../../../server/telemetry/traces/context.ts';
import { samplerOf } from '../../../../server/telemetry/traces/provider.ts';
import { startTracing, type Tracing } from '../../../../server/telemetry/traces/tracing.ts';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let tracing: Tracing | undefined;

afterEach(() => tracing?.stop());

/** Receives spans and does nothing. */
const processor = {
  onStart() {},
  onEnd() {},
  forceFlush: async () => {},
  shutdown: async () => {},
};

test.each([
  [undefined, 'ParentBased{root=AlwaysOnSampler'],
  ['always_on', 'AlwaysOnSampler'],
  ['always_off', 'AlwaysOffSampler'],
  ['traceidratio', 'TraceIdRatioBased{0.25}'],
  ['parentbased_always_on', 'ParentBased{root=AlwaysOnSampler'],
  ['parentbased_always_off', 'ParentBased{root=AlwaysOffSampler'],
  ['parentbased_traceidratio', 'ParentBased{root=TraceIdRatioBased{0.25}'],
])('the sampler %s is %s', (name, description) => {
  const sampler = samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: '0.25' });
  expect(sampler.toString().startsWith(description)).toBe(true);
});

test('the current trace is that of the context while traces are recorded', async () => {
  const read = () => contexts.run(contextOf(PARENT), currentTraceParent);
  expect(read()).toBeUndefined();
  tracing = startTracing('tests', {}, processor);
  expect(read()).toBe(PARENT);
  expect(contexts.run(contextOf(PARENT), tracing.logFields)).toEqual({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
  });
  expect(tracing.logFields()).toEqual({});
  await tracing.stop();
  expect(read()).toBeUndefined();
});

test.each(['', 'none', `${PARENT}0`, '00-0-0-01'])('the invalid traceparent "%s" begins no trace', (text) => {
  tracing = startTracing('tests', {}, processor);
  expect(contexts.run(contextOf(text), currentTraceParent)).toBeUndefined();
});

test('a collector that does not respond does not prevent the stop', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  tracing = startTracing('tests', {}, { ...processor, shutdown: () => promise });
  await tracing.stop();
  resolve();
});
