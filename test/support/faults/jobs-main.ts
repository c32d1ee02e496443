// The job process of `server.ts`, with the workers of the faults only.
import { existsSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runJobProcess } from '../../../server/process/job-process.ts';
import { faults, harmlessJob, recordedJob, recursive } from './kinds.ts';

const overflow = (depth: number): number => overflow(depth + 1) + 1;

// A test can delay the start of a process: it waits while there is a file, and records that in another one.
const gate = process.env.START_GATE;
while (gate !== undefined && existsSync(join(gate, 'closed'))) {
  writeFileSync(join(gate, 'waiting'), '');
  await delay(10);
}

await runJobProcess(({ queue }) => {
  queue.register(faults.heap, async () => {
    const retained: unknown[] = [];
    // Runs until the heap is full. It yields, so that it is not ended as unresponsive before.
    while (retained.length >= 0) {
      retained.push(new Array(1_000_000).fill(retained.length));
      await delay(1);
    }
  });
  queue.register(faults.buffers, async () => {
    const retained: Buffer[] = [];
    // Never ends by itself.
    while (retained.length >= 0) {
      retained.push(Buffer.alloc(16 * 1024 * 1024));
      await delay(20);
    }
  });
  queue.register(faults.loop, async () => {
    // Without a processor, which a loop would take from other tests.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
  queue.register(faults.unresponsive, () => new Promise(() => undefined));
  queue.register(faults.exit, async () => process.exit(3));
  queue.register(faults.abort, async () => process.abort());
  queue.register(faults.stack, async () => {
    setImmediate(() => overflow(0));
    await new Promise(() => undefined);
  });
  queue.register(recursive, async () => {
    overflow(0);
  });
  queue.register(recordedJob, async ({ id, payload }, signal) => {
    await delay(payload.ms, undefined, { signal });
    await appendFile(payload.file, `${id}\n`);
  });
  queue.register(harmlessJob, ({ payload }, signal) => delay(payload.ms, undefined, { signal }));
});
