// Runs one benchmark for the runner, which ends this process and its descendants.
import { inspect } from 'node:util';
import type { Benchmark, BenchmarkMessage, BenchmarkRequest } from './benchmark.ts';

const send = (message: BenchmarkMessage) =>
  new Promise<void>((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });

process.on('message', async ({ module, size, options }: BenchmarkRequest) => {
  try {
    const { benchmark }: { benchmark: Benchmark } = await import(module);
    await benchmark.run(size, (figure) => void send({ figure }), options);
    await send('done');
  } catch (error) {
    await send({ failure: inspect(error) });
  }
});
// The runner ended without ending this process.
process.once('disconnect', () => process.exit(1));
