import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import {
  MAX_SITE_SECTIONS,
  MAX_SITE_SPACES,
} from '../../../../server/platform/sites/structure/edit/append.ts';
import { MAX_SITE_SECTION_GROUPS } from '../../../../server/platform/sites/structure/edit/groups.ts';
import type {
  GroupRow,
  SectionRow,
  SiteSpaceRow,
} from '../../../../server/platform/spaces/publications/rows.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { createSpace, TestSite } from '../../../support/sites/site-structure.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const ROWS_PER_STATEMENT = 50;

/** Inserts rows until only one more is allowed. */
async function insert(
  table: 'siteSectionGroups' | 'siteSections' | 'siteSpaces',
  count: number,
  row: (number: number) => GroupRow | SectionRow | SiteSpaceRow,
): Promise<void> {
  const rows = Array.from({ length: count }, (_, number) => row(number));
  for (let at = 0; at < count; at += ROWS_PER_STATEMENT) {
    await server.database.query
      .insertInto(table)
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .execute();
  }
}

const position = (number: number) => `a${String(number).padStart(4, '0')}`;
const exceeded = (result: { response: Response; error?: unknown }) => [result.response.status, result.error];

/** Fields of the section of a site space. */
const sectionOf = (site: TestSite, number: number, defaultSiteSpace: string): SectionRow => ({
  id: `sec_${site.id}_${number}`,
  organization: server.organization,
  site: site.id,
  sectionGroup: null,
  title: `Section ${number}`,
  description: null,
  path: `section-${number}`,
  condition: null,
  icon: null,
  defaultSiteSpace,
  position: position(number),
});

const siteSpaceOf = (
  site: TestSite,
  number: number,
  { section, space }: { section: string | null; space: string },
): SiteSpaceRow => ({
  id: `ssp_${site.id}_${number}`,
  organization: server.organization,
  site: site.id,
  section,
  space,
  path: `space-${number}`,
  condition: null,
  position: position(number),
});

describe('a site has at most', () => {
  test('100 section groups', async () => {
    expect(MAX_SITE_SECTION_GROUPS).toBe(100);
    const site = await TestSite.create(server);
    await insert('siteSectionGroups', 99, (number) => ({
      id: `grp_${site.id}_${number}`,
      organization: server.organization,
      site: site.id,
      title: `Group ${number}`,
      icon: null,
      position: position(number),
    }));
    const last = await ok(site.addGroup('Last'));
    expect(exceeded(await site.addGroup('Another'))).toMatchObject([
      409,
      { reason: 'section_group_limit_exceeded' },
    ]);
    await site.removeGroup(last.id);
    await ok(site.addGroup('Another'));
  });

  test('500 sections', async () => {
    expect(MAX_SITE_SECTIONS).toBe(500);
    const site = await TestSite.create(server);
    const space = await createSpace(server, 'Guide');
    await insert('siteSections', 499, (number) => sectionOf(site, number, `ssp_${site.id}_${number}`));
    await insert('siteSpaces', 499, (number) =>
      siteSpaceOf(site, number, { section: `sec_${site.id}_${number}`, space }),
    );
    const last = await ok(site.addSection(space));
    expect(exceeded(await site.addSection(space))).toMatchObject([409, { reason: 'section_limit_exceeded' }]);
    await site.removeSection(last.id);
    await ok(site.addSection(space));
  });

  test('1,000 site spaces', async () => {
    expect(MAX_SITE_SPACES).toBe(1000);
    const site = await TestSite.create(server);
    const spaces = [await createSpace(server, 'Guide'), await createSpace(server, 'API')] as const;
    const [guide, api] = spaces;
    const sections = 499;
    await insert('siteSections', sections, (number) => sectionOf(site, number, `ssp_${site.id}_${number}`));
    await insert('siteSpaces', 999 - 2, (number) =>
      siteSpaceOf(site, number, {
        section: `sec_${site.id}_${number % sections}`,
        space: number < sections ? guide : api,
      }),
    );
    const section = `sec_${site.id}_${sections - 1}`;
    const [third, fourth] = [await createSpace(server, 'Third'), await createSpace(server, 'Fourth')];
    await ok(site.addSpace(api, section));
    await ok(site.addSpace(third, section));
    const last = await ok(site.addSpace(fourth, section));
    const fifth = await createSpace(server, 'Fifth');
    const spacesExceeded = [409, { reason: 'site_space_limit_exceeded' }];
    expect(exceeded(await site.addSpace(fifth, section))).toMatchObject(spacesExceeded);
    expect(exceeded(await site.addSection(fifth))).toMatchObject(spacesExceeded);
    await site.removeSpace(last.id);
    await ok(site.addSpace(fifth, section));
  });
});
