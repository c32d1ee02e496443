import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { createId } from '../../../../server/database/seams.ts';
import { siteLock } from '../../../../server/platform/kit/locks.ts';
import { moveEntry } from '../../../../server/platform/sites/structure/edit/order.ts';
import { addSiteSpace } from '../../../../server/platform/sites/structure/edit/site-spaces.ts';
import {
  readRows,
  type StructureRows,
  selectSites,
  writeRows,
} from '../../../../server/platform/spaces/publications/rows.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { createSpace, TestSite } from '../../../support/sites/site-structure.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const TITLE = 'Guide';
const COUNT = 12;

/** Changes the structure through the database of the test, like another process. */
const changeElsewhere = async (site: string, change: (rows: StructureRows) => StructureRows) =>
  await server.database.transaction(
    async (trx) => {
      const row = await selectSites(trx).where('sites.id', '=', site).executeTakeFirstOrThrow();
      const before = await readRows(trx, row);
      await writeRows(trx, before, change(before));
    },
    { lock: siteLock(site) },
  );

/** Moves the first site space to the end. */
const rotate = (rows: StructureRows): StructureRows =>
  moveEntry(rows, { type: 'site-space', id: rows.siteSpaces[0]?.id ?? '' });

test('writers of one site in several processes take turns, and no change is lost', async () => {
  const site = await TestSite.create(server, ...Array(4).fill(TITLE));
  const readVersion = async () =>
    (await selectSites(server.database.query).where('sites.id', '=', site.id).executeTakeFirstOrThrow())
      .version;
  const before = await readVersion();
  const ids = (await site.structure()).structure.map(({ id }) => id);
  const spaces: string[] = [];
  for (let count = 0; count < 2 * COUNT; count += 1) {
    spaces.push(await createSpace(server, TITLE));
  }
  const written = await Promise.all(
    Array.from({ length: COUNT }, async (_, number) => {
      const [first = '', second = ''] = [spaces[number], spaces[COUNT + number]];
      const [moved, added] = await Promise.all([
        site.moveSpace(ids[number % ids.length] ?? ''),
        site.addSpace(first),
        changeElsewhere(site.id, rotate),
        changeElsewhere(
          site.id,
          (rows) => addSiteSpace(rows, { space: { id: second, title: TITLE } }, createId).rows,
        ),
      ]);
      return { moved, added };
    }),
  );
  expect(written.map(({ added }) => added.response.status)).toEqual(Array(COUNT).fill(201));
  expect(written.map(({ moved }) => moved.response.status)).toEqual(Array(COUNT).fill(200));
  // A move to where the site space already is writes nothing.
  expect(await readVersion()).toBeGreaterThanOrEqual(before + 3 * COUNT);
  expect(await readVersion()).toBeLessThanOrEqual(before + 4 * COUNT);

  const { structure } = await site.structure();
  expect(structure).toHaveLength(ids.length + 2 * COUNT);
  expect(new Set(structure.map((entry) => ('path' in entry ? entry.path : ''))).size).toBe(structure.length);
  expect(structure.filter((entry) => 'default' in entry && entry.default)).toMatchObject([{ id: ids[0] }]);
  const { siteSpaces } = await readRows(
    server.database.query,
    await selectSites(server.database.query).where('sites.id', '=', site.id).executeTakeFirstOrThrow(),
  );
  expect(new Set(siteSpaces.map(({ position }) => position)).size).toBe(siteSpaces.length);
  // Further moves are possible in this order.
  const last = structure.at(-1)?.id ?? '';
  await ok(site.moveSpace(last, { before: { type: 'site-space', siteSpace: structure[0]?.id ?? '' } }));
  expect((await site.structure()).structure[0]?.id).toBe(last);
});
