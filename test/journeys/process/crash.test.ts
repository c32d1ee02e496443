import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { type Client, createClient, ok } from '../../../client/platform/index.ts';
import { readTree } from '../../support/content/imports.ts';
import { manyPages } from '../../support/content/repositories.ts';
import { createFaultTarget, type Fault } from '../../support/crash/faults.ts';
import { Ledger } from '../../support/crash/ledger.ts';
import { load } from '../../support/crash/load.ts';
import { verify } from '../../support/crash/verify.ts';
import { unfinishedJobs, verifyDatabase } from '../../support/crash/verify-database.ts';
import { undeliveredEvents, verifyEvents } from '../../support/crash/verify-events.ts';
import { testEngine } from '../../support/database/engines.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import { develop, startEventReceiver } from '../../support/integrations/event-receiver.ts';
import { install, publish } from '../../support/integrations/integrations.ts';
import { useTestPrograms } from '../../support/processes/program.ts';

/** Number of rounds; by default each fault occurs once. `npm run crash` sets more. */
const ROUNDS = Number(process.env.COLOPHON_CRASH_ROUNDS ?? 0);
/** Rounds between waits for jobs: those that a fault interrupted may still run in the next round. */
const ROUNDS_PER_JOB_CHECK = 5;
/** Maximum duration of the load before the fault, in milliseconds. It uses all processors. */
const MAX_LOAD_MS = ROUNDS > 0 ? 1500 : 500;
const PATIENCE = { timeout: 90_000, interval: 20 };
/** Enough for several imports on a busy machine, after the time until a job counts as abandoned. */
const JOBS = { timeout: 300_000, interval: 200 };
/** Timeout of a round, in milliseconds. */
const ROUND_LIMIT_MS = 480_000;
const TIMEOUT = { timeout: 300_000 + (ROUNDS || 5) * ROUND_LIMIT_MS };

const programs = useTestPrograms({ blank: true });

test('a server loses no data and finishes its jobs after any fault', TIMEOUT, async () => {
  await using git = await startedGit();
  await using target = await startServer();
  await using receiver = await startedReceiver();
  const { environment, faults, location } = target;
  const repository = await git.createRepository(manyPages(40));
  const ledger = new Ledger();
  let server = await programs.serve(environment);
  const { token } = server;
  const connect = () => createClient({ baseUrl: server.url, token, retries: 0 });
  const organizationId = (await ok(connect().GET('/v1/orgs'))).items[0]?.id ?? '';
  const imported = await newSpace(connect(), organizationId);
  await installReceiver(connect(), organizationId, receiver.url);
  const spaces: string[] = [];
  const rounds = ROUNDS || faults.length;

  const survive = async (round: number, fault: Fault) => {
    const written = await newSpace(connect(), organizationId);
    spaces.push(written);
    const end = new AbortController();
    const targets = { organizationId, written, imported, repository };
    const { keepsServer } = fault;
    const loaded = load(connect(), targets, ledger, { signal: end.signal, keepsServer });
    const { importedCommits: before } = ledger;
    const isLoaded = () =>
      ledger.importedCommits > before && ledger.of(written).some(({ pages }) => pages.length > 0);
    await vi.waitUntil(isLoaded, PATIENCE);
    // At a random time of the load, which includes an import.
    await delay(Math.random() * MAX_LOAD_MS);
    server = await fault.inject(server, ledger);
    end.abort();
    await loaded;
    await verify(connect(), written, ledger);
    await verifyDatabase(location, ledger);
    if (round % ROUNDS_PER_JOB_CHECK === 0 || round === rounds) {
      await vi.waitFor(async () => expect(await unfinishedJobs(location)).toEqual([]), JOBS);
      await vi.waitFor(async () => expect(await undeliveredEvents(location)).toEqual([]), JOBS);
      await verifyEvents(location, ledger, receiver);
    }
  };
  for (let round = 1; round <= rounds; round++) {
    const fault = faults[(round - 1) % faults.length];
    if (!fault) {
      throw new Error('No fault can be injected on this machine.');
    }
    const startedAt = performance.now();
    await Promise.race([survive(round, fault), lateness()]).catch((cause: unknown) => {
      throw new Error(`Round ${round} of ${rounds}: ${fault.name}`, { cause });
    });
    if (ROUNDS > 0) {
      report(round, fault, startedAt, ledger);
    }
  }

  // The state after a round also survived the later ones.
  for (const space of spaces) {
    await verify(connect(), space, ledger);
  }
  const params = { path: { spaceId: imported } };
  const content = await ok(connect().GET('/v1/spaces/{spaceId}/content', { params }));
  // An import uses the branch when it runs, which may include a later commit.
  expect(ledger.commits.indexOf(content.git?.oid ?? '')).toBeGreaterThanOrEqual(ledger.importedCommits - 1);
  expect(await readTree(connect(), imported)).not.toEqual([]);
  expect(ledger.branches.length).toBeGreaterThanOrEqual(rounds);
  // Before its database is removed.
  await server.stop('SIGKILL');
});

async function startedGit() {
  const git = await startGitServer();
  return { ...git, [Symbol.asyncDispose]: () => git.close() };
}

async function startServer() {
  const target = await createFaultTarget(testEngine(), programs);
  return { ...target, [Symbol.asyncDispose]: () => target.close() };
}

async function startedReceiver() {
  const receiver = await startEventReceiver();
  return { ...receiver, [Symbol.asyncDispose]: () => receiver.close() };
}

/** Installs an integration that receives the events about content and synchronizations. */
async function installReceiver(client: Client, organization: string, url: string): Promise<void> {
  const name = 'counter';
  const scopes = ['space:content:read' as const, 'space:git:sync' as const];
  await ok(publish({ client }, name, { organization, scopes }));
  await develop({ client }, name, url);
  await install({ client }, name, organization);
}

async function newSpace(client: Client, organizationId: string): Promise<string> {
  const params = { path: { organizationId } };
  return (await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }))).id;
}

async function lateness(): Promise<never> {
  await delay(ROUND_LIMIT_MS, undefined, { ref: false });
  throw new Error(`It did not end within ${ROUND_LIMIT_MS / 1000} s.`);
}

function report(
  round: number,
  fault: Fault,
  startedAt: number,
  { branches, teams, fullDiskResponses: full }: Ledger,
): void {
  const merged = branches.filter(({ merge }) => merge === 'done').length;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(
    `${testEngine()} ${round}/${ROUNDS} ${fault.name}: ${seconds} s; so far ${merged} merges, ` +
      `${teams.created.size} teams and no loss; ${full} requests refused by a full disk`,
  );
}
