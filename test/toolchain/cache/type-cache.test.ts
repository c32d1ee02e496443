import { mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { programCache, readProgram, writeProgram } from '../../../spec/toolchain/cache/checked-program.ts';
import { typeCheck } from '../../../spec/toolchain/check/type-check.ts';
import { generate } from '../../../spec/toolchain/main.ts';
import { createWorkspace, until, type Workspace } from '../workspace.ts';

const HANDLERS = `import type { components } from '../generated/schema.d.ts';

export const article: components['schemas']['Article'] = { id: '1', title: 'Lamp' };
`;

let workspace: Workspace;
let cache: string;
beforeEach(async () => {
  workspace = await createWorkspace();
  // The project has a cache of its own; its packages are those of the repository.
  await workspace.write('node_modules/.package-lock.json', '{}');
  await workspace.write('server/main.ts', HANDLERS);
  await workspace.write('server/name.ts', "export const name = 'Lamp';\n");
  await workspace.write(
    'server/title.ts',
    "import { name } from './name.ts';\n\nexport const title: string = name;\n",
  );
  await generate(workspace.project);
  cache = programCache(workspace.project) ?? '';
});
afterEach(() => workspace.remove());

/** Checks the types. Returns the location of each error, and whether the compiler ran. */
async function check(): Promise<{ errors: string[]; compiled: boolean }> {
  const version = async () => (await stat(cache, { bigint: true }).catch(() => undefined))?.mtimeNs;
  const before = await version();
  // Files that changed at the same time of the file system could have changed during the check.
  await wait(20);
  const problems = await typeCheck(workspace.project);
  const errors = problems.map(({ file, line, code }) => `${file}:${line} ${code}`);
  return { errors, compiled: (await version()) !== before };
}

const CORRECT = { errors: [], compiled: true };
const REUSED = { errors: [], compiled: false };

describe('a repeated type check', () => {
  beforeEach(async () => {
    expect(await check()).toEqual(CORRECT);
  });

  test('does not run the compiler again', async () => {
    expect(await check()).toEqual(REUSED);
  });

  test('does not run it after an edit of a comment, or of a text of the contract', async () => {
    await workspace.edit('server/title.ts', 'export', '// Shown in lists.\n/** The title. */\nexport');
    await workspace.edit('api/main.tsp', '/** Title. */', '/** Title in lists. */');
    await generate(workspace.project);
    expect(await check()).toEqual(REUSED);
  });

  test('reports an error until it is corrected', async () => {
    await workspace.edit('server/name.ts', "'Lamp'", '1');
    const wrong = { errors: ['server/title.ts:3 TS2322'], compiled: true };
    expect(await check()).toEqual(wrong);
    expect(await check()).toEqual(wrong);
    await workspace.edit('server/name.ts', '1', "'Lamp'");
    expect(await check()).toEqual(CORRECT);
    expect(await check()).toEqual(REUSED);
  });

  test('reports an error at its new line after an edit of a comment', async () => {
    await workspace.edit('server/name.ts', "'Lamp'", '1');
    await check();
    await workspace.edit('server/title.ts', 'export', '// Shown in lists.\nexport');
    expect((await check()).errors).toEqual(['server/title.ts:4 TS2322']);
  });

  test('reports what a change of the contract breaks', async () => {
    await workspace.edit('api/main.tsp', '  title: string;', '  title: string;\n  color: string;');
    await generate(workspace.project);
    expect((await check()).errors).toEqual(['server/main.ts:3 TS2741']);
  });

  test('reports a deleted file', async () => {
    await rm(join(workspace.project.root, 'server/name.ts'));
    expect((await check()).errors).toEqual(['server/title.ts:1 TS2307']);
  });

  test('reports a new file', async () => {
    await workspace.write('server/new.ts', 'export const count: number = true;\n');
    expect((await check()).errors).toEqual(['server/new.ts:1 TS2322']);
  });

  test('reports an error in a file that keeps its size and time', async () => {
    const path = join(workspace.project.root, 'server/title.ts');
    const { atime, mtime } = await stat(path);
    await workspace.edit('server/title.ts', 'string', 'number');
    await utimes(path, atime, mtime);
    expect((await check()).errors).toEqual(['server/title.ts:3 TS2322']);
  });

  test('reports what an option of the compiler forbids', async () => {
    const text = 'export function f(a: boolean) {\n  if (a) {\n    return 1;\n  }\n}\n';
    await workspace.write('server/f.ts', text);
    expect((await check()).errors).toEqual([]);
    await workspace.edit('tsconfig.json', '"lib"', '"noImplicitReturns": true, "lib"');
    expect((await check()).errors).toEqual(['server/f.ts:1 TS7030']);
  });

  test('reports what a comment suppressed', async () => {
    await workspace.write(
      'server/odd.ts',
      '// @ts-expect-error: for a test\nexport const odd: number = true;\n',
    );
    expect(await check()).toEqual(CORRECT);
    await workspace.edit('server/odd.ts', '@ts-expect-error', 'not');
    expect((await check()).errors).toEqual(['server/odd.ts:2 TS2322']);
  });

  test('runs the compiler after an installation of packages', async () => {
    await workspace.write('node_modules/.package-lock.json', '{ "packages": {} }');
    expect(await check()).toEqual(CORRECT);
  });

  test.each([
    ['is empty', () => Buffer.alloc(0)],
    ['is half written', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    [
      'was edited',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('name', 'Name'), 'latin1'),
    ],
  ])('ignores a cache that %s', async (_, damage) => {
    await workspace.edit('server/name.ts', "'Lamp'", '1');
    await writeFile(cache, damage(await readFile(cache)));
    expect(await check()).toEqual({ errors: ['server/title.ts:3 TS2322'], compiled: true });
    await workspace.edit('server/name.ts', '1', "'Lamp'");
    await writeFile(cache, damage(await readFile(cache)));
    expect(await check()).toEqual(CORRECT);
  });

  test('ignores a cache of the compiler that is damaged', async () => {
    await workspace.edit('server/name.ts', "'Lamp'", '1');
    const program = readProgram(cache);
    const half = program?.buildInfo.subarray(0, program.buildInfo.length / 2) ?? Buffer.alloc(0);
    await writeProgram(cache, { buildInfo: half });
    expect((await check()).errors).toEqual(['server/title.ts:3 TS2322']);
  });

  test('is right if others run at the same time', async () => {
    await workspace.edit('server/name.ts', "'Lamp'", '1');
    const wrong = await Promise.all([check(), check(), check()]);
    expect(wrong.map(({ errors }) => errors)).toEqual(Array(3).fill(['server/title.ts:3 TS2322']));
    await workspace.edit('server/name.ts', '1', "'Lamp'");
    const correct = await Promise.all([check(), check(), check()]);
    expect(correct.map(({ errors }) => errors)).toEqual([[], [], []]);
    expect(await check()).toEqual(REUSED);
    // They leave no temporary files.
    const files = await readdir(dirname(cache));
    expect(files.filter((name) => name.startsWith('types-'))).toEqual([basename(cache)]);
  });
});

test('does not reuse a check during which a file changed', async () => {
  const checked = check();
  const isRunning = async () => {
    const files = await readdir(dirname(cache)).catch(() => []);
    return files.some((name) => name.startsWith(`${basename(cache)}-`));
  };
  await until(isRunning, () => 'The check did not start.');
  await wait(20);
  await workspace.edit('server/name.ts', "'Lamp'", '1');
  await workspace.edit('server/name.ts', '1', "'Lamp'");
  await checked;
  expect(readProgram(cache)?.state).toBeUndefined();
});

test('does not reuse a check if a folder of the project is a link', async () => {
  await mkdir(join(workspace.project.root, 'server/real'));
  await symlink('real', join(workspace.project.root, 'server/linked'));
  expect(await check()).toEqual(CORRECT);
  expect(await check()).toEqual(CORRECT);
});

test('works without a cache, for packages of another project', async () => {
  const modules = join(workspace.project.root, 'node_modules');
  await rename(modules, join(workspace.project.root, 'packages'));
  await symlink('packages', modules);
  expect(programCache(workspace.project)).toBeUndefined();
  expect(await typeCheck(workspace.project)).toEqual([]);
});
