import { execFile } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { isStep, openReader, PATH, readBlocks } from '../../support/guides.ts';
import { linkPackagesOf, type Project } from '../../support/packages.ts';
import { ROOT } from '../../support/processes/program.ts';
import { consumers, expectTypes } from './consumers.ts';
import { runtimes, typed } from './programs.ts';

/** Paths of the installed TypeSpec compilers. */
function compilersOf(project: string): string[] {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  return Object.keys(lock.packages).filter((path) => path.endsWith('@typespec/compiler'));
}

/** Tests of `@colophon/toolkit` in a project that installed it. */
export function testToolkit(installed: () => Project): void {
  test('has a README that works as described', async () => {
    const { reader, usage } = installed();
    for (const block of usage) {
      await reader.follow(block);
    }
  });

  test('has a page of the server that works as described', async () => {
    const { reader } = installed();
    for (const block of readBlocks('server/contract/README.md').filter(isStep)) {
      await reader.follow(block);
    }
    const options = { skipLibCheck: true, types: ['node'], allowImportingTsExtensions: true };
    await expectTypes(installed(), 'nodenext', "import '../../server.ts';", options);
  });

  // The keys of a constant are its names.
  test.each(Object.keys(consumers) as (keyof typeof consumers)[])(
    'has types for a project with the settings %s',
    // The types of Express and Node, which the router depends on, are not free of errors with all settings.
    (name) => expectTypes(installed(), name, runtimes, { skipLibCheck: true, types: ['node'] }),
  );

  test('runs in CommonJS', async () => {
    const { project, run } = installed();
    const program = `console.log(typeof require('@colophon/toolkit/client').createClient);
      console.log(typeof require('@colophon/toolkit/server').createContractRouter);`;
    writeFileSync(join(project, 'require.cjs'), program);
    const options = ['--no-experimental-require-module', 'require.cjs'];
    expect(await run(process.execPath, ...options)).toBe('function\nfunction\n');
  });

  test('has one TypeSpec compiler, that of its own contracts', () => {
    expect(compilersOf(installed().project)).toEqual(['node_modules/@typespec/compiler']);
  });

  test('is installed by plain npm after the TypeSpec packages of a project, whose contract it compiles', async () => {
    const { project, tarball } = installed();
    const beside = join(dirname(project), 'beside-typespec');
    cpSync(join(ROOT, 'test/fixtures/shop'), beside, { recursive: true });
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const own = ['@typespec/compiler', '@typespec/http', '@typespec/openapi'];
    const environment = { PATH: `${dirname(process.execPath)}${delimiter}${PATH}` };
    const reader = openReader({ folder: beside, environment });
    try {
      await reader.type('npm init -y');
      // Each command resolves the dependencies of the whole project again. Only the last one also installs them.
      const existing = own.map((name) => `${name}@${dependencies[name]}`).join(' ');
      await reader.type(`npm install --package-lock-only ${existing}`);
      for (const command of [
        `npm install --package-lock-only ${tarball}`,
        `${linkPackagesOf('toolkit')} && npm install typescript@${devDependencies.typescript}`,
      ]) {
        expect(await reader.type(command)).not.toContain('ERESOLVE');
      }
      expect(compilersOf(beside)).toEqual(['node_modules/@typespec/compiler']);
      const checked = await reader.type('npx colophon generate --check --contract main.tsp');
      expect(checked).toContain('generated files are up to date');
    } finally {
      await reader.close();
    }
  });

  describe('has the command colophon, which', () => {
    const contract = ['--contract', 'carts.yaml', '--generated', 'carts'];
    let generated: Awaited<ReturnType<typeof colophon>>;
    beforeAll(async () => {
      const { project } = installed();
      cpSync(join(ROOT, 'test/fixtures/carts/openapi.yaml'), join(project, 'carts.yaml'));
      // Written by the README.
      rmSync(join(project, 'tsconfig.json'), { force: true });
      generated = await colophon('generate', ...contract);
    });

    /** Returns the exit code and output of the command, started without npx, which takes longer than the command. */
    async function colophon(...args: string[]): Promise<{ code: number; out: string; err: string }> {
      const { project } = installed();
      return promisify(execFile)(join(project, 'node_modules/.bin/colophon'), args, { cwd: project }).then(
        ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
        ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
      );
    }

    test('prints its help and its version', async () => {
      const { manifest } = installed();
      const { code, out } = await colophon('--help');
      expect(code).toBe(0);
      for (const name of ['generate', 'check', 'diff', 'conform']) {
        expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
      }
      expect((await colophon('--version')).out).toBe(`${manifest.version}\n`);
    });

    test('generates from a document in YAML, and distinguishes drift from unreadable contracts', async () => {
      expect(generated.out).toMatch(/^wrote carts\/openapi\.json$/m);
      expect((await colophon('generate', '--check', ...contract)).code).toBe(0);
      const file = join(installed().project, 'carts/operations.ts');
      const text = readFileSync(file);
      writeFileSync(file, '// Edited by hand.');
      const { code, err } = await colophon('generate', '--check', ...contract);
      writeFileSync(file, text);
      expect(code).toBe(1);
      expect(err).toContain('Fix: npx colophon generate --contract carts.yaml --generated carts');
      expect((await colophon('generate', '--contract', 'none.yaml')).code).toBe(2);
    });

    test('runs the checks that apply, and reports those that it skips', async () => {
      const { project } = installed();
      const green = await colophon('check', ...contract);
      expect(green.code).toBe(0);
      expect(green.out).toMatch(/^skip {2}format .*there is no biome\.json/m);
      expect(green.out).toMatch(/^green drift/m);
      writeFileSync(join(project, 'tsconfig.json'), typed);
      writeFileSync(join(project, 'typed.ts'), "export const wrong: number = 'text';\n");
      const red = await colophon('check', ...contract);
      expect(red.code).toBe(1);
      expect(red.out).toMatch(/^typed\.ts:1:14 error TS2322/m);
      rmSync(join(project, 'tsconfig.json'));
      expect((await colophon('check', '--colour')).code).toBe(2);
    });

    test('reports breaking changes', async () => {
      const { project } = installed();
      const text = readFileSync(join(project, 'carts.yaml'), 'utf8');
      writeFileSync(join(project, 'new.yaml'), text.replace('maxLength: 10', 'maxLength: 9'));
      expect((await colophon('diff', 'carts.yaml', 'carts.yaml')).code).toBe(0);
      const { code, out } = await colophon('diff', 'carts.yaml', 'new.yaml');
      expect(code).toBe(1);
      expect(out).toContain('maxLength changed from 10 to 9');
      expect((await colophon('diff', 'carts.yaml', 'none.yaml')).code).toBe(2);
    });

    test('generates from a contract in several files of TypeSpec', async () => {
      const { project } = installed();
      cpSync(join(ROOT, 'test/fixtures/shop'), join(project, 'shop'), { recursive: true });
      const shop = ['--contract', 'shop/main.tsp', '--generated', 'shop/generated'];
      expect((await colophon('generate', ...shop)).code).toBe(0);
      expect((await colophon('generate', '--check', ...shop)).code).toBe(0);
    });
  });
}
