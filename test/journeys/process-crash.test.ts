import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createClient, ok } from '../../client/index.ts';
import { type DatabaseLocation, openDatabase } from '../../server/database/database.ts';
import { Ledger } from '../support/crash/ledger.ts';
import { load } from '../support/crash/load.ts';
import { verify } from '../support/crash/verify.ts';
import { startGitServer } from '../support/git-server.ts';
import { readTree } from '../support/imports.ts';
import { eachTestItsPlace } from '../support/program.ts';
import { manyPages } from '../support/repositories.ts';

/** `npm run crash` asks for more. */
const ROUNDS = Number(process.env.COLOPHON_CRASH_ROUNDS ?? 3);

/** Beyond the time after which a job counts as abandoned. */
const JOBS = { timeout: 60_000, interval: 200 };

const programs = eachTestItsPlace();

test(`a server that is killed ${ROUNDS} times keeps all that it acknowledged, and finishes every job`, {
  timeout: 120_000 + ROUNDS * 20_000,
}, async () => {
  await using git = await startedGit();
  const repository = await git.createRepository(manyPages(40));
  const ledger = new Ledger();
  let server = await programs.serve();
  const token = server.token;
  const connect = () => createClient({ baseUrl: server.url, token, retries: 0 });
  const [written, imported] = [await newSpace(connect()), await newSpace(connect())];

  for (let round = 1; round <= ROUNDS; round++) {
    const loaded = load(connect(), { written, imported, repository }, ledger);
    const { imported: before } = ledger;
    await vi.waitFor(() => expect(ledger.imported).toBeGreaterThan(before), { timeout: 60_000, interval: 5 });
    // Anywhere within what the load does then, an import among it.
    await delay(Math.random() * 1000);
    await server.stop('SIGKILL');
    await loaded;
    server = await programs.serve();
    await verify(connect(), written, ledger);
  }

  const params = { path: { spaceId: imported } };
  await vi.waitFor(async () => {
    const content = await ok(connect().GET('/v1/spaces/{spaceId}/content', { params }));
    // An import takes what the branch has when it runs: a commit that came later, too.
    expect(ledger.commits.indexOf(content.git?.oid ?? '')).toBeGreaterThanOrEqual(ledger.imported - 1);
  }, JOBS);
  expect(await readTree(connect(), imported)).not.toEqual([]);
  await vi.waitFor(
    async () => expect(await unfinished(locationOf(programs.place.environment))).toEqual([]),
    JOBS,
  );
  expect(ledger.branches.length).toBeGreaterThanOrEqual(ROUNDS);
});

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
