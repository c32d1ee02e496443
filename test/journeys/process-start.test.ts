import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createClient, ok, paginate } from '../../client/platform/index.ts';
import { isFirstEngine, testEngine } from '../support/engines.ts';
import { finish, type ServerProgram, useTestPrograms } from '../support/program.ts';

const programs = useTestPrograms({ blank: true });
const { serve } = programs;

/** Creates a client with a token. */
const as = (server: ServerProgram, token = '') => createClient({ baseUrl: server.url, token, retries: 0 });

/** Returns the only organization of a client. */
async function onlyOrganization(client: ReturnType<typeof as>): Promise<string> {
  const { items } = await ok(client.GET('/v1/orgs'));
  expect(items).toHaveLength(1);
  return items[0]?.id ?? '';
}

/** Runs `npm run token` with the data of the test. */
const token = (...parameters: string[]) =>
  finish(process.execPath, ['server/commands/token.ts', ...parameters], programs.location.environment);

describe('the first start', () => {
  test.runIf(isFirstEngine)(
    'creates an organization, its admin and a token in private files, and prints them once',
    async () => {
      const first = await serve();
      expect(first.output.stdout).toMatch(/ {2}organization +org_\w+\n {2}admin +admin@localhost\n {2}token/);
      expect(first.token).toMatch(/^colophon_/);
      const organization = await onlyOrganization(as(first, first.token));
      expect(first.output.stdout).toContain(organization);
      expect((await ok(as(first, first.token).GET('/v1/user'))).email).toBe('admin@localhost');

      expect((await stat(programs.location.folder)).mode & 0o077).toBe(0);
      const key = join(programs.location.folder, 'secret-key');
      expect(existsSync(key)).toBe(testEngine() === 'sqlite');
      if (testEngine() === 'sqlite') {
        expect((await stat(key)).mode & 0o077).toBe(0);
      }
      expect(await first.stop()).toEqual({ code: 0, signal: null });
      // Nothing was logged as an error.
      expect(first.output.stderr).not.toMatch(/"level":[56]0/);

      const second = await serve();
      expect(second.output.stdout).toBe(`Documentation: ${second.url}/docs\n`);
      expect(await onlyOrganization(as(second, first.token))).toBe(organization);
    },
  );

  test.runIf(isFirstEngine)('uses the token of the environment, and logs no token', async () => {
    const specified = 'a-token-that-automation-chose-for-the-first-admin';
    const server = await serve({ COLOPHON_BOOTSTRAP_TOKEN: specified, LOG_LEVEL: 'trace' });
    expect(server.token).toBe(specified);
    await onlyOrganization(as(server, specified));

    const body = { label: 'Secret' };
    const { token: secret } = await ok(as(server, specified).POST('/v1/user/tokens', { body }));
    await ok(as(server, secret).GET('/v1/user/tokens'));
    const { error } = await as(server, `${secret}x`).GET('/v1/user');
    await server.until('stderr', new RegExp(String(error?.requestId)));
    expect(server.output.stderr).not.toContain(specified);
    expect(server.output.stderr).not.toContain(secret);
    expect(server.output.stdout).not.toContain(secret);
  });
});

// SQLite allows one server.
describe.skipIf(testEngine() === 'sqlite')('two processes that start with the same new database', () => {
  test('create one organization, and share cursors and revoked tokens', async () => {
    const [first, second] = await Promise.all([serve(), serve()]);
    const tokens = [first.token, second.token].filter((printed) => printed !== undefined);
    expect(tokens).toHaveLength(1);
    const [here, there] = [as(first, tokens[0]), as(second, tokens[0])];
    const organizationId = await onlyOrganization(here);
    expect(await onlyOrganization(there)).toBe(organizationId);

    const path = '/v1/orgs/{organizationId}/collections';
    const params = { path: { organizationId } };
    const titles = ['a', 'b', 'c', 'd'];
    for (const [index, title] of titles.entries()) {
      await ok((index % 2 ? here : there).POST(path, { params, body: { title } }));
    }
    const page = await ok(here.GET(path, { params: { ...params, query: { limit: 2 } } }));
    const rest = paginate(there, path, {
      params: { ...params, query: { limit: 2, page: page.next?.page } },
    });
    expect(await Array.fromAsync(rest, ({ title }) => title)).toEqual(['c', 'd']);

    const { id, token: secret } = await ok(here.POST('/v1/user/tokens', { body: { label: 'Shared' } }));
    const elsewhere = as(second, secret);
    expect((await elsewhere.GET('/v1/user')).response.status).toBe(200);
    await ok(here.DELETE('/v1/user/tokens/{tokenId}', { params: { path: { tokenId: id } } }));
    expect((await elsewhere.GET('/v1/user')).response.status).toBe(401);
  });
});

test.runIf(isFirstEngine)(
  'npm run token creates users and tokens that expire, and lists and revokes tokens, next to a running server',
  async () => {
    const server = await serve();
    const options = ['--scopes', 'read,write', '--label', 'Nightly export'];
    const created = await token('create', '--email', 'admin@localhost', ...options);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const secret = created.stdout.trim();
    const client = as(server, secret);
    expect((await client.GET('/v1/user')).response.status).toBe(200);
    await onlyOrganization(client);
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
    const ada = as(server, leaked);
    expect((await ok(ada.GET('/v1/user'))).email).toBe('ada@example.com');
    expect((await ok(ada.GET('/v1/orgs'))).items).toEqual([]);
    expect((await token('revoke', leaked)).code).toBe(0);
    expect((await ada.GET('/v1/user')).response.status).toBe(401);

    const until = async (expires: Date) => {
      const { stdout, stderr } = await token(
        '--email',
        'admin@localhost',
        '--expires',
        expires.toISOString(),
      );
      expect(stderr).toBe('');
      const client = as(server, stdout.trim());
      return async () => (await client.GET('/v1/user')).response.status;
    };
    const [slowResponse, fastResponse] = await Promise.all([
      until(new Date(Date.now() + 3_600_000)),
      until(new Date(Date.now() + 5000)),
    ]);
    await expect.poll(fastResponse, { interval: 100 }).toBe(401);
    expect(await slowResponse()).toBe(200);
  },
);
