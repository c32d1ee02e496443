import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandResult, runCommand, SCRIPTS } from '../run-command.ts';
import { type Certificates, createCertificates } from './certificates.ts';

// The options that locate and reach a server.

const text = { description: 'ok', content: { 'application/json': { schema: { type: 'string' } } } };
const document = {
  openapi: '3.1.0',
  info: { title: 'Echo', version: '1' },
  servers: [{ url: 'https://api.example.com/v2' }],
  paths: {
    '/echo': {
      get: {
        operationId: 'getEcho',
        parameters: [
          { name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string', maxLength: 8 } },
        ],
        responses: { '200': text, default: { description: 'rejected', content: text.content } },
      },
    },
  },
};

let folder: string;
let server: Server;
let requests: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conform-target-'));
  await writeFile(pathOf('api.json'), JSON.stringify(document));
  requests = [];
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

/** Returns the path of a file in the folder. The command runs in this process, which has another working directory. */
const pathOf = (file: string): string => join(folder, file);

/** Serves the contract's operation at a path, and records its requests. */
async function serve(path: string, certificates?: Certificates): Promise<string> {
  const respond: RequestListener = ({ method, url, headers }, response) => {
    requests.push({ method, url, headers });
    const status = url?.split('?')[0] !== path ? 404 : method === 'GET' ? 200 : 405;
    response.writeHead(status, { 'content-type': 'application/json', allow: 'GET' }).end('"ok"');
  };
  server = certificates
    ? createSecureServer({ key: certificates.key, cert: certificates.certificate }, respond)
    : createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a listening TCP server is never a string or null.
  const { port } = server.address() as AddressInfo;
  return `${certificates ? 'https' : 'http'}://127.0.0.1:${port}`;
}

function conform(...args: string[]): Promise<CommandResult> {
  const files = ['--json', pathOf('a.json'), '--save-replay', pathOf('replay.json')];
  return runCommand(SCRIPTS, folder, [
    'conform',
    ...['--contract', 'api.json', '--seed', '1', '--max-requests', '25', ...files],
    ...['--exclude-checks', 'invalid-input-rejected', ...args],
  ]);
}

describe('the path of the server', () => {
  test('is that of the first server of the contract', async () => {
    const url = await serve('/v2/echo');
    expect(await conform('--url', url)).toMatchObject({ code: 0 });
  });

  test('can be specified', async () => {
    const url = await serve('/api/echo');
    const misplaced = await conform('--url', url);
    expect(misplaced.code).toBe(2);
    expect(misplaced.err).toContain('/v2 returned 404 for every request');
    expect(misplaced.err).toContain('--base-path /api, or --base-path / for none');
    const { code, out } = await conform('--url', url, '--base-path', '/api');
    expect(code, out).toBe(0);
    expect(out).toContain('--base-path /api');
  });

  test('can be none', async () => {
    const url = await serve('/echo');
    const { code, out } = await conform('--url', url, '--base-path', '/');
    expect(code, out).toBe(0);
    expect(out).toContain('--base-path / ');
  });
});

test('headers of every request replace parameters, and are variables in the report', async () => {
  const url = await serve('/v2/echo');
  const { code, out } = await conform('--url', url, '--header', 'X-Tenant: blue', '--header', 'X-Env: a: b');
  expect(code, out).toBe(0);
  const headers = requests.filter((request) => request.url !== '/').map((request) => request.headers);
  expect(headers.length).toBeGreaterThan(5);
  for (const sent of headers) {
    expect(sent).toMatchObject({ 'x-tenant': 'blue', 'x-env': 'a: b' });
  }
  expect(out).toContain('--header "X-Tenant: $HEADER_X_TENANT" --header "X-Env: $HEADER_X_ENV"');
  expect(out + (await readFile(pathOf('a.json'), 'utf8'))).not.toContain('blue');
  const { code: rejected, err } = await conform('--url', url, '--header', 'Authorization: x');
  expect(rejected).toBe(2);
  expect(err).toContain('Pass credentials with --token');
});

test('certificates of a private authority are trusted if it is specified', async () => {
  const certificates = await createCertificates();
  const url = await serve('/v2/echo', certificates);
  await writeFile(pathOf('ca.pem'), certificates.authority);
  const unknown = await conform('--url', url);
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain('--ca');
  const { code, out, err } = await conform('--url', url, '--ca', pathOf('ca.pem'));
  expect(code, out + err).toBe(0);
  expect(out).toContain(`--ca ${pathOf('ca.pem')}`);
  const none = await conform('--url', url, '--ca', pathOf('api.json'));
  expect(none.err).toContain('api.json contains no certificate');
});
