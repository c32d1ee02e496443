import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Program, ROOT, run } from '../../support/processes/program.ts';
import { type CommandResult, runCommand, SCRIPTS } from '../run-command.ts';

const CLI = join(ROOT, 'spec/toolchain/cli.ts');
const TOKEN = 'tok_12345678';

const json = {
  'application/json': {
    schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
};
const rejected = { description: 'refused', content: { 'application/json': { schema: { type: 'object' } } } };
const document = {
  openapi: '3.1.0',
  info: { title: 'Greetings', version: '3' },
  security: [{ token: [] }],
  paths: {
    '/greeting': {
      get: {
        operationId: 'getGreeting',
        responses: { 200: { description: 'ok', content: json }, default: rejected },
      },
    },
    '/later': {
      get: { operationId: 'getLater', responses: { 200: { description: 'ok' }, default: rejected } },
    },
  },
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
};

let server: Server;
let url: string;
let folder: string;
/** Response of the server for the greeting. */
let greeting: { status: number; body: string };
let methods: string[] = [];
/** Called for each request of an operation. */
let onRequest = () => {};

beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    const end = (status: number, body: unknown) =>
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    const path = request.url?.split('?')[0];
    if (path === '/openapi.json') {
      return end(200, document);
    }
    onRequest();
    methods.push(`${request.method} ${path}`);
    if (path !== '/greeting' && path !== '/later') {
      return end(404, {});
    }
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      return end(401, {});
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return end(405, {});
    }
    return path === '/later' ? end(501, {}) : end(greeting.status, greeting.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this type.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conform-'));
  greeting = { status: 200, body: '{"name":"x"}' };
  methods = [];
  onRequest = () => {};
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** Runs the command in this process, with the token in the environment. It writes files to absolute paths only. */
function conform(args: string[]): Promise<CommandResult> {
  vi.stubEnv('COLOPHON_TOKEN', TOKEN);
  return runCommand(SCRIPTS, folder, ['conform', ...args]);
}

/** Starts the command as a process in an empty folder. */
const start = (args: string[], environment: Record<string, string> = { COLOPHON_TOKEN: TOKEN }): Program =>
  run(process.execPath, [CLI, 'conform', ...args], environment, folder);

async function conformAsProcess(args: string[], environment?: Record<string, string>) {
  const { ended, output } = start(args, environment);
  const { code } = await ended;
  return { code, out: output.stdout, err: output.stderr };
}

describe('a conforming server', () => {
  test('exits with 0 and reports the coverage', async () => {
    const { code, out, err } = await conformAsProcess([
      '--url',
      url,
      '--seed',
      '4',
      '--max-requests',
      '200',
      '--json',
      'a.json',
      '--junit',
      'a.xml',
      '--html',
      'a.html',
    ]);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain('No failures.');
    expect(out).toContain('Not implemented (501, not a failure)\n  getLater');
    expect(out).toContain(
      `Repeat this run (seed 4): npm run conform -- --url ${url}/ --seed 4 --max-seconds 60 --max-requests 200`,
    );
    expect(out + err).not.toContain(TOKEN);
    const report = JSON.parse(await readFile(join(folder, 'a.json'), 'utf8'));
    expect(report).toMatchObject({ failures: [], seed: 4, notImplemented: ['getLater'] });
    expect(await readFile(join(folder, 'a.xml'), 'utf8')).toContain('name="getGreeting"/>');
    expect(await readFile(join(folder, 'a.html'), 'utf8')).toContain(
      '<p class="verdict passed">No failures</p>',
    );
    expect(existsSync(join(folder, 'colophon-conform-replay.json'))).toBe(false);
  });

  test('can be tested in part, with a contract in YAML', async () => {
    await writeFile(join(folder, 'api.yaml'), JSON.stringify(document, null, 1));
    const { code, out } = await conform([
      '--url',
      url,
      '--contract',
      'api.yaml',
      '--only',
      'getGreeting',
      '--max-requests',
      '50',
      '--exclude-checks',
      'allow-header',
      'undeclared-method',
    ]);
    expect(code).toBe(0);
    expect(out).toContain('Excluded checks\n  allow-header\n  undeclared-method');
    expect(methods.join()).not.toContain('/later');
  });
});

describe('a non-conforming server', () => {
  test('exits with 1, and its failures can be replayed until they are fixed', async () => {
    greeting = { status: 200, body: '{"name":7}' };
    const first = await conformAsProcess(
      ['--url', url, '--max-requests', '200', '--token', TOKEN, '--json', 'a.json'],
      {},
    );
    expect(first.code).toBe(1);
    expect(first.out).toContain('1. getGreeting: declared-body');
    expect(first.out).not.toContain(TOKEN);
    const [failure] = JSON.parse(await readFile(join(folder, 'a.json'), 'utf8')).failures;
    expect(failure).toMatchObject({
      operation: 'getGreeting',
      check: 'declared-body',
      steps: [{ request: { method: 'GET', target: '/greeting' } }],
    });
    const file = 'colophon-conform-replay.json';
    expect(first.out).toContain(`Run them with --replay ${file}`);

    const path = join(folder, file);
    const replayed = ['--url', url, '--replay', path, '--save-replay', join(folder, 'again.json')];
    const again = await conform(replayed);
    expect(again.code).toBe(1);
    expect(again.out).toContain('1. getGreeting: declared-body');

    methods = [];
    greeting = { status: 200, body: '{"name":"x"}' };
    expect((await conform(replayed)).code).toBe(0);
    // The other requests show whether the server still responds.
    expect(methods.filter((line) => line !== 'GET /')).toEqual(['GET /greeting']);

    const replay = JSON.parse(await readFile(path, 'utf8'));
    replay.plans[0].steps[0].operation = 'gone';
    await writeFile(path, JSON.stringify(replay));
    const unfit = await conform(replayed);
    expect(unfit).toMatchObject({ code: 2 });
    expect(unfit.err).toContain('uses the operation gone, which Greetings 3 does not have');
  });
});

describe('invalid input exits with 2 and reports how to fix it', () => {
  test.each<[string, () => string[], string]>([
    ['no URL', () => [], 'The URL of the server is missing. Pass it: --url'],
    ['another protocol', () => ['--url', 'ftp://x'], 'begins with http:// or https://'],
    ['credentials in the URL', () => ['--url', 'http://a:b@localhost'], 'Pass them with --token'],
    ['a query in the URL', () => ['--url', 'http://localhost/?a=b'], 'contains a query or fragment'],
    ['an unreachable server', () => ['--url', 'http://127.0.0.1:1'], 'cannot be reached'],
    [
      'no contract at the URL',
      () => ['--url', `${url}/nowhere`],
      'returned 404, so no contract is available',
    ],
    ['no contract in the file', () => ['--url', url, '--contract', 'none.json'], 'the file does not exist'],
    ['a fraction', () => ['--url', url, '--max-requests', '1.5'], 'Pass an integer from 1'],
    ['no time', () => ['--url', url, '--max-seconds', '0'], 'Pass a number greater than 0'],
    ['an unknown check', () => ['--url', url, '--exclude-checks', 'fun'], 'Unknown check "fun"'],
    ['an unknown option', () => ['--url', url, '--fun'], "unknown option '--fun'"],
    ['no replay file', () => ['--url', url, '--replay', 'none.json'], 'none.json cannot be read'],
    ['a pattern without matches', () => ['--url', url, '--only', 'nothing*'], 'nothing*'],
    [
      'a report in a missing folder',
      () => ['--url', url, '--max-requests', '5', '--json', 'no/a.json'],
      'cannot be written to no/a.json',
    ],
  ])('%s', async (_, args, message) => {
    const { code, err } = await conform(args());
    expect(err).toContain(message);
    expect(err).not.toContain('    at ');
    expect(code).toBe(2);
  });

  test('an unknown token', async () => {
    const wrong = await conform(['--url', url, '--max-requests', '50', '--token', 'wrong']);
    expect(wrong.err).toContain('rejected every request as unauthenticated');
    expect(wrong.err).toContain('The token is invalid');
    expect(wrong.code).toBe(2);
  });
});

test('ends the run at the first interrupt, and reports it', async () => {
  const bounds = ['--max-seconds', '60', '--rate', '5'];
  const { child, ended, output } = start(['--url', url, ...bounds, '--json', 'a.json']);
  onRequest = () => void child.kill('SIGINT');
  expect((await ended).code).toBe(0);
  expect(output.stdout).toContain('The run was interrupted');
  expect(JSON.parse(await readFile(join(folder, 'a.json'), 'utf8')).end).toBe('interrupted');
});

test('lists the checks without a server', async () => {
  const { code, out } = await conform(['--list-checks']);
  expect(code).toBe(0);
  for (const name of ['no-server-error', 'isolation']) {
    expect(out).toContain(name);
  }
});
