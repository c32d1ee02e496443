import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { runsInBrowser } from '../support/find-browser.ts';
import { compileCacheOf } from '../support/guides.ts';
import { type InstalledPackage, installPackage, usageBlocks } from '../support/installed-package.ts';
import { finish, ROOT } from '../support/program.ts';
import { consumer, talk, typed } from './package-programs.ts';

// All tests share one installation, which follows the page for users of the package: it takes half a minute of CPU.

const token = 'a-token-for-the-test-of-the-package';

/**
 * Environment of a user's shell, with the Node that runs this test first on the path. The command of an
 * `npm exec -c` that started the tests is left out: every `npx` would read it as its own.
 */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'npm_config_call')),
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
};

let installed: InstalledPackage;
let project: string;
let tarball: string;
let manifest: { dependencies: Record<string, string> } & Record<string, unknown>;

beforeAll(async () => {
  installed = await installPackage();
  ({ project, tarball } = installed);
  manifest = JSON.parse(readFileSync(join(installed.dist, 'package.json'), 'utf8'));
});

afterAll(() => installed?.remove());

/** Runs a program in the project. */
async function run(program: string, ...args: string[]): Promise<string> {
  const variables = { ...env, ...compileCacheOf(dirname(installed.dist)) };
  const { stdout } = await promisify(execFile)(program, args, { cwd: project, env: variables });
  return stdout;
}

describe('the page for users of the package', () => {
  test('has calls, lists and errors that work as described', async () => {
    const { reader } = installed;
    for (const block of usageBlocks()) {
      await reader.follow(block);
      if (block.action === 'append') {
        await reader.type(`node ${block.argument}`);
      }
    }
  });

  test('has examples that compile with the types of the package', async () => {
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      typeRoots: [join(ROOT, 'node_modules/@types')],
      types: ['node'],
    };
    const config = join(project, 'tsconfig.page.json');
    writeFileSync(config, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const checked = await finish('npx', ['tsc', '--checkers', '1', '-p', config], {}, ROOT);
    expect(checked).toMatchObject({ code: 0, stdout: '' });
  });

  test.runIf(runsInBrowser)('has an example for browsers that runs in a browser', async () => {
    const { outputFiles } = await build({
      entryPoints: [join(project, 'browser.ts')],
      bundle: true,
      format: 'esm',
      write: false,
    });
    const pages = createServer((request, response) => {
      const script = request.url === '/browser.js';
      response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
      response.end(
        script ? outputFiles[0]?.text : '<!doctype html><script type="module" src="/browser.js"></script>',
      );
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.addInitScript(
        `sessionStorage.setItem('token', ${JSON.stringify(installed.server.admin.token)})`,
      );
      // The address of a listening TCP server is never a string or null.
      await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
      await page.getByText('Hello, Admin').waitFor({ timeout: 30_000 });
    } finally {
      await browser.close();
      pages.close();
    }
  });
});

describe('the package', () => {
  test('passes the checks of publint', async () => {
    const { messages } = await publint({ pack: { tarball: bytesOf(tarball) }, strict: true });
    expect(messages).toEqual([]);
  });

  test('has correct types for all users of ES modules', async () => {
    const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)), {
      excludeEntrypoints: ['./openapi.json'],
    });
    if (result.types === false) {
      throw new Error('The package has no types.');
    }
    // The package has no CommonJS, and the resolution of Node 10 does not support exports.
    const old = ['NoResolution node10', 'CJSResolvesToESM node16-cjs'];
    const problems = result.problems.map(
      (problem) => `${problem.kind} ${'resolutionKind' in problem ? problem.resolutionKind : ''}`,
    );
    expect(problems.filter((problem) => !old.includes(problem))).toEqual([]);
    expect(Object.keys(result.entrypoints)).toEqual(['./client', './server']);
  });

  test('depends only on the packages that it imports, at exact versions', () => {
    const rootManifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(Object.keys(manifest).sort()).toEqual(
      'bin dependencies description engines exports license name peerDependencies peerDependenciesMeta type version'.split(
        ' ',
      ),
    );
    expect(manifest.dependencies).toMatchObject({ 'openapi-fetch': '0.17.0', express: '5.3.0' });
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(rootManifest.dependencies[name] ?? rootManifest.devDependencies[name]).toBe(version);
      // TypeScript generates the types of a contract; the TypeSpec compilers are optional.
      expect(name).not.toMatch(/node-linux|typespec|ts7|vitest|biome|esbuild/);
    }
  });
});

describe('an empty project that installs the package', () => {
  test.each(['nodenext', 'bundler'])('compiles calls with module resolution %s', async (moduleResolution) => {
    const folder = join(project, moduleResolution);
    mkdirSync(folder);
    const compilerOptions = {
      module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
      moduleResolution,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    writeFileSync(join(folder, 'consumer.ts'), consumer);
    const compiler = join(ROOT, 'node_modules/ts7/bin/tsc');
    const outcome = run(process.execPath, compiler, '--checkers', '1', '-p', folder).catch(
      ({ stdout }) => stdout,
    );
    expect(await outcome).toBe('');
  });

  test('has the types of the server', async () => {
    const folder = join(project, 'server-types');
    mkdirSync(folder);
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    writeFileSync(
      join(folder, 'consumer.ts'),
      `import { createApp } from 'colophon/server';
       const listen: (port: number) => unknown = createApp(null as never).listen;
       // @ts-expect-error: an application is not a number, so its type was found
       const wrong: number = createApp(null as never);
       void [listen, wrong];`,
    );
    const compiler = join(ROOT, 'node_modules/ts7/bin/tsc');
    const outcome = run(process.execPath, compiler, '--checkers', '1', '-p', folder).catch(
      ({ stdout }) => stdout,
    );
    expect(await outcome).toBe('');
  });

  test('imports the contract and the server', async () => {
    writeFileSync(
      join(project, 'imports.js'),
      `import contract from 'colophon/openapi.json' with { type: 'json' };
       import { createApp } from 'colophon/server';
       console.log(contract.openapi, typeof createApp);`,
    );
    expect(await run(process.execPath, 'imports.js')).toBe('3.1.0 function\n');
  });

  test('shows the help of the server', async () => {
    expect(await run(join(project, 'node_modules/.bin/colophon-server'), '--help')).toContain('DATABASE_URL');
  });

  describe('has the command colophon, which', () => {
    const contract = ['--contract', 'carts.yaml'];
    beforeAll(() => cpSync(join(ROOT, 'test/fixtures/carts/openapi.yaml'), join(project, 'carts.yaml')));

    /** Returns the exit code and output of the command, started without npx, which takes longer than the command. */
    async function colophon(...args: string[]): Promise<{ code: number; out: string; err: string }> {
      return promisify(execFile)(join(project, 'node_modules/.bin/colophon'), args, {
        cwd: project,
        env,
      }).then(
        ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
        ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
      );
    }

    test('prints its help and its version', async () => {
      const { code, out } = await colophon('--help');
      expect(code).toBe(0);
      for (const name of ['generate', 'check', 'diff', 'conform']) {
        expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
      }
      expect(await run('npx', 'colophon', '--version')).toBe(`${manifest.version}\n`);
    });

    test('generates from a document in YAML, and distinguishes drift from unreadable contracts', async () => {
      expect((await colophon('generate', ...contract)).out).toMatch(/^wrote generated\/openapi\.json$/m);
      expect((await colophon('generate', '--check', ...contract)).code).toBe(0);
      writeFileSync(join(project, 'generated/operations.ts'), '// Edited by hand.');
      const { code, err } = await colophon('generate', '--check', ...contract);
      expect(code).toBe(1);
      expect(err).toContain('Fix: npx colophon generate --contract carts.yaml');
      expect((await colophon('generate', '--contract', 'none.yaml')).code).toBe(2);
    });

    test('runs the checks that apply, and reports those that it skips', async () => {
      await colophon('generate', ...contract);
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
      const text = readFileSync(join(project, 'carts.yaml'), 'utf8');
      writeFileSync(join(project, 'new.yaml'), text.replace('maxLength: 10', 'maxLength: 9'));
      expect((await colophon('diff', 'carts.yaml', 'carts.yaml')).code).toBe(0);
      const { code, out } = await colophon('diff', 'carts.yaml', 'new.yaml');
      expect(code).toBe(1);
      expect(out).toContain('maxLength changed from 10 to 9');
      expect((await colophon('diff', 'carts.yaml', 'none.yaml')).code).toBe(2);
    });

    test('reports the packages that a contract in TypeSpec requires, and uses them once they are installed', async () => {
      cpSync(join(ROOT, 'test/fixtures/shop'), join(project, 'shop'), { recursive: true });
      const shop = ['--contract', 'shop/main.tsp', '--generated', 'shop/generated'];
      const { code, err } = await colophon('generate', ...shop);
      expect(code).toBe(2);
      expect(err).toContain('npm install --save-dev @typespec/compiler @typespec/http');
      symlinkSync(join(ROOT, 'node_modules/@typespec'), join(project, 'node_modules/@typespec'));
      expect((await colophon('generate', ...shop)).code).toBe(0);
      expect((await colophon('generate', '--check', ...shop)).code).toBe(0);
    });
  });

  test('starts the server and calls it', async () => {
    const server = spawn(join(project, 'node_modules/.bin/colophon-server'), {
      cwd: project,
      env: {
        ...env,
        PORT: '0',
        COLOPHON_BOOTSTRAP_TOKEN: token,
        COLOPHON_COMPILE_AHEAD: 'off',
        LOG_LEVEL: 'error',
        DATABASE_URL: undefined,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(server, 'exit');
    try {
      writeFileSync(join(project, 'talk.js'), talk);
      const [name, ...more] = (await run(process.execPath, 'talk.js', await addressOf(server.stdout), token))
        .trim()
        .split('\n');
      expect(name).toMatch(/./);
      expect(more).toEqual(['http 404']);
    } finally {
      server.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
  });
});

function bytesOf(path: string): ArrayBuffer {
  return new Uint8Array(readFileSync(path)).buffer;
}

/** Returns the URL that a server prints. */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface(output)) {
    lines.push(line);
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (address !== undefined) {
      return address;
    }
  }
  throw new Error(`The server ended without naming its address. Output:\n${lines.join('\n')}`);
}
