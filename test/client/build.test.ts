import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeCommonJs } from '../../client/build/commonjs.ts';
import { collectFiles, compile } from '../../client/build/compile.ts';
import { findReferences, packageOf } from '../../client/build/imports.ts';
import { findDependencies, type ProjectManifest } from '../../client/build/manifest.ts';
import { measureOneCall } from '../../client/build/size.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-build-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Writes files to the folder of the test. */
function write(files: Record<string, string>): string[] {
  return Object.entries(files).map(([name, text]) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  });
}

const namesOf = (text: string, fileName = 'x.ts') =>
  findReferences(text, fileName).map(({ specifier }) => specifier);

describe('findReferences', () => {
  test('finds every kind of reference', () => {
    const text = `
      import a from 'a';
      import type { B } from 'b';
      export * from './c.ts';
      const d = await import('d');
      type E = import('e').E;
      const f = createRequire(import.meta.url).resolve('f/package.json');
      const g = import.meta.resolve('g');
      const h = new Worker(new URL('./h.ts', import.meta.url));
      const i = require('i');
    `;
    expect(namesOf(text)).toEqual(['a', 'b', './c.ts', 'd', 'e', 'f/package.json', 'g', './h.ts', 'i']);
    expect(namesOf('/// <reference types="node" />', 'x.d.ts')).toEqual(['node']);
  });

  test('ignores strings, comments and other calls', () => {
    expect(
      namesOf(`path.resolve('a'); new URL('b', base); const text = "import 'c'"; // import 'd'`),
    ).toEqual([]);
  });

  test('distinguishes packages from paths and built-in modules', () => {
    const specifiers = ['a', 'a/b', '@a/b', '@a/b/c', './a', '/a', 'node:fs'];
    expect(specifiers.map(packageOf)).toEqual(['a', 'a', '@a/b', '@a/b', undefined, undefined, undefined]);
  });
});

describe('compile', () => {
  const tsconfig = readFileSync(join(import.meta.dirname, '../../tsconfig.json'), 'utf8').replace(
    '["node"]',
    '[]',
  );
  const project = { 'tsconfig.json': tsconfig, 'package.json': '{ "type": "module" }' };

  test('writes the files that the entries need, with the names of the package', () => {
    const [entry = ''] = write({
      'app/main.ts': `import type { T } from '../types/t.d.ts';
        import { one } from './one.ts';
        export const two = (t: T): number => one + t;
        export const urls = [new URL('./worker.ts', import.meta.url), new URL('../data.json', import.meta.url)];`,
      'app/one.ts': 'export const one: number = 1;',
      'app/worker.ts': 'export {};',
      'app/unused.ts': 'export {};',
      'types/t.d.ts': 'export type T = number;',
      'data.json': '{}',
      ...project,
    });
    const out = join(folder, 'out');
    const files = compile(folder, collectFiles([entry]), out);
    expect(files.map((file) => relative(out, file)).sort()).toEqual([
      'app/main.d.ts',
      'app/main.js',
      'app/one.d.ts',
      'app/one.js',
      'app/worker.d.ts',
      'app/worker.js',
      'data.json',
      'types/t.d.ts',
    ]);
    expect(namesOf(readFileSync(join(out, 'app/main.js'), 'utf8'))).toEqual([
      './one.js',
      './worker.js',
      '../data.json',
    ]);
    expect(namesOf(readFileSync(join(out, 'app/main.d.ts'), 'utf8'))).toEqual(['../types/t.js']);
    expect(collectFiles([join(out, 'app/main.d.ts')])).toEqual([
      join(out, 'app/main.d.ts'),
      join(out, 'types/t.d.ts'),
    ]);
  });

  test('reports the location of an error and writes no code', () => {
    const sources = write({ 'a.ts': 'export const a: number = "1";', ...project }).slice(0, 1);
    expect(() => compile(folder, sources, join(folder, 'out'))).toThrow(/a\.ts\(1,14\): error TS2322/);
  });
});

describe('findDependencies', () => {
  const project: ProjectManifest = {
    version: '1.0.0',
    license: 'MIT',
    dependencies: { web: '1.2.3', typed: '2.0.0', unused: '9.0.0' },
    devDependencies: { '@types/web': '1.2.0', '@types/node': '24.0.0', tool: '1.0.0' },
    optionalDependencies: {},
  };

  test('lists imported packages, and the types that declarations need', () => {
    const code = write({ 'a.js': "import 'web/sub'; import 'node:fs'; import 'path';" });
    expect(findDependencies(code, project, folder)).toEqual({ web: '1.2.3' });
    const types = write({
      'a.d.ts': "import type {} from 'web'; import type {} from 'typed'; import type {} from 'fs';",
    });
    expect(findDependencies([...code, ...types], project, folder)).toEqual({
      '@types/node': '24.0.0',
      '@types/web': '1.2.0',
      typed: '2.0.0',
      web: '1.2.3',
    });
  });

  test('rejects an import that the installed package could not resolve', () => {
    const files = write({ 'a.js': "import 'tool';" });
    expect(() => findDependencies(files, project, folder)).toThrow(
      /a\.js imports tool, which is not in "dependencies"/,
    );
  });
});

test('writeCommonJs writes modules and declarations that name each other', () => {
  const files = write({
    'a/one.js':
      "import two from '../two.js'; import web from 'web'; export const url = [import.meta.url, two, web];",
    'a/one.d.ts': "import type { Two } from '../two.js'; export declare const two: Two;",
    'two.js': 'export default 2;',
    'two.d.ts': 'export type Two = 2; export default 2;',
  });
  const out = join(folder, 'out');
  writeCommonJs(files, folder, out);
  const read = (name: string) => readFileSync(join(out, name), 'utf8');
  expect(namesOf(read('a/one.cjs'), 'one.js')).toEqual(['node:url', '../two.cjs', 'web']);
  expect(namesOf(read('a/one.d.cts'), 'one.d.ts')).toEqual(['../two.cjs']);
  const two: unknown = createRequire(import.meta.url)(join(out, 'two.cjs'));
  expect(two).toMatchObject({ default: 2 });
});

test('the repository installs no package with an install script, except the bundler of the tests', () => {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8'));
  const installed = Object.entries<{ hasInstallScript?: boolean }>(lock.packages);
  const names = installed.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? path : []));
  expect(names).toEqual(['node_modules/esbuild']);
});

test('an application with one call stays small', async () => {
  const { minified, gzip } = await measureOneCall();
  expect(minified).toBeLessThan(19_500);
  expect(gzip).toBeLessThan(7_950);
});
