// Runs on one engine: each change of its sequences is stored by structure.test.ts and moves.test.ts.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok, paginate } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { createSpace, TestSite } from '../../../support/sites/site-structure.ts';

type Schemas = components['schemas'];

const ROOT = '/v1/orgs/{organizationId}/sites/{siteId}';

let server: TestServer;
let spaces: string[];
beforeAll(async () => {
  server = await startTestServer();
  spaces = [];
  for (const title of ['Guide', 'Guide', 'API', 'Setup', '🚀']) {
    spaces.push(await createSpace(server, title));
  }
});
afterAll(() => server.stop());

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) {
    collected.push(item);
  }
  return collected;
}

/** Reads the structure of a site in all ways. */
async function readAll(site: TestSite) {
  const { client } = server.admin;
  const init = site.path({});
  const page = { params: { ...init.params, query: { limit: 2 } } };
  return {
    structure: await site.structure(),
    published: await ok(client.GET(`${ROOT}/published`, init)),
    groups: await collect(paginate(client, `${ROOT}/section-groups`, page)),
    sections: await collect(paginate(client, `${ROOT}/sections`, page)),
    siteSpaces: await collect(paginate(client, `${ROOT}/site-spaces`, page)),
    defaults: await collect(
      paginate(client, `${ROOT}/site-spaces`, { params: { ...init.params, query: { default: true } } }),
    ),
  };
}

/** Checks that all reads of a site agree, and returns them. */
async function expectConsistent(site: TestSite) {
  const { structure, published, groups, sections, siteSpaces, defaults } = await readAll(site);
  // Visitors do not see empty section groups.
  expect(published.structure.structure).toEqual(
    structure.structure.filter((entry) => entry.object !== 'site-section-group' || entry.sections.length > 0),
  );
  const inOrder: { groups: Schemas['SiteSectionGroup'][]; sections: Schemas['SiteSection'][] } = {
    groups: [],
    sections: [],
  };
  const root: Schemas['SiteSpace'][] = [];
  for (const entry of structure.structure) {
    switch (entry.object) {
      case 'site-space':
        root.push(entry);
        break;
      case 'site-section':
        inOrder.sections.push(entry);
        break;
      case 'site-section-group':
        inOrder.groups.push(entry);
        inOrder.sections.push(...entry.sections);
    }
  }
  expect(groups).toEqual(inOrder.groups);
  expect(sections).toEqual(inOrder.sections);
  expect(siteSpaces).toEqual([...root, ...sections.flatMap((section) => section.siteSpaces)]);
  expect(root.length === 0 || sections.length === 0).toBe(true);
  expect(published.site.siteSpaces).toBe(siteSpaces.length);

  const oneUnlessEmpty = (entries: unknown[]) => Math.min(entries.length, 1);
  const defaultSections = sections.filter((section) => section.default);
  expect(defaultSections).toHaveLength(oneUnlessEmpty(sections));
  expect(defaults).toEqual(siteSpaces.filter((siteSpace) => siteSpace.default));
  expect(defaults).toHaveLength(oneUnlessEmpty(siteSpaces));
  expect(defaults.map(({ section }) => section)).toEqual(
    defaultSections.length > 0 ? defaultSections.map(({ id }) => id) : defaults.map(() => undefined),
  );
  expect(defaults.map(({ urls }) => urls.published)).toEqual(
    defaults.map(() => published.site.urls.published),
  );
  expect(new Set(siteSpaces.map(({ urls }) => urls.published)).size).toBe(siteSpaces.length);
  return { root, groups, sections, siteSpaces };
}

const change = fc.record({
  kind: fc.constantFrom(
    'addSpace',
    'addVariant',
    'addSection',
    'addSection',
    'addGroup',
    'addToGroup',
    'removeFromGroup',
    'moveSpace',
    'moveSection',
    'moveGroup',
    'setDefaultSection',
    'setDefaultSpace',
    'removeSpace',
    'removeSection',
    'removeGroup',
  ),
  /** Choose entries; there may be none. */
  first: fc.nat(),
  second: fc.nat(),
});

type Read = Awaited<ReturnType<typeof expectConsistent>>;

const choose = <Entry>(entries: readonly Entry[], number: number): Entry | undefined =>
  entries[number % Math.max(entries.length, 1)];

/** Sends the request of a change. It can be refused, because it does not suit the structure. */
async function apply(
  site: TestSite,
  { sections, groups, siteSpaces }: Read,
  { kind, first, second }: typeof change extends fc.Arbitrary<infer Value> ? Value : never,
): Promise<{ response: Response } | undefined> {
  const space = choose(spaces, first) ?? '';
  const section = choose(sections, second)?.id ?? 'sec_missing';
  const group = choose(groups, first)?.id ?? 'grp_missing';
  const siteSpace = choose(siteSpaces, first)?.id ?? 'ssp_missing';
  const other = choose(siteSpaces, second)?.id ?? 'ssp_missing';
  switch (kind) {
    case 'addSpace':
      return await site.addSpace(space);
    case 'addVariant':
      return await site.addSpace(space, section);
    case 'addSection':
      return await site.addSection(space);
    case 'addGroup':
      return await site.addGroup('Group', choose(sections, second) ? [section] : []);
    case 'addToGroup':
      return await site.addToGroup(group, section);
    case 'removeFromGroup':
      await site.removeFromGroup(group, section);
      return undefined;
    case 'moveSpace':
      return await site.moveSpace(siteSpace, { before: { type: 'site-space', siteSpace: other } });
    case 'moveSection': {
      const moved = choose(sections, first)?.id ?? 'sec_missing';
      return await site.moveSection(moved, { before: { type: 'site-section', siteSection: section } });
    }
    case 'moveGroup':
      return await site.moveGroup(group);
    case 'setDefaultSection':
      return await site.update({ defaultSiteSection: section });
    case 'setDefaultSpace':
      return await site.update({ defaultSiteSpace: siteSpace });
    case 'removeSpace':
      await site.removeSpace(siteSpace);
      return undefined;
    case 'removeSection':
      await site.removeSection(section);
      return undefined;
    case 'removeGroup':
      await site.removeGroup(group);
      return undefined;
  }
}

test('all reads of a site agree after any sequence of changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 6, maxLength: 14 }), async (changes) => {
      const site = await TestSite.create(server);
      await site.publish();
      let read = await expectConsistent(site);
      for (const item of changes) {
        const result = await apply(site, read, item);
        expect([undefined, 200, 201, 400, 404, 409]).toContain(result?.response.status);
        read = await expectConsistent(site);
      }
    }),
    { numRuns: 10 },
  );
});
