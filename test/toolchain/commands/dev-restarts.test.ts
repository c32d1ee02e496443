import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Dev, startDev } from '../../../spec/toolchain/main.ts';
import { createWorkspace, until, type Workspace } from '../workspace.ts';

// Which changes restart the server: those of the contract, and of the modules that it imports.

let workspace: Workspace;
let dev: Dev | undefined;
let lines: string[];
beforeEach(async () => {
  workspace = await createWorkspace();
  lines = [];
});
afterEach(async () => {
  await dev?.close();
  dev = undefined;
  await workspace.remove();
});

/** Starts the loop with a server of these statements. */
async function start(statements: string): Promise<void> {
  await workspace.write(
    'server.ts',
    `import { createServer } from 'node:http';
${statements}
const server = createServer().listen(0, '127.0.0.1', () => console.log('listens'));
process.on('SIGTERM', () => server.close());
`,
  );
  dev = await startDev(workspace.project, {
    server: 'server.ts',
    watch: ['.'],
    log: (line) => lines.push(line),
  });
}

const waitForLine = (line: string) =>
  until(
    () => lines.some((text) => text.includes(line)),
    () => `Expected ${line} in:\n${lines.join('\n')}`,
  );

/** Writes a file, and returns what the next round does with the server. */
async function roundOf(path: string, text: string): Promise<'restarted' | 'kept'> {
  lines.length = 0;
  await workspace.write(path, text);
  await waitForLine(' ready ');
  if (!lines.some((line) => line.includes('started server.ts'))) {
    return 'kept';
  }
  await waitForLine('listens');
  return 'restarted';
}

const changes = () => lines.filter((line) => line.startsWith('changed: '));

test('logs, databases and other data that the server writes restart nothing', async () => {
  await start(`import { appendFileSync } from 'node:fs';
const write = () => {
  for (const name of ['events.log', 'data.sqlite', 'data.json', 'api/data.txt']) appendFileSync(name, 'line\\n');
};
write();
setInterval(write, 2).unref();`);
  await waitForLine('listens');
  const written = async () => (await stat(join(workspace.project.root, 'events.log'))).size;
  const before = await written();
  await until(
    async () => (await written()) > before + 500,
    () => 'The server writes nothing.',
  );
  expect(changes()).toEqual([]);
  // The next round is the second one.
  expect(await roundOf('server.ts', `${await workspace.read('server.ts')}// Edited.\n`)).toBe('restarted');
  expect(changes()).toEqual(['changed: server.ts']);
  expect(lines.filter((line) => line.includes('started server.ts'))).toHaveLength(1);
});

test('modules that the server imports restart it, and other code is only checked', async () => {
  await workspace.write('code/names.cjs', "exports.name = 'lamp';\n");
  await workspace.write('code/prices.json', '{ "price": 1 }\n');
  await workspace.write('code/routes/one.ts', 'export const one: number = 1;\n');
  await workspace.write('code/thread.ts', "await import('./in-' + 'thread.ts');\n");
  await workspace.write('code/in-thread.ts', 'export {};\n');
  await workspace.write('code/child.ts', "import './in-child.ts';\n");
  await workspace.write('code/in-child.ts', 'export {};\n');
  await workspace.write('code/unused.ts', 'export {};\n');
  await start(`import { fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import names from './code/names.cjs';
import prices from './code/prices.json' with { type: 'json' };

const messages: unknown[] = [names.name, prices.price];
for (const route of ['one']) await import('./code/routes/' + route + '.ts');
const worker = new Worker(new URL('./code/thread.ts', import.meta.url));
await new Promise((resolve) => worker.once('exit', resolve));
const child = fork(new URL('./code/child.ts', import.meta.url)).on('message', (text) => messages.push(text));
await new Promise((resolve) => child.once('exit', resolve));
console.log(JSON.stringify(messages));`);
  await waitForLine('listens');
  // The channel between the server and its own programs has only their messages.
  expect(lines).toContain('["lamp",1]');
  expect(await roundOf('code/prices.json', '{ "price": 2 }\n')).toBe('restarted');
  for (const path of ['names.cjs', 'routes/one.ts', 'in-thread.ts', 'in-child.ts']) {
    const text = await workspace.read(`code/${path}`);
    expect.soft(await roundOf(`code/${path}`, `${text}// Edited.\n`), path).toBe('restarted');
  }
  for (const path of ['code/unused.ts', 'new/folder/new.ts', 'tsconfig.json']) {
    const text = path === 'tsconfig.json' ? await workspace.read(path) : 'export const unused = 1;\n';
    expect.soft(await roundOf(path, text), path).toBe('kept');
    expect.soft(lines.join('\n'), path).toMatch(/ s {2}types /);
  }
});

test('a type check that fails while the server stops starts no second server', async () => {
  await start(`console.log('process ' + process.pid);
process.on('SIGTERM', () => setTimeout(() => process.exit(), 1_500));`);
  await waitForLine('listens');
  // A compiler without its script.
  await workspace.write('node_modules/.bin/tsc', '');
  await workspace.write('node_modules/typescript/package.json', '{ "version": "5.0.0" }');
  const text = await workspace.read('server.ts');
  const edit = async (comment: string) => {
    lines.push('edit');
    await workspace.write('server.ts', `${text}// ${comment}\n`);
    await until(
      () => lines.lastIndexOf('edit') < lines.findLastIndex((line) => line.startsWith('changed: ')),
      () => `Expected a change in:\n${lines.join('\n')}`,
    );
  };
  await edit('First.');
  await setTimeout(500);
  await edit('Second.');
  const isStart = (line: string) => line.includes('started server.ts');
  const isFailure = (line: string) => line.includes('a step did not complete');
  await until(
    () =>
      lines.filter(isStart).length === 3 &&
      lines.lastIndexOf('listens') > lines.findLastIndex(isStart) &&
      lines.filter(isFailure).length === 2,
    () => `Expected three starts and two failures in:\n${lines.join('\n')}`,
  );
  await dev?.close();
  const isRunning = (pid: string) => {
    try {
      return process.kill(Number(pid), 0);
    } catch {
      return false;
    }
  };
  const left = lines.flatMap((line) => /^process (\d+)$/.exec(line)?.[1] ?? []).filter(isRunning);
  for (const pid of left) {
    process.kill(Number(pid), 'SIGKILL');
  }
  expect(left).toEqual([]);
});

test('an edit of any code restarts a server that has exited, and a closed loop has no listeners', async () => {
  const listeners = process.listenerCount('exit');
  await start("import './missing.ts';");
  await waitForLine('the server exited');
  expect(await roundOf('missing.ts', 'export {};\n')).toBe('restarted');
  await dev?.close();
  expect(process.listenerCount('exit')).toBe(listeners);
});
