// A job process that runs one job, which allocates memory without end and without returning to the event loop.
import { createHash } from 'node:crypto';
import { runSingleJob } from '../../../server/jobs/host.ts';
import { jobKind } from '../../../server/jobs/queue.ts';
import { Workers } from '../../../server/jobs/workers.ts';

/** Allocations outside the heap by name. */
const ALLOCATIONS = {
  buffers: () => Buffer.alloc(4_000_000, 1),
  'shared buffers': () => new Uint8Array(new SharedArrayBuffer(4_000_000)).fill(1),
  'native objects': () => createHash('sha256'),
};

/** What a job allocates. */
export type Allocation = keyof typeof ALLOCATIONS;

const performer = new Workers();
performer.register(
  jobKind<Allocation>('allocating'),
  async ({ payload }) => {
    const retained: unknown[] = [];
    while (retained.length >= 0) {
      retained.push(ALLOCATIONS[payload]());
    }
  },
  undefined,
);
const log = { debug() {}, info() {}, warn() {}, error() {} };
process.on('disconnect', () => process.exit(1));
runSingleJob({ queue: { performer }, log, close: async () => {} });
