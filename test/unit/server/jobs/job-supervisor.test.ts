import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createId } from '../../../../server/database/seams.ts';
import { JobChild } from '../../../../server/jobs/child.ts';
import {
  DRAIN_GRACE_MS,
  JobSupervisor,
  MAX_IDLE_GROWTH_BYTES,
  REPLACEMENT_IDLE_MS,
  REPLACEMENT_QUIET_MS,
  type ReplacementLimits,
} from '../../../../server/jobs/supervisor.ts';
import { programEnvironment } from '../../../support/environment.ts';
import type { ScriptedEvent, ScriptedState } from '../../../support/processes/scripted-job-process.ts';
import { TEMPORARY_FOLDER } from '../../../support/processes/temporary.ts';

const WAIT = { timeout: 60_000, interval: 5 };
const INITIAL_BYTES = 150_000_000;
const GROWN: ScriptedState = {
  residentBytes: INITIAL_BYTES + MAX_IDLE_GROWTH_BYTES + 1,
  idleMs: REPLACEMENT_IDLE_MS,
};

let folder: string;
let supervisor: JobSupervisor;
/** Lines of the log, of all levels. */
let lines: { level: 'info' | 'error'; message: string; details: object }[];
/** Processes that ended unexpectedly. */
let ends: { owner: string; cause: string }[];
/** Time since the last request to the server. */
let quietMs: number;

beforeEach(async () => {
  folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-supervisor-'));
  await writeFile(join(folder, 'events.jsonl'), '');
  lines = [];
  ends = [];
  quietMs = Number.POSITIVE_INFINITY;
  supervisor = createSupervisor();
  await become({ residentBytes: INITIAL_BYTES });
});
afterEach(async () => {
  await supervisor.stop(0);
  await rm(folder, { recursive: true });
});

function createSupervisor(replacement?: ReplacementLimits): JobSupervisor {
  const logAs = (level: 'info' | 'error') => (details: object, message: string) => {
    lines.push({ level, message, details });
  };
  return new JobSupervisor({
    program: {
      entry: new URL('../../../support/processes/scripted-job-process.ts', import.meta.url),
      environment: { ...programEnvironment(), SCRIPT_FOLDER: folder },
      folder,
      pingMs: 10,
      unresponsiveMs: 60_000,
    },
    log: { debug() {}, warn() {}, info: logAs('info'), error: logAs('error') },
    replacement,
    quietMs: () => quietMs,
    createId,
    onReady: () => undefined,
    onEnd: async (owner, cause) => {
      ends.push({ owner, cause });
    },
  });
}

/** Changes what the processes report, and how they behave. */
async function become(state: ScriptedState): Promise<void> {
  await writeFile(join(folder, 'next.json'), JSON.stringify(state));
  await rename(join(folder, 'next.json'), join(folder, 'state.json'));
}

async function events(type: ScriptedEvent['type']): Promise<ScriptedEvent[]> {
  const recorded = (await readFile(join(folder, 'events.jsonl'), 'utf8')).split('\n').filter(Boolean);
  // The scripted processes write this type.
  return recorded.map((line) => JSON.parse(line) as ScriptedEvent).filter((event) => event.type === type);
}

/** Waits until so many processes have started. Returns them. */
const starts = (count: number): Promise<ScriptedEvent[]> =>
  vi.waitFor(async () => {
    const started = await events('start');
    expect(started).toHaveLength(count);
    return started;
  }, WAIT);

/** Waits until a process has reported its state three more times. */
async function afterHeartbeats({ owner }: ScriptedEvent): Promise<void> {
  const pings = async () => (await events('ping')).filter((event) => event.owner === owner).length;
  const before = await pings();
  await vi.waitFor(async () => expect(await pings()).toBeGreaterThan(before + 3), WAIT);
}

/** Stops all processes, including those that are starting. Returns the starts of all. */
async function stoppedStarts(): Promise<ScriptedEvent[]> {
  await supervisor.stop(60_000);
  return await events('start');
}

const ready = (count: number) =>
  vi.waitFor(() => expect(messages('job process started')).toHaveLength(count), WAIT);
const messages = (text: string) => lines.filter(({ message }) => message.startsWith(text));
const replacements = () => messages('job process replaced');

/** Checks that the only unexpected end was that of this process, and that no restart was scheduled for it. */
function expectEndWithoutRestart(last: ScriptedEvent | undefined): void {
  const [ended, ...more] = messages('job process ended');
  expect(ended).toMatchObject({ level: 'error', details: { owner: last?.owner } });
  expect(ended?.details).not.toHaveProperty('pause');
  expect(more).toEqual([]);
}

/** Starts the first process. */
async function startFirst(): Promise<ScriptedEvent> {
  supervisor.start();
  await ready(1);
  const [first] = await starts(1);
  if (!first) {
    throw new Error('No process was started.');
  }
  return first;
}

/** Starts the first process, and a successor that is not ready. */
async function startSuccessor(): Promise<{ first: ScriptedEvent; successor: ScriptedEvent }> {
  await startFirst();
  await become({ ...GROWN, start: 'wait' });
  const [first, successor] = await starts(2);
  if (!first || !successor) {
    throw new Error('Two processes were started.');
  }
  return { first, successor };
}

describe('an idle job process that has grown', () => {
  test('is replaced, stops after its successor is ready, and exits without an error', async () => {
    const { first, successor } = await startSuccessor();
    await afterHeartbeats(first);
    // It still receives the jobs.
    supervisor.wake();
    await vi.waitFor(async () => expect(await events('wake')).toMatchObject([{ owner: first.owner }]), WAIT);
    expect(await events('stop')).toEqual([]);
    await become(GROWN);
    await vi.waitFor(async () => expect(await events('stop')).toHaveLength(1), WAIT);
    expect(await events('stop')).toMatchObject([{ owner: first.owner, graceMs: DRAIN_GRACE_MS }]);
    // The successor has as much memory, but has not grown.
    await afterHeartbeats(successor);
    supervisor.wake();
    await vi.waitFor(async () => {
      const woken = (await events('wake')).map(({ owner }) => owner);
      // The first time when it took over.
      expect(woken).toEqual([first.owner, successor.owner, successor.owner]);
    }, WAIT);
    expect(await stoppedStarts()).toHaveLength(2);
    expect(replacements()).toMatchObject([
      { level: 'info', details: { replaced: first.pid, jobProcess: successor.pid } },
    ]);
    expect(ends).toEqual([]);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test.each<[reason: string, state: ScriptedState]>([
    ['is running a job', { ...GROWN, idleMs: 0 }],
    ['has run no job', { residentBytes: GROWN.residentBytes }],
    ['was idle for a short time', { ...GROWN, idleMs: REPLACEMENT_IDLE_MS - 1 }],
    ['has grown little', { ...GROWN, residentBytes: GROWN.residentBytes - 1 }],
  ])('is not replaced if it %s', async (_reason, state) => {
    const first = await startFirst();
    await become(state);
    await afterHeartbeats(first);
    expect(await stoppedStarts()).toHaveLength(1);
    expect(lines).toMatchObject([{ message: 'job process started' }]);
  });

  test('is not replaced while the server receives requests, which the fork would pause', async () => {
    const first = await startFirst();
    quietMs = REPLACEMENT_QUIET_MS - 1;
    await become(GROWN);
    await afterHeartbeats(first);
    expect(await stoppedStarts()).toHaveLength(1);
  });

  test('is replaced when the server has received none for a time', async () => {
    quietMs = REPLACEMENT_QUIET_MS;
    await startFirst();
    await become(GROWN);
    await starts(2);
  });

  test('is replaced in spite of requests after a time', async () => {
    supervisor = createSupervisor({ delayMs: 0 });
    quietMs = 0;
    await startFirst();
    await become(GROWN);
    await starts(2);
  });

  test('continues if its successor does not start, which is not repeated immediately', async () => {
    const first = await startFirst();
    await become({ ...GROWN, start: 'fail' });
    const [, successor] = await starts(2);
    await vi.waitFor(
      () => expect(ends).toEqual([{ owner: successor?.owner, cause: 'exit with code 1' }]),
      WAIT,
    );
    await afterHeartbeats(first);
    supervisor.wake();
    await vi.waitFor(async () => expect(await events('wake')).toMatchObject([{ owner: first.owner }]), WAIT);
    expect(await events('stop')).toEqual([]);
    expect(await stoppedStarts()).toHaveLength(2);
    expectEndWithoutRestart(successor);
  });

  test('that crashes while its successor starts is replaced by this successor', async () => {
    const { first, successor } = await startSuccessor();
    process.kill(first.pid, 'SIGKILL');
    await vi.waitFor(() => expect(ends).toEqual([{ owner: first.owner, cause: 'signal SIGKILL' }]), WAIT);
    await become(GROWN);
    await ready(2);
    await afterHeartbeats(successor);
    supervisor.wake();
    await vi.waitFor(
      async () => expect(await events('wake')).toMatchObject([{ owner: successor.owner }]),
      WAIT,
    );
    expect(await stoppedStarts()).toHaveLength(2);
    expect(replacements()).toEqual([]);
    expectEndWithoutRestart(first);
  });

  test('that crashes while it finishes its jobs is recorded, and not restarted', async () => {
    const { first, successor } = await startSuccessor();
    await become({ ...GROWN, runsForMs: DRAIN_GRACE_MS });
    await vi.waitFor(async () => expect(await events('stop')).toHaveLength(1), WAIT);
    process.kill(first.pid, 'SIGKILL');
    await vi.waitFor(() => expect(ends).toEqual([{ owner: first.owner, cause: 'signal SIGKILL' }]), WAIT);
    await afterHeartbeats(successor);
    expect(await stoppedStarts()).toHaveLength(2);
    expectEndWithoutRestart(first);
  });
});

describe('a supervisor that stops', () => {
  test('stops a process that finishes its jobs and its successor', async () => {
    const { first, successor } = await startSuccessor();
    await become({ ...GROWN, runsForMs: DRAIN_GRACE_MS });
    await vi.waitFor(async () => expect(await events('stop')).toHaveLength(1), WAIT);
    await supervisor.stop(1000);
    expect((await events('stop')).slice(1).map(({ owner, graceMs }) => [owner, graceMs])).toEqual(
      expect.arrayContaining([first, successor].map(({ owner }) => [owner, 1000])),
    );
    expect(ends).toEqual([]);
    expect(messages('job process ended')).toEqual([]);
  });

  test('stops a successor that is not ready', async () => {
    const { first, successor } = await startSuccessor();
    const running = { ...GROWN, runsForMs: 60_000 };
    await become({ ...running, start: 'wait' });
    const stopped = supervisor.stop(60_000);
    await vi.waitFor(async () => expect(await events('stop')).toMatchObject([{ owner: first.owner }]), WAIT);
    await become(running);
    await ready(2);
    await supervisor.stop(0);
    await stopped;
    const stops = (await events('stop')).map(({ owner, graceMs }) => [owner, graceMs]);
    expect(stops.toSorted()).toEqual(
      [first, successor]
        .flatMap(({ owner }) => [
          [owner, 0],
          [owner, 60_000],
        ])
        .toSorted(),
    );
    expect(await events('start')).toHaveLength(2);
    expect(replacements()).toEqual([]);
    expect(ends).toEqual([]);
  });
});

test('a process that does not start is killed', async () => {
  await become({ residentBytes: INITIAL_BYTES, start: 'wait' });
  const program = {
    entry: new URL('../../../support/processes/scripted-job-process.ts', import.meta.url),
    environment: { ...programEnvironment(), SCRIPT_FOLDER: folder },
    folder,
    startTimeoutMs: 50,
  };
  const child = new JobChild(program, 'queue', createId('own'), () => undefined);
  expect(await child.ended).toMatchObject({ isExpected: false, cause: 'it did not start within 0.05 s' });
});
