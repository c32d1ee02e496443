import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Database, type DatabaseLocation, openDatabase } from '../../server/database/database.ts';
import { makeId } from '../../server/database/seams.ts';
import { createQueue, type JobKind, type NewJob } from '../../server/jobs/queue.ts';
import { isFirstEngine } from '../support/engines.ts';
import { faults, innocent, recursive } from '../support/faults/kinds.ts';
import { eachTestItsPlace, type ServerProgram } from '../support/program.ts';

const programs = eachTestItsPlace();
const WAIT = { timeout: 100_000, interval: 50 };
const log = { debug() {}, info() {}, warn() {}, error() {} };

let server: ServerProgram;
let database: Database;

beforeEach(async () => {
  server = await serve();
  const { DATABASE_URL: url, COLOPHON_DATA: folder = '' } = programs.place.environment;
  const location: DatabaseLocation = url === undefined ? { folder } : { url };
  database = await openDatabase(location);
});
afterEach(() => database.close());

const serve = () => programs.serve({}, 'test/support/faults/server.ts');

/** Adds a job as another process would. */
async function add<Payload>(
  kind: JobKind<Payload>,
  payload: Payload,
  job: Partial<NewJob<Payload>> = {},
): Promise<string> {
  const queue = createQueue({ database, clock: () => new Date(), makeId, log });
  return await database.transaction((trx) =>
    queue.enqueue(trx, { kind, organization: 'org_1', payload, ...job }),
  );
}

const jobOf = async (id: string) =>
  await database.query
    .selectFrom('jobs')
    .select(['state', 'lastError', 'processEnds', 'abandoned'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

const stateOf = async (id: string) => (await jobOf(id)).state;

/** The lines that a server logged with a message. */
const linesOf = ({ output }: ServerProgram, message: RegExp): Record<string, unknown>[] =>
  output.stderr
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    // The log writes objects, one a line.
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => message.test(String(msg)));

/** The process that a server does jobs in. */
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

/** Asks the server over and over; reports how often it answered, and how often not well. */
function keepAsking() {
  const seen = { answers: 0, failures: 0 };
  let asking = true;
  const asked = (async () => {
    while (asking) {
      const headers = { Authorization: `Bearer ${server.token}` };
      const ok = await fetch(`${server.url}/v1/user`, { headers }).then(
        (response) => response.ok,
        () => false,
      );
      seen.answers++;
      if (!ok) {
        seen.failures++;
      }
      await delay(20);
    }
  })();
  return async () => {
    asking = false;
    await asked;
    return seen;
  };
}

/** What each fault is put down to when it is alone in its process. */
const CAUSES: Record<keyof typeof faults, RegExp> = {
  heap: /heap out of memory/,
  buffers: /buffers of more than 128 MB/,
  loop: /no heartbeat for 3 s/,
  deaf: /longer than 1 s/,
  exit: /exit with code 3/,
  abort: /signal SIGABRT/,
  stack: /Maximum call stack size exceeded/,
};

// That the ends of processes are counted on either engine is shown by service/database/jobs.test.ts.
test.runIf(isFirstEngine)(
  'jobs that end their process are given up after the third time, and nothing else is',
  {
    timeout: 300_000,
  },
  async () => {
    const stopAsking = keepAsking();
    const beside = await add(innocent, { ms: 1000 });
    const culprits = new Map<string, keyof typeof faults>();
    for (const name of Object.keys(CAUSES) as (keyof typeof faults)[]) {
      culprits.set(await add(faults[name], null, { key: `space spc_${name}` }), name);
    }
    const after = await add(innocent, { ms: 1 }, { key: 'space spc_heap' });
    const open = async () => {
      const jobs = await database.query.selectFrom('jobs').select(['id', 'state']).execute();
      return jobs.filter(({ state }) => state !== 'done' && state !== 'failed');
    };
    await vi.waitFor(async () => expect(await open()).toEqual([]), { timeout: 240_000, interval: 100 });

    for (const id of [beside, after]) {
      expect(await jobOf(id)).toMatchObject({ state: 'done' });
    }
    const lines = linesOf(server, /^job failed after ending its process three times: /);
    expect(lines).toHaveLength(culprits.size);
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
    // Each ran among others once at most.
    expect(linesOf(server, /^job process ended: /).length).toBeLessThanOrEqual(culprits.size);
    const { answers, failures } = await stopAsking();
    expect(answers).toBeGreaterThan(0);
    expect(failures).toBe(0);
    expect(server.child.exitCode).toBeNull();
    // Only the process that is there now has a folder.
    const folders = () => readdir(join(programs.place.folder, 'outgoing'));
    await vi.waitFor(async () => expect((await folders()).length).toBeLessThanOrEqual(1), WAIT);
  },
);

test.runIf(isFirstEngine)(
  'a job that overflows the stack of its own promise fails like any other',
  async () => {
    const id = await add(recursive, null, { maxAttempts: 1 });
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('failed'), WAIT);
    expect(await jobOf(id)).toMatchObject({
      lastError: 'Maximum call stack size exceeded',
      processEnds: 0,
    });
    expect(linesOf(server, /^job process ended/)).toEqual([]);
  },
);

describe('a job process', () => {
  test('that is killed is replaced, and what it was at is done', { timeout: 60_000 }, async () => {
    const pid = await jobProcess(server);
    const id = await add(innocent, { ms: 500 });
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('running'), WAIT);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('done'), WAIT);
    expect(await jobOf(id)).toMatchObject({ processEnds: 1, abandoned: 0 });
    await vi.waitFor(() => expect(linesOf(server, /^job process started/)).toHaveLength(2), WAIT);
    expect(linesOf(server, /^job process ended/)).toMatchObject([
      { cause: 'signal SIGKILL', jobProcess: pid },
    ]);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  test.runIf(isFirstEngine).each([
    ['is idle', undefined],
    ['never returns to its event loop', faults.loop],
  ])('ends with a server that is killed while it %s', { timeout: 60_000 }, async (_, fault) => {
    const pid = await jobProcess(server);
    if (fault) {
      const id = await add(fault, null);
      await vi.waitFor(async () => expect(await stateOf(id)).toBe('running'), WAIT);
    }
    expect(isAlive(pid)).toBe(true);
    await server.stop('SIGKILL');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), WAIT);
  });

  test('does not blame jobs for the end of the server', { timeout: 120_000 }, async () => {
    const id = await add(innocent, { ms: 3000 });
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('running'), WAIT);
    await server.stop('SIGKILL');
    server = await serve();
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('done'), WAIT);
    expect(await jobOf(id)).toMatchObject({ processEnds: 0, abandoned: 1 });
  });

  test.runIf(isFirstEngine)('lets its jobs end when the server stops', async () => {
    const pid = await jobProcess(server);
    const id = await add(innocent, { ms: 1500 });
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('running'), WAIT);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(await stateOf(id)).toBe('done');
    expect(isAlive(pid)).toBe(false);
    expect(linesOf(server, /^job process ended/)).toEqual([]);
  });

  test('gives back what does not end in time, isolated or not', { timeout: 60_000 }, async () => {
    const ids = [await add(innocent, { ms: 60_000 }), await add(innocent, { ms: 60_000 })];
    const [, isolated = ''] = ids;
    await database.query.updateTable('jobs').set({ processEnds: 1 }).where('id', '=', isolated).execute();
    for (const id of ids) {
      await vi.waitFor(async () => expect(await stateOf(id)).toBe('running'), WAIT);
    }
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    for (const id of ids) {
      expect(await stateOf(id)).toBe('queued');
    }
    expect((await jobOf(isolated)).processEnds).toBe(1);
  });
});
