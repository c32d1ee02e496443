import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { createSpace, TestSite } from '../../../support/sites/site-structure.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const statusOf = (result: { response: Response; error?: unknown }) => [result.response.status, result.error];
const invalid = (path: string) => [400, { details: [{ path }] }];

describe('a site space', () => {
  let site: TestSite;
  let ids: string[];
  beforeEach(async () => {
    site = await TestSite.create(server, 'One', 'Two', 'Three');
    ids = (await site.structure()).structure.map(({ id }) => id);
  });
  const pointer = (index: number) => ({ type: 'site-space', siteSpace: ids[index] ?? '' }) as const;

  test('moves before and after siblings, and to the end', async () => {
    const [first = '', second = '', third = ''] = ids;
    await ok(site.moveSpace(third, { before: pointer(0) }));
    expect(await site.outline()).toEqual(['Three', 'One*', 'Two']);
    await ok(site.moveSpace(third, { after: pointer(0), before: pointer(1) }));
    expect(await site.outline()).toEqual(['One*', 'Three', 'Two']);
    await ok(site.moveSpace(first));
    expect(await site.outline()).toEqual(['Three', 'Two', 'One*']);
    await ok(site.sort({ type: 'site-space', id: second }, { before: { type: 'site-space', id: third } }));
    expect(await site.outline()).toEqual(['Two', 'Three', 'One*']);
  });

  test('is not moved to a position that does not exist', async () => {
    const [first = '', , third = ''] = ids;
    const other = await TestSite.create(server, 'Foreign');
    const [foreign = ''] = (await other.structure()).structure.map(({ id }) => id);
    const contradiction = { after: pointer(1), before: pointer(0) };
    expect(statusOf(await site.moveSpace(third, contradiction))).toMatchObject(invalid('position'));
    expect(statusOf(await site.moveSpace(first, { after: pointer(0) }))).toMatchObject(
      invalid('position.after'),
    );
    const elsewhere = { before: { type: 'site-space', siteSpace: foreign } } as const;
    expect(statusOf(await site.moveSpace(first, elsewhere))).toMatchObject(invalid('position.before'));
    expect(statusOf(await site.sort({ type: 'site-space', id: foreign }, {}))).toMatchObject(invalid('item'));
    expect((await site.moveSpace(foreign)).response.status).toBe(404);
    expect(await site.outline()).toEqual(['One*', 'Two', 'Three']);
  });
});

describe('sections and section groups', () => {
  test('share one order at the root, in which only siblings are positions', async () => {
    const site = await TestSite.create(server);
    const sections: string[] = [];
    for (const title of ['One', 'Two', 'Three']) {
      sections.push((await ok(site.addSection(await createSpace(server, title)))).id);
    }
    const [one = '', two = '', three = ''] = sections;
    const group = await ok(site.addGroup('Group', [two, three]));
    const section = (id: string) => ({ type: 'site-section', siteSection: id }) as const;
    const groupPointer = { type: 'site-section-group', id: group.id } as const;

    await ok(site.sort(groupPointer, { before: { type: 'site-section', id: one } }));
    await ok(site.moveSection(three, { before: section(two) }));
    expect(await site.outline()).toEqual([
      '[Group]',
      '  Three/',
      '    Three',
      '  Two/',
      '    Two',
      'One*/',
      '  One*',
    ]);
    await ok(site.sort({ type: 'site-section', id: one }, { before: groupPointer }));
    await ok(site.moveGroup(group.id, { before: { type: 'site-section', id: one } }));

    // A section of another level, a section that does not exist, and an entry of the wrong type.
    expect(statusOf(await site.moveSection(one, { after: section(two) }))).toMatchObject(
      invalid('position.after'),
    );
    expect(statusOf(await site.moveSection(two, { before: section(one) }))).toMatchObject(
      invalid('position.before'),
    );
    const wrongType = { after: { type: 'site-section', id: group.id } } as const;
    expect(statusOf(await site.sort({ type: 'site-section', id: one }, wrongType))).toMatchObject(
      invalid('position.after'),
    );
    expect(statusOf(await site.moveGroup(group.id, { before: groupPointer }))).toMatchObject(
      invalid('position.before'),
    );
  });
});

test('concurrent moves leave a valid order', async () => {
  const titles = ['A', 'B', 'C', 'D', 'E', 'F'];
  const site = await TestSite.create(server, ...titles);
  const ids = (await site.structure()).structure.map(({ id }) => id);
  const results = await Promise.all(
    ids.flatMap((id, index) => [
      site.moveSpace(id, { after: { type: 'site-space', siteSpace: ids[(index + 2) % 6] ?? '' } }),
      site.sort(
        { type: 'site-space', id },
        { before: { type: 'site-space', id: ids[(index + 3) % 6] ?? '' } },
      ),
    ]),
  );
  expect(results.filter(({ response }) => response.status !== 200)).toEqual([]);
  const outline = await site.outline();
  expect(outline.map((line) => line.replace('*', '')).sort()).toEqual(titles);
  const rows = await server.database.query
    .selectFrom('siteSpaces')
    .select('position')
    .where('site', '=', site.id)
    .execute();
  expect(new Set(rows.map(({ position }) => position)).size).toBe(titles.length);
});
