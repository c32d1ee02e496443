import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { VARIABLES } from '../../server/config.ts';
import { finish, run, useTestPrograms } from '../support/program.ts';

const programs = useTestPrograms({ blank: true });
const { serve } = programs;

const nodeMain = (parameters: string[] = [], environment: Record<string, string> = {}) =>
  finish(process.execPath, ['server/main.ts', ...parameters], {
    ...programs.location.environment,
    ...environment,
  });

describe('a server', () => {
  test('serves the documentation, and logs one line of JSON per request, without secrets', async () => {
    const server = await serve({ LOG_LEVEL: 'trace' });
    const secrets = {
      token: server.token ?? '',
      other: 'a-token-of-nobody',
      key: 'a-share-key-of-somebody',
      password: 's3cret-passw0rd',
    };
    const request = async (path: string, token: string, body?: object) => {
      const response = await fetch(`${server.url}${path}`, {
        headers: {
          Authorization: `Bearer ${token}`,
          Cookie: `session=${secrets.other}`,
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      const requestId = response.headers.get('x-request-id') ?? 'none';
      await server.until('stderr', new RegExp(requestId));
      return response;
    };
    const published = `/v1/orgs/org_nobody/sites/site_nothing/published`;
    expect((await request('/v1/user', secrets.token)).status).toBe(200);
    expect((await request('/v1/user', secrets.other)).status).toBe(401);
    for (const token of [secrets.token, secrets.other]) {
      await request(`${published}?shareKey=${secrets.key}`, token);
    }
    await request(`/nowhere?shareKey=${secrets.key}`, secrets.token);
    const page = await request('/docs', secrets.token);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<!doctype html>');

    // The credentials of a repository that cannot be imported.
    const [, organization] = /organization +(\S+)/.exec(server.output.stdout) ?? [];
    const created = await request(`/v1/orgs/${organization}/spaces`, secrets.token, { title: 'Guide' });
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { id: string };
    const imported = await request(`/v1/spaces/${id}/git/import`, secrets.token, {
      url: `http://ada:${secrets.password}@127.0.0.1:1/docs.git`,
      ref: 'refs/heads/main',
    });
    expect(imported.status).toBe(204);
    await server.until('stderr', /"msg":"job failed/);
    await server.stop();

    const lines = server.output.stderr.trim().split('\n');
    const served = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request completed');
    expect(served.map(({ path, status }) => [path, status]).slice(0, 2)).toEqual([
      ['/v1/user', 200],
      ['/v1/user', 401],
    ]);
    expect(served).toHaveLength(8);
    for (const secret of Object.values(secrets)) {
      expect(server.output.stderr).not.toContain(secret);
    }
  });

  test.skipIf(process.platform !== 'linux')('logs text if standard error is a terminal', async () => {
    const command = `exec ${process.execPath} server/main.ts`;
    const environment = { PORT: '0', NO_COLOR: '1', ...programs.location.environment };
    const terminal = run('script', ['-qfec', command, '/dev/null'], environment);
    onTestFinished(() => void terminal.child.kill());
    const [, url] = await terminal.until('stdout', /Documentation: (\S+)\/docs/);
    await fetch(`${url}/v1/user`);
    const line =
      /^\d\d:\d\d:\d\d INFO {2}request completed requestId=\S+ method=GET path=\/v1\/user .*status=401/m;
    await terminal.until('stdout', line);
    terminal.child.kill('SIGTERM');
    await terminal.ended;
  });
});

describe('a failing start', () => {
  test('reports in one line that the port is in use, and creates nothing', async () => {
    const other = createServer();
    await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
    // The address of a listening TCP server is never a string or null.
    const { port } = other.address() as AddressInfo;
    const ended = await nodeMain([], { PORT: String(port) });
    other.close();
    expect(ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `PORT ${port} is in use by another program. Stop that program, or set another port, such as PORT=3001.\n`,
    });
    expect(existsSync(programs.location.folder)).toBe(false);
  });

  test.each([
    ['PORT', { PORT: 'eighty' }],
    ['COLOPHON_SECRET_KEY', { DATABASE_URL: 'postgres://ada@127.0.0.1/docs', COLOPHON_SECRET_KEY: '' }],
  ])('reports %s, its valid values and its description, in one line', async (name, environment) => {
    const ended = await nodeMain([], environment);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(new RegExp(`^${name} is .+\\. Set it to .+ \\(.+\\)\\.\\n$`));
  });

  test('reports in one line that the database cannot be reached, without its password', async () => {
    const ended = await nodeMain([], {
      PORT: '0',
      DATABASE_URL: 'postgres://ada:s3cret-passw0rd@127.0.0.1:1/docs',
      COLOPHON_SECRET_KEY: 'a secret key of the tests, 32 characters or more',
    });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^The server could not start: .*ECONNREFUSED.*\n$/);
    expect(ended.stderr).not.toContain('s3cret-passw0rd');
  });

  test('reports in one line that the key of the data folder is damaged', async () => {
    await mkdir(programs.location.folder, { mode: 0o700 });
    await writeFile(join(programs.location.folder, 'secret-key'), 'half');
    const ended = await nodeMain([], { PORT: '0', LOG_LEVEL: 'error' });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^The server could not start: .*secret-key is damaged.*\n$/);
  });
});

describe('the command line', () => {
  test('lists every variable with its description and default', async () => {
    const { code, stdout } = await nodeMain(['--help']);
    expect(code).toBe(0);
    for (const variable of VARIABLES) {
      const line = stdout.split('\n').find((text) => text.includes(` ${variable.name} `));
      expect(line).toContain(variable.description);
      expect(line).toContain(variable.default);
    }
    expect(existsSync(programs.location.folder)).toBe(false);
  });

  test('rejects unknown options', async () => {
    const ended = await nodeMain(['--port', '3001']);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^Unknown option --port\. .*--help.*\n$/);
  });
});

describe('npm run token', () => {
  test.each([
    ['without a mail address', [], /--email/],
    ['for an invalid email address', ['--email', 'ada'], /Must be an email address/],
    [
      'that has ended already',
      ['--email', 'a@b.c', '--expires', '2020-01-01'],
      /Must be a date in the future/,
    ],
  ])('creates no token %s', async (_, parameters, message) => {
    const { code, stdout, stderr } = await finish(
      process.execPath,
      ['server/commands/token.ts', ...parameters],
      programs.location.environment,
    );
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
  });
});
