// Runs on one engine: writers.test.ts starts servers with a new PostgreSQL database.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createClient, ok, paginate } from '../../../client/platform/index.ts';
import { escapePattern } from '../../support/patterns.ts';
import {
  type ExitStatus,
  finish,
  type ServerProgram,
  useTestPrograms,
} from '../../support/processes/program.ts';

const programs = useTestPrograms({ blank: true, shared: true });
const { serve } = programs;

/** Creates a client with a token. */
const as = (server: ServerProgram, token = '') => createClient({ baseUrl: server.url, token, retries: 0 });

/** Returns the IDs of the organizations of a client. */
const organizationsOf = (client: ReturnType<typeof as>) =>
  Array.fromAsync(paginate(client, '/v1/orgs', {}), ({ id }) => id);

/** Runs `npm run token` with the data of the test. */
const token = (...parameters: string[]) =>
  finish(process.execPath, ['server/commands/token.ts', ...parameters], programs.location.environment);

/** The first server of a location, and what it showed and left. */
let first: ServerProgram;
let organizations: string[];
let email: string;
let ended: ExitStatus;
let modes: number[];
/** The next server, which runs during the tests. */
let second: ServerProgram;

beforeAll(async () => {
  const { folder } = programs.location;
  first = await serve({ LOG_LEVEL: 'trace' });
  const client = as(first, first.token);
  organizations = await organizationsOf(client);
  email = (await ok(client.GET('/v1/user'))).email ?? '';
  ended = await first.stop();
  modes = await Promise.all(
    [folder, join(folder, 'secret-key')].map(async (path) => (await stat(path)).mode),
  );
  second = await serve();
});

test('the first start creates an organization, its admin and a token in private files, and prints them once', async () => {
  const database = escapePattern(join(programs.location.folder, 'colophon.sqlite'));
  expect(first.output.stdout).toMatch(
    new RegExp(`^Database: ${database} \\(SQLite\\)\nCreated an organization`),
  );
  expect(first.output.stdout).toMatch(/ {2}organization +org_\w+\n {2}admin +admin@localhost\n {2}token/);
  expect(first.token).toMatch(/^colophon_/);
  expect(organizations).toHaveLength(1);
  expect(first.output.stdout).toContain(organizations[0]);
  expect(email).toBe('admin@localhost');
  expect(modes.map((mode) => mode & 0o077)).toEqual([0, 0]);
  expect(ended).toEqual({ code: 0, signal: null });
  // No error was logged, and no token.
  expect(first.output.stderr).not.toMatch(/"level":[56]0/);
  expect(first.output.stderr).not.toContain(first.token);

  expect(second.output.stdout).toBe(`Documentation: ${second.url}/docs\n`);
  expect(await organizationsOf(as(second, first.token))).toEqual(organizations);
});

test('npm run token creates users and tokens that expire, and lists and revokes tokens, next to a running server', async () => {
  const options = ['--scopes', 'read,write', '--label', 'Nightly export'];
  const created = await token('create', '--email', 'admin@localhost', ...options);
  expect(created).toMatchObject({ code: 0, stderr: '' });
  const secret = created.stdout.trim();
  const client = as(second, secret);
  expect((await client.GET('/v1/user')).response.status).toBe(200);
  expect(await organizationsOf(client)).toEqual(organizations);
  const { error } = await client.POST('/v1/orgs', { body: { title: 'New' } });
  expect(error?.message).toContain('lacks the scope admin');

  const listed = await token('list', '--email', 'Admin@localhost');
  const line = /^(tok_\w+) {2}"Nightly export" {2}scopes read,write .* expires never$/m;
  const id = line.exec(listed.stdout)?.[1] ?? listed.stdout;
  expect(listed.stdout).not.toContain(secret);
  expect(await token('revoke', id)).toMatchObject({ code: 0, stdout: `Revoked ${id}.\n` });
  expect((await client.GET('/v1/user')).response.status).toBe(401);
  const again = await token('revoke', id);
  expect(again).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('does not exist or is already revoked'),
  });

  // Without a subcommand, for a new user.
  const leaked = (await token('--email', 'Ada@Example.com')).stdout.trim();
  const ada = as(second, leaked);
  expect((await ok(ada.GET('/v1/user'))).email).toBe('ada@example.com');
  expect((await ok(ada.GET('/v1/orgs'))).items).toEqual([]);
  expect((await token('revoke', leaked)).code).toBe(0);
  expect((await ada.GET('/v1/user')).response.status).toBe(401);

  const until = async (expires: Date) => {
    const { stdout, stderr } = await token('--email', 'admin@localhost', '--expires', expires.toISOString());
    expect(stderr).toBe('');
    const client = as(second, stdout.trim());
    return async () => (await client.GET('/v1/user')).response.status;
  };
  const [slowResponse, fastResponse] = await Promise.all([
    until(new Date(Date.now() + 3_600_000)),
    until(new Date(Date.now() + 5000)),
  ]);
  await expect.poll(fastResponse, { interval: 100 }).toBe(401);
  expect(await slowResponse()).toBe(200);
});
