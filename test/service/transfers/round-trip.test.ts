import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database, DatabaseLocation } from '../../../server/database/database.ts';
import { openDatabase } from '../../../server/database/database.ts';
import { type CreateId, createId } from '../../../server/database/seams.ts';
import { examine } from '../../../server/platform/content/doctor/doctor.ts';
import { exportOrganization } from '../../../server/platform/transfers/export/export.ts';
import type { Manifest } from '../../../server/platform/transfers/folder/manifest.ts';
import { importOrganization } from '../../../server/platform/transfers/import/import.ts';
import { TRANSFERS } from '../../../server/platform/transfers/transfers.ts';
import { testLocation } from '../../support/database/engines.ts';
import { SECRET_KEY } from '../../support/environment.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { TEMPORARY_FOLDER } from '../../support/processes/temporary.ts';
import type { TestResources } from '../../support/resources.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { fillOrganization } from '../../support/transfers/full-organization.ts';
import { openReaderWith } from '../../support/transfers/open-reader.ts';
import { readOrganization } from '../../support/transfers/read-organization.ts';

let git: GitServer;
let server: TestServer;
let resources: TestResources;
let folder: string;
let manifest: Manifest;

/** All files are in the database. */
const NO_STORAGE = { objectStorage: undefined };

const exportTo = (
  name: string,
  location: DatabaseLocation,
  { organization = server.organization, publicURL }: { organization?: string; publicURL?: string } = {},
) =>
  exportOrganization(join(folder, name), {
    ...NO_STORAGE,
    location,
    organization,
    release: '1.0.0',
    publicURL,
    now: new Date(),
    openReader: openReaderWith({ COLOPHON_PUBLIC_URL: publicURL }),
  });

const importInto = (
  database: Database,
  name: string,
  {
    newIds = false,
    create = createId,
    publicURL,
  }: { newIds?: boolean; create?: CreateId; publicURL?: string } = {},
) =>
  importOrganization(
    { ...NO_STORAGE, database, clock: () => new Date(), createId: create, secretKey: SECRET_KEY, publicURL },
    join(folder, name),
    newIds,
  );

const readRecords = async (name: string, table: string): Promise<string[]> =>
  (await readFile(join(folder, name, 'records', `${table}.ndjson`), 'utf8')).split('\n').filter(Boolean);

beforeAll(async () => {
  [git, server] = await Promise.all([startGitServer(), startTestServer()]);
  resources = await fillOrganization(server, git);
  folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-exports-'));
  manifest = await exportTo('first', server.location);
});
afterAll(async () => {
  await Promise.all([git.close(), server.stop(), rm(folder, { recursive: true })]);
});

/** Requires two exports to have the same records, but for what an import adds. */
async function requireSameRecords(first: string, second: string): Promise<void> {
  for (const { table } of TRANSFERS) {
    const [before, after] = [await readRecords(first, table), await readRecords(second, table)];
    expect(before.length, table).toBeGreaterThan(0);
    if (table === 'auditEvents') {
      expect(after.filter((line) => !before.includes(line))).toEqual([
        expect.stringContaining('"action":"organization.created","actor":"operator"'),
      ]);
    } else {
      expect(after, table).toEqual(before);
    }
  }
}

describe('a server without the organization', () => {
  test('has the same resources, on the other engine and back', async () => {
    const data = { folder: join(folder, 'data') };
    const { location, remove } = await testLocation();
    const [other, third] = [await openDatabase(data), await openDatabase(location)];
    try {
      expect((await importInto(other, 'first')).problems).toEqual([]);
      const second = await exportTo('second', data);
      await requireSameRecords('first', 'second');
      expect([second.objects, second.files]).toEqual([manifest.objects, manifest.files]);
      expect((await importInto(third, 'second')).problems).toEqual([]);
      await exportTo('third', location);
      const [before, after] = await Promise.all(
        ['first', 'third'].map((name) => readFile(join(folder, name, 'content/objects.ndjson'), 'utf8')),
      );
      expect(after?.split('\n').sort()).toEqual(before?.split('\n').sort());
      const results = await examine({
        ...NO_STORAGE,
        database: third,
        readsObjects: false,
        now: new Date(),
        repair: false,
      });
      const problems = [...results].flatMap(([name, { descriptions }]) =>
        descriptions.map((text) => [name, text]),
      );
      expect(problems.filter(([name]) => name !== 'jobs')).toEqual([]);
    } finally {
      await Promise.all([other.close(), third.close()]);
      await remove();
    }
  });

  test('serves it to its members as before, with their own users', async () => {
    const destination = await startTestServer();
    try {
      await exportTo('moved', server.location, { publicURL: server.url });
      const { id, problems } = await importInto(destination.database, 'moved', {
        publicURL: destination.url,
      });
      expect({ id, problems }).toEqual({ id: server.organization, problems: [] });
      const before = await readOrganization(server, server.admin.token, resources, {
        replace: (text) =>
          text
            .replaceAll(server.admin.id, destination.admin.id)
            // Imported installations are paused.
            .replaceAll('"status":"active","space_selection"', '"status":"paused","space_selection"'),
      });
      const after = await readOrganization(destination, destination.admin.token, resources, {
        replaceInPath: (path) => path.replaceAll(server.admin.id, destination.admin.id),
      });
      for (const [name, text] of before) {
        expect({ [name]: after.get(name) }).toEqual({ [name]: text });
      }
      expect(before.size).toBeGreaterThan(90);
      const commented = await destination.database.query
        .selectFrom('comments')
        .select(['space', 'changeRequest', 'page', 'node'])
        .where('node', 'is not', null)
        .executeTakeFirstOrThrow();
      const page = await fetch(
        `${destination.url}/v1/spaces/${commented.space}/change-requests/${commented.changeRequest}/content/page/${commented.page}`,
        { headers: { Authorization: `Bearer ${destination.admin.token}` } },
      );
      expect(await page.text()).toContain(`"key":"${commented.node}"`);
    } finally {
      await destination.stop();
    }
  });
});

test('the server itself can have a copy with new IDs, which refers to nothing of the original', async () => {
  await expect(importInto(server.database, 'first')).rejects.toThrow(/already has org_\w+.*--new-ids/);
  const created: string[] = [];
  const { id, problems } = await importInto(server.database, 'first', {
    newIds: true,
    create: (prefix) => {
      created.push(createId(prefix));
      return created.at(-1) ?? '';
    },
  });
  // In the order of the records.
  const former: string[] = [];
  for (const { table, columns } of TRANSFERS) {
    if (table !== 'users' && 'id' in columns && 'toRecord' in columns.id) {
      for (const line of await readRecords('first', table)) {
        former.push(/"id":"(\w+)"/.exec(line)?.[1] ?? '');
      }
    }
  }
  const copies = new Map(former.map((before, index) => [before, created[index] ?? '']));
  expect(id).toBe(copies.get(server.organization));
  expect(problems).toEqual([
    expect.stringMatching(/^The integration greeter-\d+ was omitted/),
    expect.stringMatching(/^The hostname \w+ of org_\w+ was omitted/),
  ]);
  const replaced = (text: string) =>
    text.replaceAll(/[a-z]+_[0-9A-Za-z]{20}/g, (before) => copies.get(before) ?? before);
  await exportTo('copy', server.location, { organization: id });
  const unlike = new Set(['organizations', 'auditEvents', 'linkInvites']);
  for (const { table } of TRANSFERS.filter(({ table }) => !table.startsWith('integration'))) {
    const [before, after] = [await readRecords('first', table), await readRecords('copy', table)];
    expect(after.filter((line) => former.some((id) => line.includes(id)))).toEqual([]);
    if (!unlike.has(table)) {
      // Those of content, and of blocks.
      const withoutHashes = (lines: string[]) =>
        lines.map((line) => line.replace(/"(root|node)":"[^"]+"/, '"$1":""')).sort();
      expect(withoutHashes(after)).toEqual(withoutHashes(before.map(replaced)));
    }
  }
  const objects = (name: string) => readFile(join(folder, name, 'content/objects.ndjson'), 'utf8');
  expect(former.filter((id) => id.startsWith('spc_'))).not.toEqual([]);
  const [original, copy] = [await objects('first'), await objects('copy')];
  expect(former.some((id) => original.includes(id))).toBe(true);
  expect(former.filter((id) => copy.includes(id))).toEqual([]);
});

test('users and organizations that invited each other meet', async () => {
  const invited = await server.person('New');
  const { id } = await importInto(server.database, 'first', { newIds: true });
  const members = await server.database.query
    .selectFrom('members')
    .select(['organization', 'role'])
    .where('user', '=', invited.id)
    .execute();
  expect(members).toContainEqual({ organization: id, role: 'read' });
  const events = await server.database.query
    .selectFrom('auditEvents')
    .select(['action', 'actor'])
    .where('organization', '=', id)
    .where('resource', '=', invited.id)
    .execute();
  expect(events).toEqual([{ action: 'member.added', actor: 'operator' }]);
});
