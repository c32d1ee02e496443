import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { launchBrowser } from '../../support/browser/browser.ts';
import { runsInBrowser } from '../../support/browser/find-browser.ts';
import type { Project } from '../../support/packages.ts';
import { checkTypes, ROOT } from '../../support/processes/program.ts';
import type { TestServer } from '../../support/server.ts';
import { consumers, expectTypes } from './consumers.ts';
import { consumer } from './programs.ts';

/** Tests of `@colophon/platform-client` in a project that installed it. */
export function testClient(installed: () => Project, server: () => TestServer): void {
  test('has a README with calls, lists and errors that work as described', async () => {
    const { reader, usage } = installed();
    for (const block of usage) {
      await reader.follow(block);
      if (block.action === 'append') {
        await reader.type(`node ${block.argument}`);
      }
    }
  });

  test('has a README whose examples compile', async () => {
    const { project } = installed();
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
    const checked = await checkTypes(config);
    expect(checked).toMatchObject({ code: 0, stdout: '' });
  });

  test.runIf(runsInBrowser)('has a README with an example for browsers that runs in a browser', async () => {
    const { outputFiles } = await build({
      entryPoints: [join(installed().project, 'browser.ts')],
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
      await page.addInitScript(`sessionStorage.setItem('token', ${JSON.stringify(server().admin.token)})`);
      // The address of a listening TCP server is never a string or null.
      await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
      await page.getByText('Hello, Admin').waitFor({ timeout: 30_000 });
    } finally {
      await browser.close();
      pages.close();
    }
  });

  // The keys of a constant are its names.
  test.each(Object.keys(consumers) as (keyof typeof consumers)[])(
    'compiles calls of a project with the settings %s',
    (name) => expectTypes(installed(), name, consumer),
  );

  test('runs in CommonJS', async () => {
    const { project, run } = installed();
    const program = `const { createClient, ok } = require('@colophon/platform-client');
      const client = createClient({ baseUrl: process.argv[2], token: process.argv[3] });
      ok(client.GET('/v1/user')).then(({ displayName }) => console.log(displayName));`;
    writeFileSync(join(project, 'call.cjs'), program);
    // As versions of Node run it that cannot load ES modules with `require`.
    const options = ['--no-experimental-require-module', 'call.cjs'];
    expect(await run(process.execPath, ...options, server().url, server().admin.token)).toBe('Admin\n');
  });

  test('installs less than 1 MB, besides types', () => {
    const packages = join(installed().project, 'node_modules');
    const files = readdirSync(packages, { recursive: true, encoding: 'utf8' })
      .filter((name) => !/\.d\.[cm]?ts$/.test(name))
      .map((name) => statSync(join(packages, name)))
      .filter((status) => status.isFile());
    expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(1_000_000);
  });

  test('contains no code of the server and no modules of Node', () => {
    const { folder } = installed();
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => /^(server|spec)\b/.test(name))).toEqual([]);
    const code = files
      .filter((name) => /\.c?js$/.test(name))
      .map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(code.filter((text) => /["']node:/.test(text))).toEqual([]);
  });
}
