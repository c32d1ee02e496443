import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Dev, generate, startDev } from '../../../spec/toolchain/main.ts';
import { createWorkspace, until, type Workspace } from '../workspace.ts';

const server = `
import { createServer } from 'node:http';
import { operations } from '../generated/operations.ts';
import type { components } from '../generated/schema.d.ts';

const article: components['schemas']['Article'] = { id: '1', title: 'Lamp' };
const server = createServer((_request, response) => {
  response.end(JSON.stringify({ article, operations: Object.keys(operations) }));
});
server.listen(0, '127.0.0.1', () => console.log(\`listens \${JSON.stringify(server.address())}\`));
process.on('SIGTERM', () => {
  console.log('ends gracefully');
  server.close();
  server.closeAllConnections();
});
`;

const handlers = `
import type { Handlers } from '../../../../../server/contract/types.ts';
import type { operations as table } from '../generated/operations.ts';
import type { operations } from '../generated/schema.d.ts';

export const handlers: Handlers<operations, typeof table, object> = {
  listArticles: async () => ({ items: [] }),
  createArticle: async ({ body }) => body,
  countVisit: async () => undefined,
};
`;

const contractServer = `
import { readFileSync } from 'node:fs';
import express, { type ErrorRequestHandler } from 'express';
import { createContractRouter } from '../../../../../server/contract/router.ts';
import { operations as table } from '../generated/operations.ts';
import type { operations } from '../generated/schema.d.ts';
import { handlers } from './handlers.ts';

const app = express();
app.use(
  createContractRouter<operations, typeof table, object, { BearerAuth: object }>({
    document: JSON.parse(readFileSync('generated/openapi.json', 'utf8')),
    operations: table,
    handlers,
    security: { BearerAuth: { bearer: async () => ({}) } },
    validateResponses: true,
  }),
);
const sendStatus: ErrorRequestHandler = (error, _req, res, _next) => void res.sendStatus(error.status ?? 500);
app.use(sendStatus);
const server = app.listen(0, '127.0.0.1', () => console.log(\`listens \${JSON.stringify(server.address())}\`));
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
`;

const cli = join(import.meta.dirname, '../../..', 'spec', 'toolchain', 'cli.ts');

let workspace: Workspace;
let dev: Dev | undefined;
let lines: string[];
beforeEach(async () => {
  workspace = await createWorkspace();
  await workspace.write('server/main.ts', server);
  lines = [];
});
afterEach(async () => {
  await dev?.close();
  dev = undefined;
  await workspace.remove();
});

const log = (line: string) => {
  lines.push(line);
};

async function start(options: { mockMissing?: boolean } = {}): Promise<void> {
  dev = await startDev(workspace.project, {
    server: 'server/main.ts',
    watch: ['api', 'server', 'client'],
    ...options,
    log,
  });
  await waitForLine(/^listens /);
}

const waitForLine = (line: RegExp) =>
  until(
    () => lines.some((text) => line.test(text)),
    () => `Expected ${line} in:\n${lines.join('\n')}`,
  );

/** Clears the printed lines, makes an edit, and waits for the last line of the round. */
async function during(edit: () => Promise<void>, last: RegExp): Promise<void> {
  port();
  lines.length = 0;
  await edit();
  await waitForLine(last);
}

let lastPort = 0;
/** Port of the server that started last. */
function port(): number {
  const announced = lines.findLast((line) => line.startsWith('listens '));
  if (announced) {
    lastPort = JSON.parse(announced.slice('listens '.length)).port;
  }
  return lastPort;
}
const authorized = { headers: { Authorization: 'Bearer any' } };
const fetchJson = async () => (await fetch(`http://127.0.0.1:${port()}/`)).json();

describe('dev', () => {
  test('generates, checks types and runs the server when it starts', async () => {
    await start();
    expect(lines.join('\n')).toMatch(/contract +wrote generated\/openapi\.json/);
    expect(lines.join('\n')).toMatch(/types +no errors/);
    expect(await fetchJson()).toEqual({
      article: { id: '1', title: 'Lamp' },
      operations: ['listArticles', 'createArticle', 'countVisit'],
    });
  });

  test('reports errors at their location until they are fixed, and serves the new contract', async () => {
    await start();
    await during(() => workspace.edit('api/main.tsp', '  title: string;', '  name: string;'), / ready /);
    await waitForLine(/^listens /);
    expect(lines).toContain('changed: api/main.tsp');
    expect(lines.join('\n')).toMatch(/contract +wrote/);
    expect(lines.join('\n')).toMatch(/^server\/main\.ts:6:\d+ error TS2353: .*'title' does not exist/m);
    expect(lines.join('\n')).toMatch(/types +1 error$/m);

    await during(() => workspace.edit('server/main.ts', "title: 'Lamp'", "name: 'Lamp'"), / ready /);
    await waitForLine(/^listens /);
    expect(lines.join('\n')).toMatch(/types +no errors/);
    expect(lines.join('\n')).not.toContain(' contract ');
    expect(lines).toContain('ends gracefully');
    expect((await fetchJson()).article).toEqual({ id: '1', name: 'Lamp' });
  });

  test('keeps the previous server while the contract has errors', async () => {
    await start();
    await during(
      () => workspace.edit('api/main.tsp', '@operationId("countVisit")', '@operationId(countVisit)'),
      /contract +has errors/,
    );
    expect(lines.join('\n')).toMatch(/^api\/main\.tsp:\d+:\d+ error invalid-ref: .*countVisit/m);
    expect((await fetchJson()).operations).toContain('countVisit');
    expect(lines.join('\n')).not.toMatch(/server +started|ends gracefully/);

    await during(() => workspace.edit('api/main.tsp', '(countVisit)', '("countGuest")'), /^listens /);
    expect((await fetchJson()).operations).toContain('countGuest');
  });

  test('does not restart for edits of the code while the contract has errors', async () => {
    await generate(workspace.project);
    await workspace.edit('api/main.tsp', 'keywords?: Record<string>', 'keywords?: Record<Words>');
    dev = await startDev(workspace.project, { server: 'server/main.ts', watch: ['api', 'server'], log });
    expect(lines.join('\n')).toMatch(/contract +has errors/);
    expect(lines.join('\n')).not.toMatch(/server +started/);
    await during(() => workspace.edit('api/main.tsp', 'Record<Words>', 'Record<string>'), /^listens /);
    expect(lines.join('\n')).toMatch(/contract +nothing changed/);
  });

  test('restarts nothing if an edit of the contract does not change the generated files', async () => {
    await start();
    await during(
      () => workspace.edit('api/main.tsp', 'using Http;', '// Sells products.\nusing Http;'),
      /contract +nothing changed/,
    );
    // Rounds are sequential, and a round with errors restarts nothing: its end is also the end of the previous one.
    await workspace.edit('api/main.tsp', 'Record<string>', 'Record<Words>');
    await waitForLine(/contract +has errors/);
    expect(lines.join('\n')).not.toMatch(/ s {2}(types|server) /);
  });

  test('reports the exit of the server, and restarts it after the next change', async () => {
    await start();
    await during(
      () => workspace.edit('server/main.ts', 'const article', "throw new Error('broken');\nconst article"),
      /the server exited \(code 1\)/,
    );
    expect(lines.join('\n')).toContain('Error: broken');
    await during(() => workspace.edit('server/main.ts', "throw new Error('broken');", ''), /^listens /);
    expect((await fetchJson()).article).toEqual({ id: '1', title: 'Lamp' });
  });

  test('responds with 501 for an operation without a handler, and reports where to add it', async () => {
    await workspace.write('server/handlers.ts', handlers);
    await workspace.write('server/main.ts', contractServer);
    await start();
    expect(lines.join('\n')).toMatch(/types +no errors/);
    const operation =
      '/** Counts guests. */\n@operationId("countGuests") @get @route("/guests") guests(): void;\n';
    await during(
      () => workspace.edit('api/main.tsp', '/** Counts a visit. */', `${operation}/** Counts a visit. */`),
      / ready /,
    );
    await waitForLine(/^listens /);
    const statusOf = async () =>
      (await fetch(`http://127.0.0.1:${port()}/articles/guests`, authorized)).status;
    expect(await statusOf()).toBe(501);
    expect(lines.filter((line) => line.includes('has no handler'))).toEqual([
      expect.stringMatching(
        /^server\/handlers\.ts:6:\d+ error TS2741: countGuests has no handler: add it to server\/handlers\.ts$/,
      ),
    ]);

    const handler = 'countGuests: async () => undefined,';
    await during(
      () => workspace.edit('server/handlers.ts', 'countVisit:', `${handler} countVisit:`),
      / ready /,
    );
    await waitForLine(/^listens /);
    expect(lines.join('\n')).toMatch(/types +no errors/);
    expect(await statusOf()).toBe(204);
  });

  test('serves an operation without a handler from a mock, with its state, after authentication', async () => {
    await workspace.write(
      'server/handlers.ts',
      handlers
        .replace(/ {2}(list|create)Articles?:.*\n/g, '')
        .replace(': Handlers<', ': Partial<Handlers<')
        .replace('object> =', 'object>> ='),
    );
    await workspace.write(
      'server/main.ts',
      contractServer.replace('    handlers,', '    handlers: handlers as never,'),
    );
    await start({ mockMissing: true });
    const articles = `http://127.0.0.1:${port()}/articles`;
    expect((await fetch(articles)).status).toBe(401);
    const created = await fetch(articles, {
      method: 'POST',
      headers: { ...authorized.headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ id: 'art-9', title: 'Lamp' }),
    });
    expect(created.status).toBe(201);
    expect(await created.json()).toMatchObject({ title: 'Lamp' });
    const invalid = await fetch(articles, { method: 'POST', ...authorized });
    expect(invalid.status).toBe(400);
    const list = await fetch(articles, authorized);
    expect(JSON.stringify(await list.json())).toContain('Lamp');
    expect(lines).toContain('mock: POST /articles 201');
  });

  test('reports an operation without a handler in code without types', async () => {
    await workspace.remove();
    workspace = await createWorkspace();
    await rm(join(workspace.project.root, 'tsconfig.json'));
    await workspace.write('server/handlers.ts', handlers.replace('countVisit', 'countGuest'));
    await workspace.write('server/main.ts', contractServer);
    await start();
    await waitForLine(/^countVisit has no handler: add it to server\/handlers\.ts$/);
  });

  test('stops the server when it is closed', async () => {
    await start();
    const last = port();
    await dev?.close();
    expect(lines).toContain('ends gracefully');
    await expect(fetch(`http://127.0.0.1:${last}/`)).rejects.toThrow();
  });

  test.skipIf(process.platform !== 'linux')(
    'asks the server for readable log lines in a terminal',
    async () => {
      await workspace.edit('server/main.ts', 'listens ', `logs \${process.env.LOG_FORMAT}, listens `);
      const command = `exec ${process.execPath} ${cli} dev --contract api/main.tsp --server server/main.ts`;
      const child = spawn('script', ['-qfec', command, '/dev/null'], { cwd: workspace.project.root });
      createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
      await waitForLine(/^logs text, /);
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  );

  test('stops on Ctrl-C, together with the server', async () => {
    const options = ['--contract', 'api/main.tsp', '--server', 'server/main.ts', '--watch', 'api', 'server'];
    const child = spawn(process.execPath, [cli, 'dev', ...options], { cwd: workspace.project.root });
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    await waitForLine(/^listens /);
    const last = port();
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    expect(await exit).toEqual([0, null]);
    expect(lines).toContain('ends gracefully');
    await expect(fetch(`http://127.0.0.1:${last}/`)).rejects.toThrow();
  });
});
