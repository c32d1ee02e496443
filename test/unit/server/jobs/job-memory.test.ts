import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createId } from '../../../../server/database/seams.ts';
import { IsolatedPerformer } from '../../../../server/jobs/isolation.ts';
import { programEnvironment } from '../../../support/environment.ts';
import type { Allocation } from '../../../support/processes/allocating-job-process.ts';
import { peakMemoryDuring } from '../../../support/processes/peak-memory.ts';
import { TEMPORARY_FOLDER } from '../../../support/processes/temporary.ts';

/** Less than in production, so that it is reached in a moment. */
const DATA_MB = 768;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-job-memory-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Returns the error of a job that allocates without end. */
async function failureOf(allocation: Allocation): Promise<unknown> {
  const program = {
    entry: new URL('../../../support/processes/allocating-job-process.ts', import.meta.url),
    environment: { ...programEnvironment(), JOB_FOLDER: folder },
    folder,
    dataMB: DATA_MB,
    // The buffers are counted with heartbeats, which the process does not send.
    unresponsiveMs: 5000,
  };
  const job = {
    id: 'job_1',
    kind: 'allocating',
    organization: 'org_1',
    key: null,
    traceParent: null,
    payload: allocation,
    createdAt: new Date().toISOString(),
    attempt: 1,
    lastAttempt: true,
  };
  const performer = new IsolatedPerformer(program, createId, () => []);
  return await performer.perform(job, new AbortController().signal).catch((error: unknown) => error);
}

// macOS does not limit the data of programs.
describe.runIf(process.platform === 'linux')('a job that allocates without end', () => {
  test.each<Allocation>(['buffers', 'shared buffers', 'native objects'])(
    'fails within the limit of data: %s',
    async (allocation) => {
      const { result, peakBytes } = await peakMemoryDuring(`JOB_FOLDER=${folder}`, () =>
        failureOf(allocation),
      );
      // The error of the job, if the allocation is its own, or otherwise the end of the process.
      expect(String(result)).toMatch(/out of memory|allocation failed|allocate memory|malloc failure/);
      expect(peakBytes).toBeGreaterThan(0);
      expect(peakBytes).toBeLessThan(DATA_MB * 1_048_576);
    },
  );
});
