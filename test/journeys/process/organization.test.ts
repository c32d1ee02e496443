import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createClient, ok } from '../../../client/platform/index.ts';
import { openShareSecret } from '../../../server/platform/sites/share-links/queries/secrets.ts';
import { openSigningKey } from '../../../server/platform/sites/visitors/signing-keys.ts';
import { SECRET_KEY } from '../../support/environment.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import { createDataLocation, finish, run, runServer } from '../../support/processes/program.ts';
import { TEMPORARY_FOLDER } from '../../support/processes/temporary.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { fillOrganization, STORED_SECRET } from '../../support/transfers/full-organization.ts';

const PATIENCE = { timeout: 90_000, interval: 50 };

type Environment = Record<string, string>;

const command = (name: string, environment: Environment, ...parameters: string[]) =>
  finish(process.execPath, [`server/commands/${name}.ts`, ...parameters], environment);

/** Returns the secrets of the organization of a server. */
async function secretsOf({ database: { query }, admin }: TestServer): Promise<string[]> {
  const links = await query.selectFrom('shareLinks').select(['id', 'secret', 'secretHash']).execute();
  const keys = await query.selectFrom('sites').select(['id', 'signingKey']).execute();
  const invites = await query.selectFrom('linkInvites').select('id').execute();
  const hashes = await query.selectFrom('tokens').select('hash').execute();
  const secrets = [
    ...links.flatMap((row) => [row.secret, row.secretHash, openShareSecret(SECRET_KEY, row)]),
    ...keys.flatMap((row) => [row.signingKey, openSigningKey(SECRET_KEY, row)]),
    ...invites.map(({ id }) => id),
    ...hashes.map(({ hash }) => hash),
    ...[admin.token, SECRET_KEY, STORED_SECRET],
  ];
  expect(secrets.filter((secret) => secret.length < 8)).toEqual([]);
  return secrets;
}

test('an organization leaves a running server, and arrives at another one', async () => {
  const [git, server] = await Promise.all([startGitServer(), startTestServer()]);
  const folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-exports-'));
  onTestFinished(async () => {
    await Promise.all([git.close(), server.stop(), rm(folder, { recursive: true })]);
  });
  const resources = await fillOrganization(server, git);
  const space = await resources.idFor('spaceId');
  const source: Environment = {
    COLOPHON_SECRET_KEY: SECRET_KEY,
    ...('url' in server.location
      ? { DATABASE_URL: server.location.url }
      : { COLOPHON_DATA: server.location.folder }),
  };
  const place = join(folder, 'organization');
  const exported = await command('export', source, '--organization', server.organization, place);
  expect(exported).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^Created .* with \d+ records, \d+ files and \d+ Git repositories, and verified it\./,
    ),
  });
  expect(await readdir(folder)).toEqual(['organization']);
  expect((await stat(place)).mode & 0o777).toBe(0o700);
  const again = await command('export', source, '--organization', server.organization, place);
  expect(again).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Exports do not overwrite'),
  });

  const secrets = await secretsOf(server);
  for (const entry of await readdir(place, { recursive: true, withFileTypes: true })) {
    const text = entry.isFile() ? await readFile(join(entry.parentPath, entry.name), 'latin1') : '';
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  }

  const clone = join(folder, 'clone');
  const repository = join(place, 'repositories', `${space}.git`);
  expect(await finish('git', ['clone', '--quiet', repository, clone])).toMatchObject({ code: 0 });
  expect(await readFile(join(clone, 'README.md'), 'utf8')).toContain('# Welcome');
  const branch = await finish('git', ['-C', clone, 'show', 'origin/change-requests/1:linked.md']);
  expect(branch.stdout).toContain('See [another space]');

  const destination = await createDataLocation({ blank: true });
  onTestFinished(() => destination.remove());
  const other = await runServer({ ...destination.environment, COLOPHON_RATE_LIMIT: 'off' });
  onTestFinished(async () => {
    await other.stop('SIGKILL');
  });
  // Killed at any time, it leaves nothing that anybody sees, or has completed.
  const admin = createClient({ baseUrl: other.url, token: other.token ?? '', retries: 0 });
  for (let ms = 400; ms < 1500; ms *= 1.4) {
    const program = run(
      process.execPath,
      ['server/commands/import-organization.ts', place],
      destination.environment,
    );
    await delay(ms);
    program.child.kill('SIGKILL');
    await program.ended;
  }
  await vi.waitFor(async () => {
    const { code, stderr } = await command('import-organization', destination.environment, place);
    expect(code === 0 ? '--new-ids' : stderr).toContain('--new-ids');
  }, PATIENCE);
  const refused = await command('import-organization', destination.environment, place);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--new-ids') });
  const { items } = await ok(admin.GET('/v1/orgs'));
  expect(items.map(({ id }) => id)).toContain(server.organization);

  const member = await resources.idFor('userId');
  const { email } = await server.database.query
    .selectFrom('users')
    .select('email')
    .where('id', '=', member)
    .executeTakeFirstOrThrow();
  const issued = await command('token', destination.environment, '--email', email ?? '');
  const client = createClient({ baseUrl: other.url, token: issued.stdout.trim(), retries: 0 });
  expect(await ok(client.GET('/v1/user'))).toMatchObject({ id: member });
  const params = { path: { organizationId: server.organization }, query: { query: 'welcome' } };
  await vi.waitFor(async () => {
    const found = await ok(client.GET('/v1/orgs/{organizationId}/search', { params }));
    expect(JSON.stringify(found.items)).toContain(space);
  }, PATIENCE);
  await vi.waitFor(async () => {
    expect(await command('doctor', destination.environment)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The data are sound\.$/m),
    });
  }, PATIENCE);

  const copied = await command('import-organization', destination.environment, '--new-ids', place);
  expect(copied).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Imported My organization as org_/m),
  });
  expect((await ok(admin.GET('/v1/orgs'))).items).toHaveLength(items.length + 1);
  await vi.waitFor(async () => {
    expect(await command('doctor', destination.environment)).toMatchObject({ code: 0 });
  }, PATIENCE);
});
