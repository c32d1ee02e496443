import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createClient, ok } from '../../client/index.ts';
import { type DatabaseLocation, openDatabase } from '../../server/database/database.ts';
import { Ledger } from '../support/crash/ledger.ts';
import { load } from '../support/crash/load.ts';
import { verify } from '../support/crash/verify.ts';
import { type TestEngine, testEngine } from '../support/engines.ts';
import { startGitServer } from '../support/git-server.ts';
import { readTree } from '../support/imports.ts';
import { hasOwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { eachTestItsPlace, type ServerProgram } from '../support/program.ts';
import { manyPages } from '../support/repositories.ts';

/** `npm run crash` asks for more. */
const ROUNDS = Number(process.env.COLOPHON_CRASH_ROUNDS ?? 3);

/** Beyond the time after which a job counts as abandoned. */
const JOBS = { timeout: 60_000, interval: 200 };

const programs = eachTestItsPlace();

interface Fault {
  name: string;
  /** Prepares the place of the server, and returns what goes wrong under it in each round. */
  prepare(): Promise<{
    environment?: Record<string, string>;
    strike(): Promise<void>;
    end(): Promise<void>;
  }>;
}

/** What happens to the database under a server that goes on. */
const FAULTS: Record<TestEngine, Fault[]> = {
  postgres: hasOwnPostgres()
    ? (['immediate', 'fast'] as const).map((how) => ({
        name: how === 'immediate' ? 'whose database crashes' : 'whose database restarts',
        prepare: async () => {
          const own = await startOwnPostgres();
          const strike = async () => {
            await own.server.halt(how);
            await own.server.resume();
          };
          return { environment: { DATABASE_URL: own.url }, strike, end: own.close };
        },
      }))
    : [],
  sqlite: [],
};

const TIMEOUT = { timeout: 180_000 + ROUNDS * 40_000 };

test(
  `a server that is killed ${ROUNDS} times keeps all that it acknowledged, and finishes every job`,
  TIMEOUT,
  () =>
    survive(programs.place.environment, async (server) => {
      await server.stop('SIGKILL');
      return await programs.serve();
    }),
);

test.each(FAULTS[testEngine()])(
  `a server $name ${ROUNDS} times keeps all that it acknowledged, and finishes every job`,
  TIMEOUT,
  async ({ prepare }) => {
    const { environment, strike, end } = await prepare();
    await survive({ ...programs.place.environment, ...environment }, async (server) => {
      await strike();
      await vi.waitFor(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200), JOBS);
      return server;
    }).finally(end);
  },
);

/** Loads a server, lets `strike` happen to it in each round, and checks what is there afterwards. */
async function survive(
  environment: Record<string, string>,
  strike: (server: ServerProgram) => Promise<ServerProgram>,
): Promise<void> {
  await using git = await startedGit();
  const repository = await git.createRepository(manyPages(40));
  const ledger = new Ledger();
  let server = await programs.serve(environment);
  const token = server.token;
  const connect = () => createClient({ baseUrl: server.url, token, retries: 0 });
  const [written, imported] = [await newSpace(connect()), await newSpace(connect())];

  for (let round = 1; round <= ROUNDS; round++) {
    const end = new AbortController();
    const loaded = load(connect(), { written, imported, repository }, ledger, end.signal);
    const { imported: before } = ledger;
    await vi.waitFor(() => expect(ledger.imported).toBeGreaterThan(before), { timeout: 60_000, interval: 5 });
    // Anywhere within what the load does then, an import among it.
    await delay(Math.random() * 1000);
    server = await strike(server);
    end.abort();
    await loaded;
    await verify(connect(), written, ledger);
  }

  const params = { path: { spaceId: imported } };
  await vi.waitFor(async () => {
    const content = await ok(connect().GET('/v1/spaces/{spaceId}/content', { params }));
    // An import takes what the branch has when it runs: a commit that came later, too.
    expect(ledger.commits.indexOf(content.git?.oid ?? '')).toBeGreaterThanOrEqual(ledger.imported - 1);
  }, JOBS);
  expect(await readTree(connect(), imported)).not.toEqual([]);
  await vi.waitFor(async () => expect(await unfinished(locationOf(environment))).toEqual([]), JOBS);
  expect(ledger.branches.length).toBeGreaterThanOrEqual(ROUNDS);
  // Before its database goes.
  await server.stop('SIGKILL');
}

async function startedGit() {
  const git = await startGitServer();
  return { ...git, [Symbol.asyncDispose]: () => git.close() };
}

async function newSpace(client: ReturnType<typeof createClient>): Promise<string> {
  const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
  const params = { path: { organizationId } };
  return (await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }))).id;
}

const locationOf = (environment: Record<string, string>): DatabaseLocation =>
  environment.DATABASE_URL === undefined
    ? { folder: environment.COLOPHON_DATA ?? '' }
    : { url: environment.DATABASE_URL };

/** The jobs that are not done, and why. */
async function unfinished(location: DatabaseLocation) {
  const database = await openDatabase(location);
  try {
    return await database.query
      .selectFrom('jobs')
      .select(['kind', 'state', 'lastError'])
      .where('state', '!=', 'done')
      .execute();
  } finally {
    await database.close();
  }
}
