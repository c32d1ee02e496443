import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createId } from '../../../../server/database/seams.ts';
import { IsolatedPerformer } from '../../../../server/jobs/isolation.ts';
import type { JobKind } from '../../../../server/jobs/queue.ts';
import type { Services } from '../../../../server/platform/kit/slice.ts';
import { registerWorkers } from '../../../../server/process/workers.ts';
import { programEnvironment } from '../../../support/environment.ts';
import { TEMPORARY_FOLDER } from '../../../support/processes/temporary.ts';

let folder: string;
let logFile: string;
beforeEach(async () => {
  folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-job-host-'));
  logFile = join(folder, 'log');
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs the last attempt of a job in a process with a failing failure hook and failing resources. */
async function perform(payload: { isFailing: boolean }): Promise<void> {
  const program = {
    entry: new URL('../../../support/processes/single-job-process.ts', import.meta.url),
    environment: { ...programEnvironment(), LOG_FILE: logFile },
    folder,
  };
  const job = {
    id: 'job_1',
    kind: 'single',
    organization: 'org_1',
    key: null,
    traceParent: null,
    payload,
    createdAt: new Date().toISOString(),
    attempt: 1,
    lastAttempt: true,
  };
  const performer = new IsolatedPerformer(program, createId, () => []);
  await performer.perform(job, new AbortController().signal);
}

const loggedMessages = async () => (await readFile(logFile, 'utf8')).trim().split('\n');

test('an isolated job succeeds even if its process fails to close its resources', async () => {
  await perform({ isFailing: false });
  expect(await loggedMessages()).toEqual(['job process failed to close its resources']);
});

test('an isolated job fails with its own error even if its failure hook fails', async () => {
  await expect(perform({ isFailing: true })).rejects.toThrow('The job failed.');
  expect(await loggedMessages()).toEqual([
    'could not record the failure in the data of the job',
    'job process failed to close its resources',
  ]);
});

test('kinds of jobs are announced with the modules that register their workers', async () => {
  const groups: { names: readonly string[]; load: () => Promise<void> }[] = [];
  const registered: string[] = [];
  const queue = {
    registerLater: (names: readonly string[], load: () => Promise<void>) => void groups.push({ names, load }),
    register: ({ name }: JobKind<unknown>) => void registered.push(name),
    attach: () => undefined,
  };
  // The workers use their other services when they run.
  registerWorkers({ queue, createId: (prefix: string) => `${prefix}_1` } as unknown as Services);
  for (const { names, load } of groups) {
    registered.length = 0;
    await load();
    expect(registered).toEqual(names);
  }
  expect(groups.length).toBeGreaterThan(5);
});
