import { randomBytes } from 'node:crypto';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VARIABLES } from '../../server/app/config-variables.ts';
import { commitAll, installedCopy, withoutInstall } from '../support/content/repository-copy.ts';
import { administer, findPostgres, start, withDatabase } from '../support/database/postgres.ts';
import { type Block, openReader, PATH, type Reader, readBlocks, readText } from '../support/guides.ts';
import { hasSwift, STORAGE_CREDENTIALS, startStorage } from '../support/object-storage/swift.ts';
import { freePort } from '../support/processes/ports.ts';

const PAGE = 'server/running.md';
const POSTGRES = 'With PostgreSQL';
const OBJECT_STORAGE = 'Files in an object storage';
/** Followed by `deployment.test.ts`. */
const CONTAINERS = 'Containers';

let copy: Awaited<ReturnType<typeof installedCopy>>;
let reader: Reader | undefined;

beforeEach(async () => {
  copy = await installedCopy();
});

afterEach(async () => {
  await reader?.close();
  await copy.remove();
});

/** Follows blocks in the copy, with system folders and ports of this run. */
async function follow(
  blocks: Block[],
  replace: (text: string) => string = (text) => text,
  environment: Record<string, string> = {},
): Promise<void> {
  const ports = [await freePort(), await freePort()];
  const metricsPort = String(await freePort());
  reader = openReader({
    folder: copy.folder,
    environment: { PORT: String(ports[0]), COLOPHON_COMPILE_AHEAD: 'off', ...environment },
    replace: (text) =>
      replace(withoutInstall(text))
        .replaceAll('/var/lib/', `${copy.folder}/.colophon/`)
        .replaceAll('/var/backups/', `${copy.folder}/.colophon/backups/`)
        .replaceAll(/\b9464\b/g, metricsPort)
        .replaceAll(/\b300[01]\b/g, (port) => String(ports[Number(port.at(-1))])),
  });
  for (const block of blocks) {
    await reader.follow(block);
  }
}

test('starts, backs up, restores and upgrades a server with a data folder as described', async () => {
  await commitAll(copy.folder, join(copy.folder, '.colophon/origin.git'));
  await follow(
    readBlocks(PAGE).filter(({ section }) => ![POSTGRES, OBJECT_STORAGE, CONTAINERS].includes(section)),
  );
});

test.skipIf(!hasSwift)('moves files to an object storage and back as described', async () => {
  const storage = await startStorage();
  try {
    await follow(
      readBlocks(PAGE).filter(({ section }) => section === OBJECT_STORAGE),
      (text) =>
        text
          .replace('https://s3.example.com', `http://127.0.0.1:${storage.port}`)
          .replaceAll('acme-files', storage.bucket)
          .replace('ACCESS-KEY', STORAGE_CREDENTIALS.AWS_ACCESS_KEY_ID)
          .replace('SECRET-KEY', STORAGE_CREDENTIALS.AWS_SECRET_ACCESS_KEY),
    );
  } finally {
    await reader?.close();
    await storage.close();
  }
});

const postgres = findPostgres();
test.skipIf(!postgres)('starts, backs up and restores servers on PostgreSQL as described', async () => {
  if (!postgres) {
    return;
  }
  const server =
    'url' in postgres ? { url: postgres.url, stop: async () => {} } : await start(postgres.binaries);
  const names = ['colophon', 'restored'].map((name) => `${name}_${randomBytes(6).toString('hex')}`);
  const [first = '', second = ''] = names;
  try {
    await administer(server.url, `create database ${first} template template0`);
    await follow(
      readBlocks(PAGE).filter(({ section }) => section === POSTGRES),
      (text) =>
        text
          .replaceAll('postgres://colophon@db.example.com/colophon', withDatabase(server.url, first))
          .replaceAll('postgres://colophon@db.example.com/restored', withDatabase(server.url, second))
          .replaceAll(/ restored$/gm, ` ${second}`),
      'binaries' in postgres ? { PATH: `${postgres.binaries}${delimiter}${PATH}` } : {},
    );
  } finally {
    await reader?.close();
    for (const name of names) {
      await administer(server.url, `drop database if exists ${name} with (force)`);
    }
    await server.stop();
  }
});

test('lists the variables that the server reads, with their defaults', () => {
  const rows = [...readText(PAGE).matchAll(/^\| `([A-Z_]+)` +\| (.+?) +\| (.+?) +\|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(VARIABLES.map(({ name }) => name));
  for (const [index, variable] of VARIABLES.entries()) {
    expect(rows[index]?.[2]).toContain(variable.description);
    expect(rows[index]?.[3]).toBe(variable.default);
  }
});
