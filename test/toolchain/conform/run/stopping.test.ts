import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Finding, Outcome } from '../../../../spec/toolchain/conform/report/finding.ts';
import type { RunOptions } from '../../../../spec/toolchain/conform/run/run.ts';
import {
  createRestartCommand,
  type RestartCommand,
} from '../../../../spec/toolchain/conform/wire/restart-command.ts';
import type { WireOptions } from '../../../../spec/toolchain/conform/wire/wire.ts';
import { isObject } from '../../../../spec/toolchain/document.ts';
import { readContract } from '../../../../spec/toolchain/model/contract/read.ts';
import { documentOf } from '../../../../spec/toolchain/source.ts';
import { freePort } from '../../../support/processes/ports.ts';
import { finish, ROOT } from '../../../support/processes/program.ts';
import { runOnce } from './run-once.ts';

const ok = (schema: object) => ({ description: '', content: { 'application/json': { schema } } });
const object = { type: 'object' };
const title = { type: 'string', maxLength: 30 };
const item = { type: 'object', properties: { id: { type: 'string' }, title } };
const rejected = { '400': ok(object), '404': ok(object), '405': ok(object) };
const document = {
  openapi: '3.1.0',
  info: { title: 'Items', version: '1' },
  paths: {
    '/status': {
      get: {
        operationId: 'getStatus',
        responses: { '200': ok({ type: 'object', properties: { up: { type: 'boolean' } } }) },
      },
    },
    '/items': {
      get: { operationId: 'listItems', responses: { '200': ok({ type: 'array', items: item }) } },
      post: {
        operationId: 'createItem',
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { type: 'object', required: ['title'], properties: { title } } },
          },
        },
        responses: { '201': ok(item), ...rejected },
      },
    },
    '/items/{itemId}': {
      parameters: [{ name: 'itemId', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'getItem', responses: { '200': ok(item), ...rejected } },
      delete: { operationId: 'deleteItem', responses: { '204': { description: '' }, ...rejected } },
    },
  },
};
const contract = readContract(documentOf('items', document));

let port: number;
let server: RestartCommand;
let folder: string;
const commandOf = (mode: string) =>
  `exec '${process.execPath}' '${join(import.meta.dirname, '../server-stopping.ts')}' ${port} '${mode}'`;

beforeEach(async () => {
  port = await freePort();
  folder = await mkdtemp(join(tmpdir(), 'conform-stopping-'));
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Starts the server, and waits until it accepts connections. */
async function start(mode: string): Promise<void> {
  server = createRestartCommand(commandOf(mode));
  await server.restart();
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      // It does not listen yet.
    } finally {
      socket.destroy();
    }
  }
}

async function testItems(
  wireOptions: Partial<WireOptions>,
  options: Partial<RunOptions> = {},
): Promise<Outcome> {
  const url = new URL(`http://127.0.0.1:${port}`);
  const limits = { maxRequests: 60, maxSeconds: 120 };
  const excludedChecks = ['undeclared-method', 'invalid-input-rejected'];
  return await runOnce({ url, tokens: {}, limits, ...wireOptions }, { contract, excludedChecks, ...options });
}

const stopsOf = ({ findings }: Outcome) => findings.filter(({ check }) => check === 'no-server-error');
/** Length of the title of the last request. Titles with more than 10 characters stop the server. */
const titleLength = ({ plan }: Finding) => {
  const body = plan.steps.at(-1)?.body;
  return body && 'json' in body && isObject(body.json) ? String(body.json.title).length : undefined;
};
describe('a server that stops and is started again', () => {
  test.each([
    ['exits', [11], /returned no response .* responded to no other request/],
    // The limit of requests, or a value at a limit of the contract, may end the search for a shorter one.
    [
      'exits after the response',
      Array.from({ length: 20 }, (_, index) => 11 + index),
      /returned 201, and then the server stopped/,
    ],
    ['hangs', [11], /No complete response within .* responded to no other request/],
  ])(
    'is reported with the shortest request: it %s',
    async (mode, lengths, message) => {
      await start(mode);
      const outcome = await testItems({ restart: server.restart, timeout: mode === 'hangs' ? 500 : 10_000 });
      const [finding, ...others] = stopsOf(outcome);
      expect(others).toEqual([]);
      expect(finding).toMatchObject({ operation: 'createItem', repeatable: true });
      expect(finding?.message).toMatch(message);
      expect(finding?.plan.steps).toHaveLength(1);
      expect(lengths).toContain(finding && titleLength(finding));
      // The run goes on, and expects nothing of what the server has lost.
      expect(outcome.end).toBe('requests');
      expect(outcome.findings.map(({ check, operation }) => `${check} ${operation}`).sort()).toEqual([
        'declared-body getStatus',
        'no-server-error createItem',
      ]);
    },
    120_000,
  );
});

test('a server that does not return ends the run, with all that was found before', async () => {
  await start('exits');
  const outcome = await testItems({ restartTimeout: 300 });
  expect(outcome.end).toBe('unavailable');
  expect(outcome.findings.map(({ check, operation }) => `${check} ${operation}`)).toEqual([
    'declared-body getStatus',
    'no-server-error createItem',
  ]);
  expect(outcome.coverage.find(({ operation }) => operation === 'getItem')?.state).toBe('tested');
});

test('the command starts the server, reports that it stops, and ends it', async () => {
  server = createRestartCommand('true');
  const file = join(folder, 'items.json');
  await writeFile(file, JSON.stringify(document));
  const { code, stdout, stderr } = await finish(
    process.execPath,
    [
      join(ROOT, 'spec/toolchain/cli.ts'),
      'conform',
      ...['--url', `http://127.0.0.1:${port}`, '--contract', file, '--seed', '1', '--max-requests', '120'],
      ...['--restart', commandOf('exits'), '--json', 'a.json', '--junit', 'a.xml'],
    ],
    {},
    folder,
  );
  expect(code, stdout + stderr).toBe(1);
  expect(stderr).toContain('The server stopped. Restarting it.');
  expect(stdout).toContain(`--restart '`);
  const { failures } = JSON.parse(await readFile(join(folder, 'a.json'), 'utf8'));
  expect(failures).toContainEqual(
    expect.objectContaining({ operation: 'createItem', check: 'no-server-error', repeatable: true }),
  );
  expect(await readFile(join(folder, 'a.xml'), 'utf8')).toContain('responded to no other request');
  const socket = connect(port, '127.0.0.1');
  await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
});
