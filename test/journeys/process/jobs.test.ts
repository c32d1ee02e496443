// Runs on one engine: jobs-processes.test.ts executes the statements of jobs that end with a process.
import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Database, type DatabaseLocation, openDatabase } from '../../../server/database/database.ts';
import { createId } from '../../../server/database/seams.ts';
import { createQueue, type JobKind, type NewJob } from '../../../server/jobs/queue.ts';
import { faults, harmlessJob, recordedJob, recursive } from '../../support/faults/kinds.ts';
import { expireLeases } from '../../support/jobs.ts';
import { type ServerProgram, useTestPrograms } from '../../support/processes/program.ts';

const programs = useTestPrograms({ shared: true });
const WAIT = { timeout: 100_000, interval: 50 };
const log = { debug() {}, info() {}, warn() {}, error() {} };

let database: Database;
/** The server that was started last, and the token that the first one printed. */
let latest: ServerProgram | undefined;
let token: string | undefined;

beforeAll(async () => {
  const { DATABASE_URL: url, COLOPHON_DATA: folder = '' } = programs.location.environment;
  const location: DatabaseLocation = url === undefined ? { folder } : { url };
  database = await openDatabase(location);
});
// The next test begins with an empty queue.
afterEach(() => database.query.deleteFrom('jobs').execute());
afterAll(() => database.close());

/** Folder of the folders of job processes. */
const outgoing = () => join(programs.location.folder, 'outgoing');

/** Starts a server, after the end of the previous one. */
async function serve(environment = {}): Promise<ServerProgram> {
  await latest?.stop('SIGKILL');
  // Killed processes leave their folders.
  await rm(outgoing(), { recursive: true, force: true });
  latest = await programs.serve(environment, 'test/support/faults/server.ts');
  token ??= latest.token;
  return latest;
}

/** Returns the running server of a previous test, or a new one if it ended. */
const runningServer = async () =>
  latest && latest.child.exitCode === null && latest.child.signalCode === null ? latest : await serve();

/**
 * Adds a job as another process would.
 *
 * @param options.processEnds number of processes that it has ended already
 */
async function add<Payload>(
  kind: JobKind<Payload>,
  payload: Payload,
  { processEnds = 0, ...job }: Partial<NewJob<Payload>> & { processEnds?: number } = {},
): Promise<string> {
  const queue = createQueue({ database, clock: () => new Date(), createId, log });
  return await database.transaction(async (trx) => {
    const id = await queue.enqueue(trx, { kind, organization: 'org_1', payload, ...job });
    await trx.updateTable('jobs').set({ processEnds }).where('id', '=', id).execute();
    return id;
  });
}

const jobOf = async (id: string) =>
  await database.query
    .selectFrom('jobs')
    .select(['state', 'lastError', 'processEnds', 'abandoned'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

const expectState = (id: string, state: string) =>
  vi.waitFor(async () => expect(await jobOf(id)).toMatchObject({ state }), WAIT);

/** Returns the lines that a server logged with a message, from a position in its log on. */
const linesOf = ({ output }: ServerProgram, message: RegExp, from = 0): Record<string, unknown>[] =>
  output.stderr
    .slice(from)
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    // The log writes one object per line.
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => message.test(String(msg)));

/** Returns the id of the job process of a server. */
async function jobProcess(of: ServerProgram): Promise<number> {
  await of.until('stderr', /"msg":"job process started"/);
  return Number(linesOf(of, /^job process started/).at(-1)?.jobProcess);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Sends requests until the returned function is called, which returns the number of responses and of failures. */
function keepSendingRequests({ url }: ServerProgram) {
  const sent = { responses: 0, failures: 0 };
  let sending = true;
  const done = (async () => {
    while (sending) {
      const headers = { Authorization: `Bearer ${token}` };
      const ok = await fetch(`${url}/v1/user`, { headers }).then(
        (response) => response.ok,
        () => false,
      );
      sent.responses++;
      if (!ok) {
        sent.failures++;
      }
      await delay(50);
    }
  })();
  return async () => {
    sending = false;
    await done;
    return sent;
  };
}

/** Cause that is recorded for each fault that runs alone in its process. */
const CAUSES: Record<keyof typeof faults, RegExp> = {
  heap: /heap out of memory/,
  buffers: /buffers of more than 128 MB/,
  loop: /no heartbeat for 3 s/,
  unresponsive: /longer than 1 s/,
  exit: /exit with code 3/,
  abort: /signal SIGABRT/,
  stack: /Maximum call stack size exceeded/,
};

/** Fault that ends three processes. The others have ended two already, so that they are isolated immediately. */
const THREE_ENDS = 'exit';

// The queue records the end of a process, which service/database/jobs-processes.test.ts tests on both engines.
test('jobs that end their process fail after the third attempt, without affecting other jobs', {
  timeout: 300_000,
}, async () => {
  const server = await runningServer();
  const from = server.output.stderr.length;
  const stopSending = keepSendingRequests(server);
  const concurrent = await add(harmlessJob, { ms: 1000 });
  const culprits = new Map<string, keyof typeof faults>();
  for (const name of Object.keys(CAUSES) as (keyof typeof faults)[]) {
    const processEnds = name === THREE_ENDS ? 0 : 2;
    culprits.set(await add(faults[name], null, { key: `space spc_${name}`, processEnds }), name);
  }
  const after = await add(harmlessJob, { ms: 1 }, { key: 'space spc_heap' });
  const overflowing = await add(recursive, null, { maxAttempts: 1 });
  const open = async () => {
    const jobs = await database.query.selectFrom('jobs').select(['id', 'state']).execute();
    return jobs.filter(({ state }) => state !== 'done' && state !== 'failed');
  };
  await vi.waitFor(async () => expect(await open()).toEqual([]), { timeout: 240_000, interval: 100 });

  for (const id of [concurrent, after]) {
    expect(await jobOf(id)).toMatchObject({ state: 'done' });
  }
  // A stack overflow in a job's own promise is caught like any other error.
  expect(await jobOf(overflowing)).toMatchObject({
    state: 'failed',
    lastError: 'Maximum call stack size exceeded',
  });
  // The line of the last job may be read after its state.
  const lines = await vi.waitFor(() => {
    const failed = linesOf(server, /^job failed after ending its process three times: /, from);
    expect(failed).toHaveLength(culprits.size);
    return failed;
  }, WAIT);
  for (const [id, name] of culprits) {
    const ended = await jobOf(id);
    expect(ended).toMatchObject({ state: 'failed', processEnds: 3, abandoned: 0 });
    expect(ended.lastError).toMatch(CAUSES[name]);
    expect(lines.find(({ job }) => job === id)).toMatchObject({
      level: 50,
      kind: faults[name].name,
      organization: 'org_1',
      key: `space spc_${name}`,
      msg: `job ${ended.lastError}`,
    });
  }
  // Only one ran next to others, and only once.
  expect(linesOf(server, /^job process ended: /, from).length).toBeLessThanOrEqual(1);
  const { responses, failures } = await stopSending();
  expect(responses).toBeGreaterThan(0);
  expect(failures).toBe(0);
  expect(server.child.exitCode).toBeNull();
  // Only the current process has a folder.
  await vi.waitFor(async () => expect((await readdir(outgoing())).length).toBeLessThanOrEqual(1), WAIT);
});

describe('a job process', () => {
  test('is replaced if it is killed; a stopping server waits for short jobs and requeues long ones', async () => {
    const server = await runningServer();
    const killed = await jobProcess(server);
    const from = server.output.stderr.length;
    const interrupted = await add(harmlessJob, { ms: 500 });
    await expectState(interrupted, 'running');
    process.kill(killed, 'SIGKILL');
    await expectState(interrupted, 'done');
    expect(await jobOf(interrupted)).toMatchObject({ processEnds: 1, abandoned: 0 });
    await vi.waitFor(() => expect(linesOf(server, /^job process started/, from)).toHaveLength(1), WAIT);
    const ends = linesOf(server, /^job process ended/, from);
    expect(ends).toMatchObject([{ cause: 'signal SIGKILL', jobProcess: killed }]);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);

    const current = await jobProcess(server);
    const short = await add(harmlessJob, { ms: 1500 });
    const long = await add(harmlessJob, { ms: 60_000 });
    const isolated = await add(harmlessJob, { ms: 60_000 }, { processEnds: 1 });
    for (const id of [short, long, isolated]) {
      await expectState(id, 'running');
    }
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(await jobOf(short)).toMatchObject({ state: 'done' });
    for (const [id, processEnds] of [[long, 0] as const, [isolated, 1] as const]) {
      expect(await jobOf(id)).toMatchObject({ state: 'queued', processEnds });
    }
    expect(isAlive(current)).toBe(false);
    expect(linesOf(server, /^job process ended/, from)).toEqual(ends);
  });

  test('ends with a killed server, without counting attempts, even if it never returns to its event loop', async () => {
    const first = await runningServer();
    const pid = await jobProcess(first);
    const id = await add(harmlessJob, { ms: 3000 });
    await expectState(id, 'running');
    await first.stop('SIGKILL');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), WAIT);
    await expireLeases(programs.location);
    const second = await serve();
    await expectState(id, 'done');
    expect(await jobOf(id)).toMatchObject({ processEnds: 0, abandoned: 1 });

    const blocked = await jobProcess(second);
    await expectState(await add(faults.loop, null), 'running');
    expect(isAlive(blocked)).toBe(true);
    await second.stop('SIGKILL');
    await vi.waitFor(() => expect(isAlive(blocked)).toBe(false), WAIT);
  });

  test('is replaced while it is idle, without losing, repeating or delaying a job', async () => {
    const gate = join(programs.location.folder, 'gate');
    await mkdir(gate);
    const server = await serve({ START_GATE: gate });
    await jobProcess(server);
    const file = join(programs.location.folder, 'recorded');
    const addRecorded = (ms: number) => add(recordedJob, { file, ms });
    const replacements = () => linesOf(server, /^job process replaced/);
    /** Makes the process idle after a job, waits for the start of its successor, and delays that. */
    const startSuccessor = async () => {
      await writeFile(join(gate, 'closed'), '');
      const id = await addRecorded(1);
      await vi.waitFor(() => access(join(gate, 'waiting')), WAIT);
      return id;
    };
    const finishReplacement = async () => {
      const before = replacements().length;
      await rm(join(gate, 'closed'));
      await vi.waitFor(() => expect(replacements()).toHaveLength(before + 1), WAIT);
      await rm(join(gate, 'waiting'));
    };

    const done = [await startSuccessor()];
    // The process that is about to be replaced runs jobs, and finishes them afterwards.
    const during = await addRecorded(1);
    await expectState(during, 'done');
    const long = await addRecorded(5000);
    await expectState(long, 'running');
    await finishReplacement();
    // Run by the successor, meanwhile or afterwards.
    done.push(during, long, await startSuccessor());
    for (const id of done) {
      await expectState(id, 'done');
    }
    const recorded = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
    expect(recorded.toSorted()).toEqual(done.toSorted());

    // A replaced process does not delay the stop of the server: its jobs return to the queue.
    const interrupted = await addRecorded(600_000);
    await expectState(interrupted, 'running');
    await finishReplacement();
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(await readdir(outgoing())).toEqual([]);
    const columns = ['id', 'state', 'attempts', 'processEnds', 'abandoned', 'lastError'] as const;
    const jobs = await database.query.selectFrom('jobs').select(columns).orderBy('sequence').execute();
    const untouched = { processEnds: 0, abandoned: 0, lastError: null };
    expect(jobs.filter(({ id }) => done.includes(id))).toEqual(
      done.map((id) => ({ id, state: 'done', attempts: 1, ...untouched })),
    );
    expect(jobs.find(({ id }) => id === interrupted)).toEqual({
      id: interrupted,
      state: 'queued',
      attempts: 0,
      ...untouched,
    });
    expect(linesOf(server, /./).filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });
});
