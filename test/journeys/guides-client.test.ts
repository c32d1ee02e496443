import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { runsInBrowser } from '../support/find-browser.ts';
import {
  copyRepository,
  linkPackages,
  makeFolder,
  openReader,
  PATH,
  type Reader,
  readBlocks,
} from '../support/guides.ts';
import { finish, ROOT } from '../support/program.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PAGE = 'client/README.md';

let place: Awaited<ReturnType<typeof makeFolder>>;
let server: TestServer;
let reader: Reader;
let project: string;

beforeAll(async () => {
  [place, server] = await Promise.all([makeFolder(), startTestServer()]);
  const clone = join(place.folder, 'colophon');
  await copyRepository(clone);
  await linkPackages(clone);
  project = join(place.folder, 'my-project');
  reader = openReader({
    folder: clone,
    // Who uses the package has a Node that it runs on.
    environment: { PATH: `${dirname(process.execPath)}${delimiter}${PATH}`, TOKEN: server.admin.token },
    replace: (text) => text.replaceAll('https://docs.example.com', server.url),
  });
});

afterAll(async () => {
  await reader?.close();
  await server?.stop();
  await place?.remove();
});

test('leads from the package to calls, lists and failures, as it says', async () => {
  for (const block of readBlocks(PAGE)) {
    await reader.follow(block);
    if (block.does === 'append') {
      await reader.type(`node ${block.of}`);
    }
  }
});

test('has examples that fit the types of the package', async () => {
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
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const checked = await finish('npx', ['tsc', '-p', project], {}, ROOT);
  expect(checked).toMatchObject({ code: 0, stdout: '' });
});

test.runIf(runsInBrowser)('has an example that greets in a browser', async () => {
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
    await page.addInitScript(`sessionStorage.setItem('token', ${JSON.stringify(server.admin.token)})`);
    // A listening TCP server's address is never a string or null.
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    await page.getByText('Hello, Admin').waitFor({ timeout: 30_000 });
  } finally {
    await browser.close();
    pages.close();
  }
});
