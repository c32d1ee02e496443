import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tableColumns } from '../../../server/database/catalog.ts';
import { createId } from '../../../server/database/seams.ts';
import { examine } from '../../../server/platform/content/doctor/doctor.ts';
import { unfinishedImports } from '../../../server/platform/kit/transfer/unfinished-imports.ts';
import { exportOrganization } from '../../../server/platform/transfers/export/export.ts';
import type { Manifest } from '../../../server/platform/transfers/folder/manifest.ts';
import { importOrganization } from '../../../server/platform/transfers/import/import.ts';
import { DERIVED_TABLES, STAYING_TABLES, TRANSFERS } from '../../../server/platform/transfers/transfers.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/engines.ts';
import { SECRET_KEY } from '../../support/environment.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { TEMPORARY_FOLDER } from '../../support/processes/temporary.ts';
import { TestResources } from '../../support/resources.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { openReaderWith } from '../../support/transfers/open-reader.ts';

let git: GitServer;
let server: TestServer;
let destination: TestDatabase;
let folders: string;
let original: string;
let copies = 0;

beforeAll(async () => {
  [git, server, destination] = await Promise.all([startGitServer(), startTestServer(), openTestDatabase()]);
  const resources = await TestResources.ofServer(server, git);
  for (const parameter of ['pageId', 'organizationFileId', 'teamId', 'siteId', 'changeRequestId']) {
    await resources.idFor(parameter);
  }
  folders = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-exports-'));
  original = join(folders, 'original');
  await exportTo(original);
});
afterAll(async () => {
  await Promise.all([git.close(), server.stop(), destination.close(), rm(folders, { recursive: true })]);
});

const exportTo = (folder: string, organization = server.organization, signal?: AbortSignal) =>
  exportOrganization(folder, {
    location: server.location,
    organization,
    release: '1.0.0',
    objectStorage: undefined,
    publicURL: undefined,
    now: new Date(),
    openReader: openReaderWith(),
    ...(signal && { signal }),
  });

const importFrom = (folder: string, clock = () => new Date(), signal?: AbortSignal) =>
  importOrganization(
    {
      objectStorage: undefined,
      database: destination.db,
      clock,
      createId,
      secretKey: SECRET_KEY,
      publicURL: undefined,
      signal,
    },
    folder,
    false,
  );

/** Copies the export. */
async function copyExport(): Promise<string> {
  copies += 1;
  const folder = join(folders, `copy-${copies}`);
  await cp(original, folder, { recursive: true });
  return folder;
}

/** Changes a file of an export, and its entry in the manifest. */
async function change(folder: string, path: string, replace: (text: string) => string): Promise<void> {
  const text = replace(await readFile(join(folder, path), 'utf8'));
  await writeFile(join(folder, path), text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  await changeManifest(folder, (manifest) => ({
    ...manifest,
    contents: { ...manifest.contents, [path]: { bytes: Buffer.byteLength(text), sha256 } },
  }));
}

async function changeManifest(folder: string, replace: (manifest: Manifest) => object): Promise<void> {
  const file = join(folder, 'manifest.json');
  await writeFile(file, JSON.stringify(replace(JSON.parse(await readFile(file, 'utf8')))));
}

/** Requires that the database has nothing of the organization. */
async function requireNothing(): Promise<void> {
  const { query } = destination.db;
  const tables = new Set(
    (await tableColumns(query)).flatMap(({ table, name }) => (name === 'organization' ? [table] : [])),
  );
  for (const table of [...tables, 'organizations', 'users', 'settings']) {
    const { rows } = await sql<object>`select * from ${sql.table(table)} limit 1`.execute(query);
    expect(rows, table).toEqual([]);
  }
}

test('every table of an organization travels, is derived, or stays', async () => {
  const columns = await tableColumns(destination.db.query);
  const owned = columns.flatMap(({ table, name }) => (name === 'organization' ? [table] : []));
  const transferred = TRANSFERS.map(({ table }): string => table);
  const listed = [...transferred, ...Object.keys(DERIVED_TABLES), ...Object.keys(STAYING_TABLES)];
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.filter((table) => !['organizations', 'users'].includes(table)).sort()).toEqual(owned.sort());
});

describe('an export', () => {
  test('does not overwrite, and requires an organization', async () => {
    await expect(exportTo(original)).rejects.toThrow(/exists. Exports do not overwrite/);
    await expect(exportTo(join(folders, 'none'), 'org_none')).rejects.toThrow(
      'There is no organization with the ID org_none.',
    );
    const end = AbortSignal.abort(new Error('interrupted'));
    await expect(exportTo(join(folders, 'none'), server.organization, end)).rejects.toThrow('interrupted');
    expect((await readdir(folders)).filter((name) => /none|partial/.test(name))).toEqual([]);
  });
});

describe('an import refuses, and changes nothing', () => {
  const cases: [name: string, damage: (folder: string) => Promise<void>, message: RegExp | string][] = [
    ['another folder', (folder) => rm(join(folder, 'manifest.json')), /not the folder of an exported/],
    [
      'a newer format',
      (folder) => changeManifest(folder, (manifest) => ({ ...manifest, version: 2 })),
      /has the version 2.1, which this release cannot read/,
    ],
    [
      'a changed file',
      (folder) => writeFile(join(folder, 'records/teams.ndjson'), '{}\n'),
      'The folder is damaged: records/teams.ndjson was changed.',
    ],
    ['a missing file', (folder) => rm(join(folder, 'README.md')), 'README.md is missing'],
    [
      'another file',
      (folder) => writeFile(join(folder, 'files/other'), ''),
      'files/other is not part of the export',
    ],
    [
      'a record with an invalid value',
      (folder) => change(folder, 'records/members.ndjson', (text) => text.replace('"admin"', '"owner"')),
      'role in line 1 of records/members.ndjson is invalid',
    ],
    [
      'a record with another property',
      (folder) => change(folder, 'records/teams.ndjson', (text) => text.replace('{', '{"size":1,')),
      'size in line 1 of records/teams.ndjson is not a known property',
    ],
    [
      'a record without a property',
      (folder) => change(folder, 'records/teams.ndjson', (text) => text.replace(/"title":"\w+",/, '')),
      'title in line 1 of records/teams.ndjson is missing',
    ],
    [
      'a removed record',
      (folder) => change(folder, 'records/teams.ndjson', () => ''),
      'records/teams.ndjson does not have the number of records',
    ],
    [
      'a changed object',
      (folder) =>
        change(folder, 'content/objects.ndjson', (text) => text.replace('A picture', 'Another picture')),
      'does not have this hash',
    ],
    [
      'a missing object, after others were stored',
      (folder) => change(folder, 'content/objects.ndjson', (text) => text.replace(/^.*\n/, '')),
      'an object of the content is missing',
    ],
    [
      'a record of a resource that is missing, after others were stored',
      (folder) =>
        change(folder, 'records/siteSpaces.ndjson', (text) =>
          text.replace(/"site":"\w+"/, '"site":"site_none"'),
        ),
      /foreign key/i,
    ],
  ];
  test.for(cases)('%s', async ([, damage, message]) => {
    const folder = await copyExport();
    await damage(folder);
    await expect(importFrom(folder)).rejects.toThrow(message);
    await requireNothing();
  });

  test('after an interruption', async () => {
    const end = new AbortController();
    const clock = () => {
      // First called when rows of the organization exist.
      setImmediate(() => end.abort(new Error('interrupted')));
      return new Date();
    };
    await expect(importFrom(original, clock, end.signal)).rejects.toThrow('interrupted');
    await requireNothing();
  });
});

test('what a killed import has left is removed by the next one, which succeeds', async () => {
  const { db } = destination;
  const killed = importOrganization(
    {
      database: {
        ...db,
        query: db.query,
        transaction: failAfter(12, db.transaction.bind(db)),
        inTurn: db.inTurn.bind(db),
      },
      clock: () => new Date(),
      createId,
      secretKey: SECRET_KEY,
      objectStorage: undefined,
      publicURL: undefined,
    },
    original,
    false,
  );
  await expect(killed).rejects.toThrow('killed');
  expect(await unfinishedImports(db.query)).toEqual([server.organization]);
  const results = [
    ...(
      await examine({
        objectStorage: undefined,
        readsObjects: false,
        database: db,
        now: new Date(),
        repair: false,
      })
    ).values(),
  ];
  expect(results.flatMap(({ notes }) => notes)).toContainEqual(
    expect.stringContaining(`The import of ${server.organization} has not ended`),
  );
  expect((await importFrom(original)).id).toBe(server.organization);
  expect(await unfinishedImports(db.query)).toEqual([]);
});

/** Lets all transactions after some fail, as if the process had ended. */
function failAfter(count: number, transaction: TestDatabase['db']['transaction']): typeof transaction {
  let started = 0;
  return async (work, options) => {
    started += 1;
    if (started > count) {
      throw new Error('killed');
    }
    return await transaction(work, options);
  };
}
