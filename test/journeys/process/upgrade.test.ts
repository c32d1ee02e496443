import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Client, createClient, ok } from '../../../client/platform/index.ts';
import type { DatabaseLocation } from '../../../server/database/database.ts';
import { prepareUpgrade, runMigrations } from '../../../server/database/migrate.ts';
import { migrations } from '../../../server/database/migrations/index.ts';
import type { NamedMigration } from '../../../server/database/migrations/migration.ts';
import type { Schema } from '../../../server/database/schema.ts';
import {
  edit,
  editSpace,
  merge,
  pageInsertion,
  pagesByTitle,
  pageText,
  textUpdate,
} from '../../support/content/branches.ts';
import { testEngine } from '../../support/database/engines.ts';
import { recordLog } from '../../support/database/own-postgres.ts';
import { withUnmigrated } from '../../support/database/unmigrated.ts';
import { ADMIN_TOKEN, SECRET_KEY } from '../../support/environment.ts';
import { finish, ROOT, run, useTestPrograms } from '../../support/processes/program.ts';
import { TEMPORARY_FOLDER } from '../../support/processes/temporary.ts';
import { loadRelease, RELEASE_URL, RELEASES, releaseFile } from '../../support/releases/releases.ts';
import { type RecordedResponse, readResponses } from '../../support/releases/responses.ts';

const PATIENCE = { timeout: 90_000, interval: 100 };

/** Variables of the servers of all releases. */
const VARIABLES = {
  COLOPHON_SECRET_KEY: SECRET_KEY,
  COLOPHON_PUBLIC_URL: RELEASE_URL,
  COLOPHON_RATE_LIMIT: 'off',
};

/** What was recorded by `test/support/releases/record.ts`. */
interface Recorded {
  space: string;
  draft: string;
  responses: RecordedResponse[];
}

const programs = useTestPrograms({ blank: true });
let location: DatabaseLocation;
beforeEach(() => {
  const { environment, folder } = programs.location;
  location = environment.DATABASE_URL === undefined ? { folder } : { url: environment.DATABASE_URL };
});

const connect = (baseUrl: string) => createClient({ baseUrl, token: ADMIN_TOKEN, retries: 0 });

const command = (name: string, ...parameters: string[]) =>
  finish(process.execPath, [`server/commands/${name}.ts`, ...parameters], {
    ...programs.location.environment,
    ...VARIABLES,
  });

async function recordedOf(version: string): Promise<Recorded> {
  // Written in this form.
  return JSON.parse(await readFile(releaseFile(version, 'json'), 'utf8')) as Recorded;
}

async function searchUntilFound(client: Client, spaceId: string, text: string): Promise<void> {
  const params = { path: { spaceId }, query: { query: text } };
  await vi.waitFor(async () => {
    const { items } = await ok(client.GET('/v1/spaces/{spaceId}/search', { params }));
    expect(items).not.toEqual([]);
  }, PATIENCE);
}

describe.each(RELEASES)('the data of release %s', (version, commit) => {
  test('are migrated by a server only, and then complete and usable', async () => {
    await loadRelease(version, location);
    expect(await command('token', '--email', 'admin@localhost')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        / The data is from an earlier release\. .* start the server of this release/,
      ),
    });

    const server = await programs.serve(VARIABLES);
    const { space, draft, responses } = await recordedOf(version);
    const paths = responses.map(({ operation, path }) => [operation, path] as const);
    // Later releases may add fields.
    expect(await readResponses(server.url, ADMIN_TOKEN, paths)).toMatchObject(responses);

    const client = connect(server.url);
    const page = (await pagesByTitle(client, space, draft)).get('Draft')?.id ?? '';
    await edit(client, space, draft, textUpdate(page, 'Edited by a later release.\n'));
    expect(await merge(client, space, draft)).toMatchObject({ result: 'merge' });
    expect(await pageText(client, page, space)).toBe('Edited by a later release.\n');
    await searchUntilFound(client, space, 'edited later');
    expect(await command('doctor')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The data are sound.'),
    });
  });

  // The embedded database has one server.
  test.runIf(testEngine() === 'postgres')('are migrated after its servers were stopped', async () => {
    await loadRelease(version, location);
    const { space } = await recordedOf(version);
    const root = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-release-'));
    onTestFinished(() => rm(root, { recursive: true }));
    await checkOut(commit, root);
    const folder = join(root, 'data');
    const settings = { ...VARIABLES, COLOPHON_RATE_LIMIT: '100000' };
    const entry = join(root, 'server/main.ts');
    const earlier = await programs.serve({ ...settings, COLOPHON_DATA: folder }, entry);
    const later = run(process.execPath, ['server/main.ts'], {
      ...programs.location.environment,
      ...settings,
      PORT: '0',
    });
    onTestFinished(() => void later.child.kill('SIGKILL'));
    await later.until('stderr', /waiting for servers of an earlier release to stop/);
    const text = 'Written while a later release waits.\n';
    await editSpace(connect(earlier.url), space, pageInsertion('Last', text));
    expect(later.output.stdout).toBe('');
    await earlier.stop();
    const [, url = ''] = await later.until('stdout', /^Documentation: (.*)\/docs$/m);
    const client = connect(url);
    const page = (await pagesByTitle(client, space)).get('Last')?.id ?? '';
    expect(await pageText(client, page, space)).toBe(text);
    await searchUntilFound(client, space, 'later waits');
    expect(await command('doctor')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The data are sound.'),
    });
    // It cannot start again.
    const environment = { ...programs.location.environment, ...settings, COLOPHON_DATA: folder, PORT: '0' };
    expect(await finish(process.execPath, ['server/main.ts'], environment, root)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The data is from a newer release'),
    });
  });
});

/** Writes the code of a commit to a folder, with the packages of this one. */
async function checkOut(commit: string, folder: string): Promise<void> {
  const archive = join(folder, 'release.tar');
  const archived = await finish('git', [
    'archive',
    '--output',
    archive,
    commit,
    'server',
    'generated',
    'spec',
    'client',
    'package.json',
  ]);
  expect(archived, 'The history of the repository is required: git fetch --unshallow').toMatchObject({
    code: 0,
  });
  await finish('tar', ['-xf', archive, '-C', folder]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

// The embedded database has one server.
describe.skipIf(testEngine() === 'sqlite')('a migration that earlier servers could not work with', () => {
  const stopping: NamedMigration = ['stopping', { up: async () => {}, stopsServers: true }];

  /** Migrates as the server of a later release does. */
  const upgrade = (timeoutMs?: number) =>
    withUnmigrated<string[], Schema>(location, (database) =>
      runMigrations(database, [...migrations, stopping], (pending) =>
        prepareUpgrade(database, pending, recordLog(), timeoutMs),
      ),
    );

  test('waits until they have stopped, which they are asked to', async () => {
    const servers = await Promise.all([programs.serve(), programs.serve(VARIABLES)]);
    expect(await upgrade()).toEqual(['stopping']);
    for (const server of servers) {
      expect(await server.ended).toEqual({ code: 0, signal: null });
      expect(server.output.stderr).toContain('a later release migrates the database');
    }
  });

  test('does not run while one does not stop, and no other one is asked to stop any longer', async () => {
    const server = await programs.serve(VARIABLES);
    await server.stop();
    const seenAt = new Date(Date.now() + 60_000).toISOString();
    await withUnmigrated<unknown, Schema>(location, (database) =>
      database.insertInto('countingProcesses').values({ id: 'prc_unresponsive', seenAt }).execute(),
    );
    await expect(upgrade(0)).rejects.toThrow(
      'Servers of an earlier release still use the database, and did not stop when asked. Stop them, then start this ' +
        'release again. Nothing was changed.',
    );
    await withUnmigrated<unknown, Schema>(location, async (database) => {
      const settings = await database.selectFrom('settings').select('key').execute();
      expect(settings.map(({ key }) => key)).not.toContain('servers stop before');
    });
    await programs.serve(VARIABLES);
  });

  test('stops servers that could not be asked before it ran', async () => {
    const server = await programs.serve(VARIABLES);
    // As if it had not run for a while.
    server.child.kill('SIGSTOP');
    expect(await upgrade()).toEqual(['stopping']);
    server.child.kill('SIGCONT');
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });
});
