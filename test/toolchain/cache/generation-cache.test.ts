import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unchangedGeneration } from '../../../spec/toolchain/cache/last-generation.ts';
import { resolveProject } from '../../../spec/toolchain/main.ts';
import { runCommand, SCRIPTS } from '../run-command.ts';
import { createWorkspace, type Workspace } from '../workspace.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
  // The project has a cache of its own; its packages are those of the repository.
  await workspace.write('node_modules/.package-lock.json', '{}');
});
afterEach(() => workspace.remove());

/** Runs the command. Returns its output without warnings, and whether it compared digests only. */
async function command(
  contract = 'api/main.tsp',
  ...options: string[]
): Promise<{ output: string; compared: boolean }> {
  // Files that changed at the same time of the file system could have changed during the run.
  await wait(20);
  const project = resolveProject({ root: workspace.project.root, contract });
  const compared = unchangedGeneration(project) !== undefined;
  const args = ['generate', '--contract', contract, ...options];
  const { out } = await runCommand(SCRIPTS, workspace.project.root, args);
  return { output: out.trim(), compared };
}

const ALL = ['openapi.json', 'schema.d.ts', 'operations.ts', 'functions.ts'];
const WROTE = ALL.map((name) => `wrote generated/${name}`).join('\n');
const NOTHING = { output: 'nothing changed', compared: true };

test('a repeated generation compares digests only', async () => {
  expect(await command()).toEqual({ output: WROTE, compared: false });
  expect(await command()).toEqual(NOTHING);
});

test.each([
  ['the contract', 'api/main.tsp', '  title: string;', '  title: string;\n  color: string;'],
  [
    'the options of the compiler',
    'tspconfig.yaml',
    'seal-object-schemas: false',
    'seal-object-schemas: true',
  ],
])('generates after a change of %s', async (_, path, from, to) => {
  await workspace.write(
    'tspconfig.yaml',
    'emit: ["@typespec/openapi3"]\noptions:\n  "@typespec/openapi3":\n    openapi-versions: [3.1.0]\n    seal-object-schemas: false\n',
  );
  await command();
  expect(await command()).toEqual(NOTHING);
  await workspace.edit(path, from, to);
  expect(await command()).toMatchObject({ output: expect.stringContaining('wrote'), compared: false });
});

test('rewrites generated files that were edited or deleted', async () => {
  await command();
  await workspace.edit('generated/operations.ts', '// Generated', '// Edited');
  expect(await command()).toEqual({ output: 'wrote generated/operations.ts', compared: false });
  expect(await command()).toEqual(NOTHING);
});

test('accepts line ends that Git converted', async () => {
  await command();
  const text = await workspace.read('generated/operations.ts');
  await workspace.write('generated/operations.ts', text.replaceAll('\n', '\r\n'));
  expect(await command()).toEqual(NOTHING);
});

test('generates after an installation of packages, and with a damaged cache', async () => {
  await command();
  await workspace.write('node_modules/.package-lock.json', '{ "packages": {} }');
  expect(await command()).toEqual({ output: 'nothing changed', compared: false });
  const folder = join(workspace.project.root, 'node_modules/.cache/colophon');
  for (const name of await readdir(folder)) {
    if ((await stat(join(folder, name))).isFile()) {
      await writeFile(join(folder, name), '{ "tools": ');
    }
  }
  expect(await command()).toEqual({ output: 'nothing changed', compared: false });
});

test('reads scripts of the contract, and repeats those that read other files', async () => {
  const script = "import { text } from './text.js';\nexport const $onValidate = () => void text;\n";
  await workspace.write('api/checks.js', script);
  await workspace.write('api/text.js', "export const text = '1';\n");
  await workspace.edit('api/main.tsp', 'import', 'import "./checks.js";\nimport');
  await command();
  expect(await command()).toEqual(NOTHING);
  await workspace.edit('api/text.js', '1', '2');
  expect(await command()).toEqual({ output: 'nothing changed', compared: false });
  await workspace.edit('api/text.js', 'export', "import 'node:fs';\nexport");
  await command();
  expect(await command()).toEqual({ output: 'nothing changed', compared: false });
});

test('reads all files of an OpenAPI document, and repeats its warnings', async () => {
  await workspace.write(
    'api.yaml',
    'openapi: 3.1.0\ninfo: { title: A, version: "1" }\npaths:\n  /a:\n    get:\n      responses:\n        "200": { $ref: "response.yaml" }\n',
  );
  await workspace.write('response.yaml', 'description: OK\n');
  const run = () => runCommand(SCRIPTS, workspace.project.root, ['generate', '--contract', 'api.yaml']);
  await wait(20);
  const first = await run();
  expect(await command('api.yaml')).toEqual(NOTHING);
  expect((await run()).err).toBe(first.err);
  await workspace.write('response.yaml', 'description: Fine\n');
  expect(await command('api.yaml')).toMatchObject({ compared: false });
});

test('does not reuse a generation that failed', async () => {
  await command();
  await workspace.edit('api/main.tsp', 'title: string', 'title: strin');
  expect(await command()).toMatchObject({ compared: false });
  expect(await command()).toMatchObject({ compared: false });
  await workspace.edit('api/main.tsp', 'title: strin', 'title: string');
  await command();
  expect(await command()).toEqual(NOTHING);
});
