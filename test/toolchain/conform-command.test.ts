import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Program, ROOT, run } from '../support/program.ts';

const CLI = join(ROOT, 'spec/toolchain/cli.ts');
const TOKEN = 'tok_12345678';

const json = {
  'application/json': {
    schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
};
const refused = { description: 'refused', content: { 'application/json': { schema: { type: 'object' } } } };
const document = {
  openapi: '3.1.0',
  info: { title: 'Greetings', version: '3' },
  security: [{ token: [] }],
  paths: {
    '/greeting': {
      get: {
        operationId: 'getGreeting',
        responses: { 200: { description: 'ok', content: json }, default: refused },
      },
    },
    '/later': {
      get: { operationId: 'getLater', responses: { 200: { description: 'ok' }, default: refused } },
    },
  },
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
};

let server: Server;
let url: string;
let folder: string;
/** What the server answers who asks for the greeting. */
let greeting: { status: number; body: string };
let methods: string[] = [];
/** Told of the next request of an operation. */
let onRequest = () => {};

beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    const end = (status: number, body: unknown) =>
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    const path = request.url?.split('?')[0];
    if (path === '/openapi.json') return end(200, document);
    onRequest();
    methods.push(`${request.method} ${path}`);
    if (path !== '/greeting' && path !== '/later') return end(404, {});
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return end(401, {});
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return end(405, {});
    }
    return path === '/later' ? end(501, {}) : end(greeting.status, greeting.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of that kind.
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
afterEach(() => rm(folder, { recursive: true }));

/** Runs the command as a process of its own, in an empty folder. */
const start = (args: string[], environment: Record<string, string> = { COLOPHON_TOKEN: TOKEN }): Program =>
  run(process.execPath, [CLI, 'conform', ...args], environment, folder);

async function conform(args: string[], environment?: Record<string, string>) {
  const { ended, output } = start(args, environment);
  const { code } = await ended;
  return { code, out: output.stdout, err: output.stderr };
}

describe('a server that keeps its contract', () => {
  test('ends with 0, and reports what was tried', async () => {
    const { code, out, err } = await conform([
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
    ]);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain('Nothing was found.');
    expect(out).toContain('Not implemented (501), which is no failure\n  getLater');
    expect(out).toContain(
      `The same run again (seed 4): npm run conform -- --url ${url}/ --seed 4 --max-seconds 60 --max-requests 200`,
    );
    expect(out + err).not.toContain(TOKEN);
    const report = JSON.parse(await readFile(join(folder, 'a.json'), 'utf8'));
    expect(report).toMatchObject({ failures: [], seed: 4, notImplemented: ['getLater'] });
    expect(await readFile(join(folder, 'a.xml'), 'utf8')).toContain('name="getGreeting"/>');
    expect(existsSync(join(folder, 'colophon-conform-replay.json'))).toBe(false);
  });

  test('may be given its contract, in YAML too, and be asked for a part', async () => {
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
      '--leave-out',
      'allow',
      'method',
    ]);
    expect(code).toBe(0);
    expect(out).toContain('Checks left out\n  allow\n  method');
    expect(methods.join()).not.toContain('/later');
  });
});

describe('a server that breaks its contract', () => {
  test('ends with 1; its failures can be run again, until they are mended', async () => {
    greeting = { status: 200, body: '{"name":7}' };
    const first = await conform(
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
    expect(first.out).toContain(`run them with --replay ${file}`);

    methods = [];
    const again = await conform(['--url', url, '--replay', file]);
    expect(again.code).toBe(1);
    expect(again.out).toContain('1. getGreeting: declared-body');

    methods = [];
    greeting = { status: 200, body: '{"name":"x"}' };
    expect((await conform(['--url', url, '--replay', file])).code).toBe(0);
    expect(methods).toEqual(['GET /greeting']);

    const replay = JSON.parse(await readFile(join(folder, file), 'utf8'));
    replay.plans[0].steps[0].operation = 'gone';
    await writeFile(join(folder, file), JSON.stringify(replay));
    const unfit = await conform(['--url', url, '--replay', file]);
    expect(unfit).toMatchObject({ code: 2 });
    expect(unfit.err).toContain('asks for the operation gone, which Greetings 3 has not');
  });
});

describe('what cannot be done ends with 2 and says how to mend it', () => {
  test.each<[string, () => string[], string]>([
    ['no address', () => [], 'The address of the server is missing. Give it: --url'],
    ['no address of HTTP', () => ['--url', 'ftp://x'], 'begins with http:// or https://'],
    ['credentials in the address', () => ['--url', 'http://a:b@localhost'], 'give them with --token'],
    ['a query in the address', () => ['--url', 'http://localhost/?a=b'], 'leave it out'],
    ['nobody there', () => ['--url', 'http://127.0.0.1:1'], 'cannot be reached'],
    [
      'no contract at the address',
      () => ['--url', `${url}/nowhere`],
      'was answered 404, so there is no contract',
    ],
    ['no contract in the file', () => ['--url', url, '--contract', 'none.json'], 'there is no such file'],
    ['a number that is none', () => ['--url', url, '--max-requests', '1.5'], 'Give a whole number from 1'],
    ['no time', () => ['--url', url, '--max-seconds', '0'], 'Give a number above 0'],
    ['an unknown check', () => ['--url', url, '--leave-out', 'fun'], 'There is no check "fun"'],
    ['an unknown option', () => ['--url', url, '--fun'], "unknown option '--fun'"],
    ['no replay file', () => ['--url', url, '--replay', 'none.json'], 'none.json cannot be read'],
    ['a pattern that nothing matches', () => ['--url', url, '--only', 'nothing*'], 'nothing*'],
    [
      'no place for the report',
      () => ['--url', url, '--max-requests', '5', '--json', 'no/a.json'],
      'cannot be written to no/a.json',
    ],
  ])('%s', async (_, args, why) => {
    const { code, err } = await conform(args());
    expect(err).toContain(why);
    expect(err).not.toContain('    at ');
    expect(code).toBe(2);
  });

  test('a token that nobody knows', async () => {
    const wrong = await conform(['--url', url, '--max-requests', '50', '--token', 'wrong']);
    expect(wrong.err).toContain('let the caller in nowhere');
    expect(wrong.err).toContain('The token of --token is not one of its own');
    expect(wrong.code).toBe(2);
  });
});

test('the first interrupt ends the run, and what it has is reported', async () => {
  const { child, ended, output } = start([
    '--url',
    url,
    '--max-seconds',
    '60',
    '--rate',
    '5',
    '--json',
    'a.json',
  ]);
  onRequest = () => void child.kill('SIGINT');
  expect((await ended).code).toBe(0);
  expect(output.stdout).toContain('The run was interrupted');
  expect(JSON.parse(await readFile(join(folder, 'a.json'), 'utf8')).end).toBe('interrupted');
});

test('the checks can be listed without a server', async () => {
  const { code, out } = await conform(['--list-checks']);
  expect(code).toBe(0);
  for (const name of ['no-server-error', 'isolation']) expect(out).toContain(name);
});
