import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isObject } from '../../spec/toolchain/document.ts';
import { STARTER_OPERATIONS } from '../../spec/toolchain/init/contract-source.ts';
import { type CommandResult, PACKAGE, runCommand } from './run-command.ts';

// A project that `colophon init` wrote for one contract, and runs in again for another.

/** Contract without an operation of the first contract. It imports a part of the first contract. */
const PARCELS = `import "@typespec/http";
import "./errors.tsp";

using Http;

@service(#{ title: "Parcels" })
namespace Parcels;

@get
@route("/parcels")
op listParcels(): string[] | TaskService.Failure;
`;

const OPENAPI = `openapi: 3.0.3
info: { title: Letters, version: 1.0.0 }
paths:
  /letters:
    get: { operationId: listLetters, tags: [Letters], responses: { "204": { description: None. } } }
`;

let place: string;
let first: Map<string, string>;
beforeAll(async () => {
  const parent = join(import.meta.dirname, '.colophon');
  await mkdir(parent, { recursive: true });
  place = await mkdtemp(join(parent, 'again-'));
  const root = join(place, 'first');
  await mkdir(root);
  await runCommand(PACKAGE, root, ['init']);
  first = new Map();
  for (const path of await listFiles(root)) {
    first.set(path, await readFile(join(root, path), 'utf8'));
  }
  await writeFile(join(place, 'letters.yaml'), OPENAPI);
});
afterAll(() => rm(place, { recursive: true, force: true }));

let root: string;
let number = 0;
beforeEach(async () => {
  number += 1;
  root = join(place, String(number));
  for (const [path, text] of first) {
    await write(path, text);
  }
});

const init = (...args: string[]): Promise<CommandResult> => runCommand(PACKAGE, root, ['init', ...args]);
const read = (path: string) => readFile(join(root, path), 'utf8');
async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

/** Files of a folder, sorted. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.map((path) => path.slice(folder.length + 1)).sort();
}

/** Files of the first contract only. */
const OF_TASKS = [
  'server/handlers/tasks.ts',
  'server/tasks.ts',
  'spec/errors.tsp',
  'spec/main.tsp',
  'spec/tasks.tsp',
  'tspconfig.yaml',
];

describe('init in a project of init', () => {
  test('leaves nothing of the first contract when the project gets another one', async () => {
    const { code, out } = await init('../letters.yaml');
    expect(code).toBe(0);
    expect(out.match(/^removed .*$/gm)).toEqual(OF_TASKS.map((path) => `removed ${path}`));
    const files = await listFiles(root);
    expect(files.filter((path) => /^(server|spec|test)\//.test(path))).toEqual([
      'server/app.ts',
      'server/contract.ts',
      'server/error-format.ts',
      'server/handlers.ts',
      'server/handlers/letters.ts',
      'server/main.ts',
      'server/security.ts',
      'server/services.ts',
      'spec/openapi.yaml',
      'spec/released/approvals.yaml',
      'test/service.test.ts',
      'test/start-service.ts',
    ]);
    for (const path of files.filter((file) => /^(server|test|generated)\//.test(file))) {
      expect(await read(path), path).not.toMatch(/\btasks?\b/i);
    }
    const { scripts, devDependencies } = JSON.parse(await read('package.json'));
    expect(scripts.check).toBe('colophon check --contract spec/openapi.yaml');
    expect(Object.keys(devDependencies).filter((name) => name.startsWith('@typespec/'))).toEqual([]);
    expect((await init()).out).toMatch(/^nothing changed\n/);
  });

  test('needs no argument after the contract was replaced in place, and keeps what it imports', async () => {
    await write('spec/main.tsp', PARCELS);
    const { code, out } = await init();
    expect(code).toBe(0);
    expect(out.match(/^removed .*$/gm)).toEqual([
      'removed server/handlers/tasks.ts',
      'removed server/tasks.ts',
      'removed spec/tasks.tsp',
    ]);
    expect(await read('spec/main.tsp')).toBe(PARCELS);
    expect(await read('server/handlers.ts')).toContain("from './handlers/untagged.ts'");
  });

  test('keeps the implementation of the first contract while the contract has its operations', async () => {
    await write(
      'spec/tasks.tsp',
      (await read('spec/tasks.tsp')).replace('@maxLength(200)', '@maxLength(100)'),
    );
    const { out } = await init();
    expect(out).not.toContain('removed');
    expect(await read('server/handlers/tasks.ts')).toContain('tasks.list');
    const document = JSON.parse(await read('generated/openapi.json'));
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(isObject(item) ? item : {}).flatMap((operation) =>
        isObject(operation) && typeof operation.operationId === 'string' ? [operation.operationId] : [],
      ),
    );
    expect(ids.sort()).toEqual([...STARTER_OPERATIONS].sort());
  });

  test('replaces and removes nothing that was changed, nor what that imports, and states why', async () => {
    await write('server/services.ts', `${await read('server/services.ts')}// Mine.\n`);
    await write('server/handlers/tasks.ts', `${await read('server/handlers/tasks.ts')}// Mine.\n`);
    await write('spec/errors.tsp', `${await read('spec/errors.tsp')}// Mine.\n`);
    const manifest = await read('package.json');
    await write('package.json', manifest.replace('"vitest run"', '"vitest run --coverage"'));
    const { code, out } = await init('../letters.yaml');
    expect(code).toBe(0);
    expect(out).toContain(
      '\nnote: These files differ from those that init wrote, so they were not replaced. With --force, they are:\n  server/services.ts\n  package.json: scripts.test\n',
    );
    expect(out).toContain(
      'They remain, because you changed them. Move what you need, and remove them:\n  server/handlers/tasks.ts\n  spec/errors.tsp\n',
    );
    expect(out).toContain('They remain, because files that you changed import them:\n  server/tasks.ts\n');
    expect(out.match(/^removed .*$/gm)).toEqual(
      ['spec/main.tsp', 'spec/tasks.tsp', 'tspconfig.yaml'].map((path) => `removed ${path}`),
    );
    expect(await read('server/services.ts')).toContain('// Mine.');
    expect(JSON.parse(await read('package.json')).scripts.test).toBe('vitest run --coverage');
    expect((await init('--force')).code).toBe(0);
    expect(await read('server/services.ts')).not.toContain('// Mine.');
    expect(await read('server/handlers/tasks.ts')).toContain('// Mine.');
  });

  test('recognizes its files after Git changed their line endings', async () => {
    await write('server/tasks.ts', (await read('server/tasks.ts')).replaceAll('\n', '\r\n'));
    expect((await init('../letters.yaml')).out).toContain('removed server/tasks.ts');
  });

  test('reports a release of another contract', async () => {
    await write('spec/released/openapi.json', await read('generated/openapi.json'));
    const { out } = await init('../letters.yaml');
    expect(out).toContain('note: spec/released/openapi.json is the release of another contract.');
    expect(await listFiles(root)).toContain('spec/released/openapi.json');
  });

  test('replaces no contract that was changed', async () => {
    await init('../letters.yaml');
    await write('spec/openapi.yaml', `${await read('spec/openapi.yaml')}# Mine.\n`);
    await init('../letters.yaml', '--force');
    expect(await read('spec/openapi.yaml')).toContain('# Mine.');
  });
});
