// The job process of `server.ts`: the workers of the service, and those of the faults.
import { setTimeout as delay } from 'node:timers/promises';
import { runJobProcess } from '../../../server/jobs-main.ts';
import { registerWorkers } from '../../../server/workers.ts';
import { faults, innocent, recursive } from './kinds.ts';

const overflow = (depth: number): number => overflow(depth + 1) + 1;

await runJobProcess((services) => {
  registerWorkers(services);
  const { queue } = services;
  queue.register(faults.heap, async () => {
    const held: unknown[] = [];
    // Never ends: the heap does. It gives signs of life, so that it ends by nothing else.
    while (held.length >= 0) {
      held.push(new Array(100_000).fill(held.length));
      await delay(1);
    }
  });
  queue.register(faults.buffers, async () => {
    const held: Buffer[] = [];
    // Never ends by itself.
    while (held.length >= 0) {
      held.push(Buffer.alloc(16 * 1024 * 1024));
      await delay(20);
    }
  });
  queue.register(faults.loop, async () => {
    for (;;) {}
  });
  queue.register(faults.deaf, () => new Promise(() => undefined));
  queue.register(faults.exit, async () => process.exit(3));
  queue.register(faults.abort, async () => process.abort());
  queue.register(faults.stack, async () => {
    setImmediate(() => overflow(0));
    await new Promise(() => undefined);
  });
  queue.register(recursive, async () => {
    overflow(0);
  });
  queue.register(innocent, ({ payload }, signal) => delay(payload.ms, undefined, { signal }));
});
