import { type OperationEntry, operations } from '../../../generated/operations.ts';
import { amountFor, type Benchmark, type Size } from '../benchmark.ts';
import { onEachEngine } from '../engines.ts';
import { type Figure, megabytes, ratioOf } from '../table.ts';

/** Memory of the service before and after a request to every operation, which compiles all validators. */
export const benchmark: Benchmark = {
  description: 'memory of the service after a request to every operation',
  run,
};

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const count = amountFor(size, { full: Number.POSITIVE_INFINITY, tiny: 5 });
  await onEachEngine(async ({ engine, startService }) => {
    const { url, token, usage, stop } = await startService();
    const before = (await usage()).rss;
    for (const [id, { method, path, body }] of Object.entries<OperationEntry>(operations).slice(0, count)) {
      const response = await fetch(url + path.replaceAll(/\{\w+\}/g, 'nothing'), {
        method: method.toUpperCase(),
        headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
        ...(body && { body: '{}' }),
      });
      await response.arrayBuffer();
      if (response.status === 500) {
        throw new Error(`${id} returned 500.`);
      }
    }
    const after = (await usage()).rss;
    await stop();
    report({
      name: `memory after every operation, on ${engine}`,
      result: megabytes(after),
      baseline: `${megabytes(before)} after the start`,
      ratio: ratioOf(after, before),
      target: 'under 250 MB',
    });
  });
}
