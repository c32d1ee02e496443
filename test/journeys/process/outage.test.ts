import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFailed,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { createClient, ok, waitForRun } from '../../../client/platform/index.ts';
import { testEngine } from '../../support/database/engines.ts';
import { hasOwnPostgres, type OwnPostgres, startOwnPostgres } from '../../support/database/own-postgres.ts';
import { administer } from '../../support/database/postgres.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import {
  createDataLocation,
  type DataLocation,
  runServer,
  type ServerProgram,
  useTestPrograms,
} from '../../support/processes/program.ts';

const PATIENCE = { timeout: 60_000, interval: 50 };

const ready = async (server: ServerProgram) => (await fetch(`${server.url}/readyz`)).status;
const isReady = (server: ServerProgram) =>
  vi.waitFor(async () => expect(await ready(server)).toBe(200), PATIENCE);

/** Status of each response of a server, and whether errors have Retry-After. */
interface Load {
  statuses: string[];
  created: string[];
  end(): Promise<void>;
}

/** Reads and creates as fast as possible, without retries. */
function startLoad(server: ServerProgram, organizationId: string): Load {
  const client = createClient({ baseUrl: server.url, token: server.token, retries: 0 });
  const load: Load = { statuses: [], created: [], end: async () => {} };
  let going = true;
  const note = (response: Response) => {
    const back = response.headers.get('retry-after') === null ? '' : ' with Retry-After';
    load.statuses.push(`${response.status}${back}`);
  };
  const params = { path: { organizationId } };
  const worker = async (name: number) => {
    for (let index = 0; going; index++) {
      note((await client.GET('/v1/user')).response);
      const body = { title: `${name} ${index}` };
      const { response, data } = await client.POST('/v1/orgs/{organizationId}/collections', { params, body });
      note(response);
      if (data) {
        load.created.push(data.id);
      }
    }
  };
  const working = Promise.all(Array.from({ length: 8 }, (_, name) => worker(name)));
  load.end = async () => {
    going = false;
    await working;
  };
  return load;
}

const organizationOf = async (server: ServerProgram) =>
  (await ok(createClient({ baseUrl: server.url, token: server.token }).GET('/v1/orgs'))).items[0]?.id ?? '';

describe.runIf(testEngine() === 'postgres' && hasOwnPostgres())('a server on PostgreSQL', () => {
  let own: OwnPostgres;
  let server: ServerProgram;
  let organizationId: string;
  let location: DataLocation;
  beforeAll(async () => {
    own = await startOwnPostgres();
    location = await createDataLocation();
    server = await runServer({ ...location.environment, DATABASE_URL: own.url });
    organizationId = await organizationOf(server);
  });
  afterAll(async () => {
    await server.stop('SIGKILL');
    await own.close();
    await location.remove();
  });
  beforeEach(() => onTestFailed(() => console.error(server.output.stderr)));

  test('returns 503 while the database is unreachable, and needs no restart', async () => {
    const unreachable = () =>
      server.output.stderr.match(
        new RegExp(`^.*"pid":${server.child.pid},.*"msg":"The database cannot be reached`, 'gm'),
      )?.length ?? 0;
    const before = unreachable();
    await own.proxy.refuse();
    const headers = { Authorization: `Bearer ${server.token}` };
    const response = await fetch(`${server.url}/v1/user`, { headers });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({
      error: { code: 503, message: expect.stringContaining('database cannot be reached') },
    });
    expect(await ready(server)).toBe(503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await own.proxy.listen();
    await isReady(server);
    expect((await fetch(`${server.url}/v1/user`, { headers })).status).toBe(200);
    expect(unreachable()).toBe(before + 1);
  });

  // The rounds of crash.test.ts restart and crash the database.
  test('survives terminated connections, and loses nothing', async () => {
    const load = startLoad(server, organizationId);
    const served = async () => {
      const before = load.created.length;
      await vi.waitFor(() => expect(load.created.length).toBeGreaterThan(before + 10), PATIENCE);
    };
    const faults = [
      () =>
        administer(
          own.server.url,
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'colophon'`,
        ),
      async () => own.proxy.cut(),
    ];
    for (const fault of faults) {
      await served();
      await fault();
    }
    await served();
    await load.end();
    expect(new Set(load.statuses).difference(new Set(['200', '201', '503 with Retry-After']))).toEqual(
      new Set(),
    );
    await isReady(server);
    const { rows } = await counted(own.server.url, load.created);
    expect(rows).toBe(load.created.length);
    expect(server.child.exitCode).toBeNull();
  });

  test('finishes jobs that an outage interrupted', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const git = await startGitServer({ before: () => released });
    onTestFinished(() => git.close());
    const repository = await git.createRepository({ 'README.md': '# Guide\n' });
    const client = createClient({ baseUrl: server.url, token: server.token });
    const { id: spaceId } = await ok(
      client.POST('/v1/orgs/{organizationId}/spaces', { params: { path: { organizationId } }, body: {} }),
    );
    const params = { path: { spaceId } };
    const body = { url: repository.url, ref: 'refs/heads/main' };
    const started = client.POST('/v1/spaces/{spaceId}/git/import', { params, body });
    await ok(started);
    await vi.waitFor(() => expect(git.requests.length).toBeGreaterThan(0), PATIENCE);
    await own.server.halt('immediate');
    release();
    await vi.waitFor(async () => expect(await ready(server)).toBe(503), PATIENCE);
    await own.server.resume();
    await isReady(server);
    await waitForRun(client, started, { timeout: 60_000 });
    expect((await client.GET('/v1/spaces/{spaceId}/git/info', { params })).response.status).toBe(200);
  });
});

/** Counts the existing ones of these collections. */
async function counted(url: string, ids: string[]): Promise<{ rows: number }> {
  const list = ids.map((id) => `'${id}'`).join(', ');
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query(`select 1 from collections where id in (${list})`);
  await client.end();
  return { rows: rowCount ?? 0 };
}

describe.runIf(testEngine() === 'sqlite')('a server on SQLite', () => {
  const programs = useTestPrograms();

  test('returns 503 while another program holds the lock, and needs no restart', async () => {
    const server = await programs.serve();
    const organizationId = await organizationOf(server);
    const foreign = new DatabaseSync(join(programs.location.folder, 'colophon.sqlite'));
    foreign.exec('begin immediate');
    const client = createClient({ baseUrl: server.url, token: server.token, retries: 0 });
    const create = () =>
      client.POST('/v1/orgs/{organizationId}/collections', {
        params: { path: { organizationId } },
        body: { title: 'Guides' },
      });
    const responses = await Promise.all([create(), create(), create()]);
    for (const { response } of responses) {
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).not.toBeNull();
    }
    expect(await ready(server)).toBe(503);
    expect((await client.GET('/v1/user')).response.status).toBe(200);
    foreign.exec('rollback');
    foreign.close();
    await isReady(server);
    expect((await create()).response.status).toBe(201);
  });
});
