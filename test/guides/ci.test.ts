import { once } from 'node:events';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  commitAll,
  copyRepository,
  limitChecks,
  linkPackages,
  makeFolder,
  removeTests,
  withoutInstall,
} from '../support/content/repository-copy.ts';
import { missingLine, openReader, PATH, type Reader, readBlocks, readText } from '../support/guides.ts';
import { freePort } from '../support/processes/ports.ts';

const PAGE = 'spec/toolchain/ci.md';
/** The test that the workflow runs instead of all. */
const TEST = 'test/unit/server/config.test.ts';
const WORKFLOW = '.github/workflows/contract.yml';

/** Relevant part of a workflow file. */
interface Workflow {
  jobs: Record<
    string,
    { env: Record<string, string>; steps: { uses?: string; run?: string; if?: string }[] }
  >;
}

let place: Awaited<ReturnType<typeof makeFolder>>;
let clone: string;
let api: Server;
let reader: Reader;

/** Opens a terminal in the clone, with a separate port for the service. */
async function open(): Promise<void> {
  const port = String(await freePort());
  // The address of a listening TCP server is never a string or null.
  const foreign = String((api.address() as AddressInfo).port);
  reader = openReader({
    folder: clone,
    environment: {
      PORT: port,
      COLOPHON_COMPILE_AHEAD: 'off',
      PATH: `${dirname(process.execPath)}${delimiter}${PATH}`,
    },
    replace: (text) =>
      boundedRun(withoutInstall(text))
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${foreign}`),
  });
}

/** Replaces all tests and minutes of requests by one file and some requests. */
function boundedRun(text: string): string {
  return text
    .replace(/\bnpm test$/m, `npm test -- ${TEST}`)
    .replace(/(npm run conform --|colophon conform) /g, '$1 --seed 1 --max-requests 200 ');
}

beforeAll(async () => {
  place = await makeFolder();
  clone = join(place.folder, 'colophon');
  await copyRepository(clone);
  await removeTests(clone, [TEST]);
  await limitChecks(clone, [TEST]);
  await commitAll(clone, join(place.folder, 'colophon.git'));
  await linkPackages(clone);
  api = createServer((request, response) => {
    const isStatus = request.url?.split('?')[0] === '/status';
    const served = isStatus && request.method === 'GET';
    response.setHeader('content-type', 'application/json');
    if (isStatus && !served) {
      response.setHeader('allow', 'GET');
    }
    response.statusCode = served ? 200 : isStatus ? 405 : 404;
    response.end(JSON.stringify(served ? { state: 'up' } : { message: 'Not found.' }));
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');

  const foreign = join(place.folder, 'my-api');
  await mkdir(join(foreign, 'node_modules/.bin'), { recursive: true });
  await writeFile(join(foreign, 'openapi.yaml'), document('1.0.0'));
  await writeFile(join(foreign, '.gitignore'), 'node_modules\n');
  await commitAll(foreign, join(place.folder, 'my-api.git'));
  await writeFile(join(foreign, 'openapi.yaml'), document('1.1.0', '  since: { type: string }\n'));
  // Replaces the command that the package installs, which the tests of the package cover.
  const command = `#!/bin/sh\nexec node "${clone}/spec/toolchain/colophon.ts" "$@"\n`;
  await writeFile(join(foreign, 'node_modules/.bin/colophon'), command, { mode: 0o755 });
});

beforeEach(open);

// Here rather than in the tests, which may time out while a step hangs.
afterEach(() => reader.close());

afterAll(async () => {
  api?.close();
  await place?.remove();
});

test('has a workflow whose steps succeed in order', async () => {
  const file = readBlocks(PAGE).find(({ argument: of }) => of === WORKFLOW);
  if (!file) {
    throw new Error(`The page does not save ${WORKFLOW}.`);
  }
  await reader.follow(file);
  // The file of the page itself, so that its steps fail if it is incomplete.
  const { jobs } = parse(await readFile(join(clone, WORKFLOW), 'utf8')) as Workflow;
  const [job, ...more] = Object.values(jobs);
  expect(more).toEqual([]);
  const steps = job?.steps ?? [];
  const ready = steps.flatMap(({ uses = [] }) => uses);
  expect(ready.map((name) => name.replace(/@.*/, ''))).toEqual([
    'actions/checkout',
    'actions/setup-node',
    'actions/upload-artifact',
  ]);

  const environment = {
    ...job?.env,
    GITHUB_BASE_REF: 'main',
    GITHUB_STEP_SUMMARY: join(place.folder, 'summary'),
  };
  for (const [name, value] of Object.entries(environment)) {
    await reader.type(`export ${name}='${value}'`);
  }
  // Each step in a separate shell that ends at the first failure, as in a runner.
  for (const [index, { run = '' }] of steps.entries()) {
    await writeFile(join(place.folder, `step-${index}`), run);
    if (run !== '') {
      await reader.type(`bash -e ../step-${index}`);
    }
  }
  expect(missingLine(await readFile(environment.GITHUB_STEP_SUMMARY, 'utf8'), NOTHING)).toBeUndefined();
  for (const report of ['conform.html', 'conform.xml', 'conform.json', 'server.log']) {
    await access(join(clone, report));
  }
});

test('has a workflow that installs all packages that the tests require', () => {
  const foldersOf = (text: string) =>
    [...text.matchAll(/^(?: *- run: )?npm ci\b(.*)$/gm)].map(
      ([, options = '']) => /--prefix (\S+)/.exec(options)?.[1] ?? '.',
    );
  expect(foldersOf(readText(PAGE))).toEqual(foldersOf(readText('.ci/run')));
});

test('has commands for this repository and for any other document that work as described', async () => {
  for (const block of readBlocks(PAGE).filter(({ argument: of }) => of !== WORKFLOW)) {
    await reader.follow(block);
  }
});

const NOTHING = 'No changes that affect clients or servers.';

/** A contract that is not ours. */
const document = (version: string, more = '') => `openapi: 3.0.3
info: { title: Status, version: ${version} }
paths:
  /status:
    get:
      operationId: getStatus
      responses:
        '200':
          description: How it is.
          content:
            application/json:
              schema:
                type: object
                required: [state]
                properties:
                  state: { type: string }
${more && `                ${more}`}`;
