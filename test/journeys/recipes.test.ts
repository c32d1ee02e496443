import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser/browser.ts';
import { runsInBrowser } from '../support/browser/find-browser.ts';
import {
  type Block,
  isStep,
  openReader,
  PATH,
  type Reader,
  readBlocks,
  readText,
} from '../support/guides.ts';
import { checkTypes, ROOT } from '../support/processes/program.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PAGE = 'client/recipes.md';
const blocks = readBlocks(PAGE);
const sections = [...new Set(blocks.filter(isStep).map(({ section }) => section))];

// In a folder of the repository, where the libraries and the client are installed.
let folder: string;
let server: TestServer;
let reader: Reader;

beforeAll(async () => {
  const parent = join(import.meta.dirname, '.colophon');
  await mkdir(parent, { recursive: true });
  folder = await mkdtemp(join(parent, 'recipes-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  server = await startTestServer();
  const bin = join(ROOT, 'node_modules/.bin');
  reader = openReader({
    folder,
    environment: { TOKEN: server.admin.token, PATH: `${bin}:${join(process.execPath, '..')}:${PATH}` },
    replace: (text) => text.replaceAll('https://docs.example.com', server.url),
  });
});

afterAll(async () => {
  await reader?.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

const stepsOf = (section: string): Block[] =>
  blocks.filter((block) => isStep(block) && block.section === section);

test.each(sections)('%s works as described', async (section) => {
  for (const block of stepsOf(section)) {
    await reader.follow(block);
  }
});

test('the examples compile', async () => {
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
  };
  const config = join(folder, 'tsconfig.json');
  await writeFile(config, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const checked = await checkTypes(config);
  expect(checked).toMatchObject({ code: 0, stdout: '' });
});

test('the excerpts are those of their files', () => {
  for (const { action, argument, text } of blocks) {
    if (action === 'excerpt') {
      expect(readText(argument)).toContain(text);
    }
  }
});

test.runIf(runsInBrowser)('the bundle runs in a browser', async () => {
  const files = new Map([
    ['/', { type: 'text/html', text: await readFile(join(folder, 'index.html'), 'utf8') }],
    ['/app.js', { type: 'text/javascript', text: await readFile(join(folder, 'app.js'), 'utf8') }],
  ]);
  const pages = createServer(({ url = '' }, response) => {
    const { type, text } = files.get(url) ?? { type: 'text/plain', text: '' };
    response.setHeader('content-type', type).end(text);
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.addInitScript(`sessionStorage.setItem('token', ${JSON.stringify(server.admin.token)})`);
    // The address of a listening TCP server is never a string or null.
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    await page.getByText('Hello, Admin').waitFor({ timeout: 30_000 });
  } finally {
    await browser.close();
    pages.close();
  }
});
