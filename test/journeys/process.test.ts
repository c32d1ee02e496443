import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { VARIABLES } from '../../server/app/config-variables.ts';
import { copyMigrated } from '../support/database/engines.ts';
import { startGitServer } from '../support/git/git-server.ts';
import { finish, run, type ServerProgram, useTestPrograms } from '../support/processes/program.ts';

describe('a server that logs everything', () => {
  const programs = useTestPrograms({ blank: true, shared: true });
  const secrets = {
    token: 'a-token-that-automation-chose-for-the-first-admin',
    other: 'a-token-of-nobody',
    key: 'a-share-key-of-somebody',
    password: 's3cret-passw0rd',
    created: '',
  };
  let server: ServerProgram;
  let page: string;
  /** Path and status of each request. */
  const sent: [path: string, status: number][] = [];

  /** Sends a request, and waits until the server has logged it. */
  const request = async (path: string, token: string, body?: object) => {
    const response = await fetch(`${server.url}${path}`, {
      headers: {
        Authorization: `Bearer ${token}`,
        Cookie: `session=${secrets.other}`,
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    sent.push([path.replace(/\?.*/, ''), response.status]);
    await server.until('stderr', new RegExp(response.headers.get('x-request-id') ?? 'none'));
    return response;
  };

  beforeAll(async () => {
    server = await programs.serve({
      COLOPHON_BOOTSTRAP_TOKEN: secrets.token,
      LOG_LEVEL: 'trace',
      NODE_OPTIONS: `--import=${import.meta.resolve('../support/contract/report-compiling.ts')}`,
    });
    await request('/v1/user', secrets.token);
    await request('/v1/user', secrets.other);
    const created = await request('/v1/user/tokens', secrets.token, { label: 'Secret' });
    secrets.created = ((await created.json()) as { token: string }).token;
    await request('/v1/user/tokens', secrets.created);
    await request('/v1/user', `${secrets.created}x`);
    for (const token of [secrets.token, secrets.other]) {
      await request(`/v1/orgs/org_nobody/sites/site_nothing/published?shareKey=${secrets.key}`, token);
    }
    await request(`/nowhere?shareKey=${secrets.key}`, secrets.token);
    page = await (await request('/docs', secrets.token)).text();

    // The credentials of a repository that is unreachable, and of one that rejects them.
    const git = await startGitServer({ credentials: { username: 'ada', password: 'other' } });
    const { url } = await git.createRepository({});
    const [, organization] = /organization +(\S+)/.exec(server.output.stdout) ?? [];
    const createSpace = async () => {
      const space = await request(`/v1/orgs/${organization}/spaces`, secrets.token, { title: 'Guide' });
      return ((await space.json()) as { id: string }).id;
    };
    const ref = 'refs/heads/main';
    await request(`/v1/spaces/${await createSpace()}/git/import`, secrets.token, {
      url: `http://ada:${secrets.password}@127.0.0.1:1/docs.git`,
      ref,
    });
    await request(`/v1/spaces/${await createSpace()}/git/export`, secrets.token, {
      url: url.replace('//', `//ada:${secrets.password}@`),
      ref,
      commitMessage: 'Export',
    });
    await server.until('stderr', /127\.0\.0\.1:1\b.*"msg":"job failed/);
    await server.until('stderr', /rejected the credentials.*"msg":"job failed/);
    await server.stop();
    await git.close();
  });

  test('uses the token of the environment', () => {
    expect(server.token).toBe(secrets.token);
    expect(sent[0]).toEqual(['/v1/user', 200]);
  });

  test('serves the documentation', () => {
    expect(sent).toContainEqual(['/docs', 200]);
    expect(page).toContain('<!doctype html>');
  });

  test('logs one line of JSON per request', () => {
    const lines = server.output.stderr.trim().split('\n');
    const served = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request completed');
    expect(served.map(({ path, status }) => [path, status])).toEqual(sent);
    expect(sent.map(([, status]) => status)).toEqual([
      ...[200, 401, 201, 200, 401],
      ...[404, 401, 404, 200],
      ...[201, 204, 201, 204],
    ]);
  });

  test('logs no secrets', () => {
    for (const secret of Object.values(secrets)) {
      expect(secret).not.toBe('');
      expect(server.output.stderr).not.toContain(secret);
    }
    expect(server.output.stdout).not.toContain(secrets.created);
  });

  test('compiles only the validators of its requests if COLOPHON_COMPILE_AHEAD is off', () => {
    const count = server.output.stdout.match(/^compiled a schema$/gm)?.length ?? 0;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(50);
  });
});

const programs = useTestPrograms({ blank: true });

const nodeMain = (parameters: string[] = [], environment: Record<string, string> = {}) =>
  finish(process.execPath, ['server/main.ts', ...parameters], {
    ...programs.location.environment,
    ...environment,
  });

describe('a server', () => {
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

  test.each<[string, RegExp, (folder: string) => Promise<void>]>([
    [
      'the key of the data folder is damaged',
      /secret-key is damaged.*Restore it/,
      async (folder) => {
        await copyMigrated(folder);
        await writeFile(join(folder, 'secret-key'), 'half');
      },
    ],
    [
      'the database is missing, but not its key',
      /colophon\.sqlite is missing or empty.*Restore colophon\.sqlite.*move secret-key/,
      (folder) => writeFile(join(folder, 'secret-key'), 'k'.repeat(43)),
    ],
    [
      'the database is corrupt',
      /The database is corrupt\. Stop the server and restore the database from a backup\./,
      (folder) => writeFile(join(folder, 'colophon.sqlite'), 'x'.repeat(8192)),
    ],
  ])('reports in one line that %s, and that it must be restored', async (_, message, damage) => {
    const { folder } = programs.location;
    await mkdir(folder, { mode: 0o700 });
    await damage(folder);
    const files = await readdir(folder);
    const started = await nodeMain([], { PORT: '0', LOG_LEVEL: 'silent' });
    const listed = await finish(
      process.execPath,
      ['server/commands/token.ts', 'list', '--email', 'a@b.c'],
      programs.location.environment,
    );
    expect(started).toMatchObject({ code: 1, stdout: '' });
    expect(started.stderr).toMatch(new RegExp(`^The server could not start: .*${message.source}.*\\n$`));
    expect(started.stderr).not.toMatch(/again/);
    expect(listed.code).toBe(1);
    // Commands do not use the key.
    expect(listed.stderr).toMatch(message.source.includes('damaged') ? /No user/ : message);
    const created = (await readdir(folder)).filter((name) => !files.includes(name) && isData(name));
    expect(created).toEqual([]);
  });
});

const isData = (name: string) => name.startsWith('colophon.sqlite') || name === 'secret-key';

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
