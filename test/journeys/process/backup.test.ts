import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Client, createClient, ok } from '../../../client/platform/index.ts';
import { type DatabaseLocation, openDatabase } from '../../../server/database/database.ts';
import { flatten, readTree } from '../../support/content/imports.ts';
import { manyPages } from '../../support/content/repositories.ts';
import { Ledger } from '../../support/crash/ledger.ts';
import { load } from '../../support/crash/load.ts';
import { verifyDatabase } from '../../support/crash/verify-database.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import {
  createDataLocation,
  finish,
  run,
  runServer,
  useTestPrograms,
} from '../../support/processes/program.ts';
import { TEMPORARY_FOLDER } from '../../support/processes/temporary.ts';

const programs = useTestPrograms({ blank: true });
const PATIENCE = { timeout: 90_000, interval: 50 };

const SOUND = expect.stringMatching(/^The data are sound\.$/m);

const command = (
  name: 'backup' | 'restore' | 'doctor',
  environment: Record<string, string>,
  ...parameters: string[]
) => finish(process.execPath, [`server/commands/${name}.ts`, ...parameters], environment);

async function newSpace(client: Client, organizationId: string): Promise<string> {
  const params = { path: { organizationId } };
  return (await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }))).id;
}

async function execute(location: DatabaseLocation, statement: string): Promise<void> {
  const database = await openDatabase(location, { migrated: true });
  await sql.raw(statement).execute(database.query);
  await database.close();
}

/** Writes that were acknowledged until now. */
function acknowledgedIn(ledger: Ledger, space: string): Ledger {
  const copy = new Ledger();
  for (const title of ledger.teams.created) {
    copy.teams.created.add(title);
  }
  for (const branch of ledger.of(space)) {
    Object.assign(copy.branch(space, branch.id), { merge: branch.merge, pages: [...branch.pages] });
  }
  return copy;
}

test('a backup under load contains everything acknowledged before it began, and is restored completely', async () => {
  const git = await startGitServer();
  onTestFinished(() => git.close());
  const folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-backups-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'colophon.backup');
  const { environment } = programs.location;
  const unlimited = { ...environment, COLOPHON_RATE_LIMIT: 'off' };
  const server = await programs.serve(unlimited);
  const connect = (url: string) => createClient({ baseUrl: url, token: server.token, retries: 0 });
  const client = connect(server.url);
  const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
  const written = await newSpace(client, organizationId);
  const imported = await newSpace(client, organizationId);
  const repository = await git.createRepository(manyPages(40));
  const ledger = new Ledger();
  const end = new AbortController();
  const targets = { organizationId, written, imported, repository };
  const loaded = load(client, targets, ledger, { signal: end.signal, keepsServer: true });
  const isMerged = () => ledger.of(written).filter(({ merge }) => merge === 'done').length >= 3;
  await vi.waitUntil(isMerged, PATIENCE);

  const acknowledged = acknowledgedIn(ledger, written);
  const backup = await command('backup', environment, file);
  expect(backup).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Created .* and verified it\./) });
  expect(await readdir(folder)).toEqual(['colophon.backup']);
  // What is written meanwhile is no problem.
  expect(await command('doctor', environment)).toMatchObject({ code: 0, stdout: SOUND });
  const refused = await command('restore', environment, file, '--replace');
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('in use') });
  end.abort();
  await loaded;
  expect(ledger.teams.created.size).toBeGreaterThan(acknowledged.teams.created.size);
  await server.stop('SIGKILL');

  const empty = await createDataLocation({ blank: true });
  onTestFinished(() => empty.remove());
  // Killed at any time, it leaves an empty place, or has completed.
  for (let ms = 150; ms < 1500; ms *= 1.6) {
    const program = run(process.execPath, ['server/commands/restore.ts', file], empty.environment);
    await delay(ms);
    program.child.kill('SIGKILL');
    await program.ended;
  }
  await vi.waitFor(async () => {
    const { code, stderr } = await command('restore', empty.environment, file);
    expect(code === 0 ? 'contains data' : stderr).toContain('contains data');
  }, PATIENCE);
  const again = await command('restore', empty.environment, file);
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('contains data') });
  const { DATABASE_URL: url } = empty.environment;
  const location: DatabaseLocation = url === undefined ? { folder: empty.folder } : { url };
  // Before the server starts: it is consistent at one time.
  const { requested, rejected } = ledger.teams;
  const teams = { requested, created: acknowledged.teams.created, rejected };
  await verifyDatabase(location, Object.assign(new Ledger(), { teams }));

  expect(await command('doctor', empty.environment)).toMatchObject({ code: 0, stdout: SOUND });

  const restored = await runServer({ ...empty.environment, COLOPHON_RATE_LIMIT: 'off' });
  onTestFinished(async () => {
    await restored.stop('SIGKILL');
  });
  expect(restored.token).toBeUndefined();
  const reader = connect(restored.url);
  const titles = new Set(flatten(await readTree(reader, written)).map(({ title }) => title));
  const merged = acknowledged.of(written).filter(({ merge }) => merge === 'done');
  for (const { title } of merged.flatMap(({ pages }) => pages)) {
    expect(titles).toContain(title);
  }
  for (const { id, pages } of acknowledged.of(written)) {
    const path = { spaceId: written, changeRequestId: id };
    const content = await ok(
      reader.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', {
        params: { path },
      }),
    );
    const existing = new Set(flatten(content.pages).map(({ title }) => title));
    expect(pages.filter(({ title }) => !existing.has(title))).toEqual([]);
  }
  const [page] = merged[0]?.pages ?? [];
  const params = { path: { organizationId }, query: { query: page?.title ?? '' } };
  await vi.waitFor(async () => {
    const { items } = await ok(reader.GET('/v1/orgs/{organizationId}/search', { params }));
    expect(JSON.stringify(items)).toContain(page?.title);
  }, PATIENCE);
  // The restored server is used as any other.
  await newSpace(reader, organizationId);

  await execute(location, `delete from "rowCounts" where "kind" = 'teams'`);
  const examined = await command('doctor', empty.environment);
  expect(examined).toMatchObject({ code: 1, stdout: expect.stringMatching(/^counters +\d+ +1 +0$/m) });
  const repaired = await command('doctor', empty.environment, '--repair');
  expect(repaired).toMatchObject({ code: 0, stdout: expect.stringMatching(/^counters +\d+ +1 +1$/m) });
  expect(await command('doctor', empty.environment)).toMatchObject({ code: 0, stdout: SOUND });
});
