import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { createSpace, TestSite } from '../../../support/sites/site-structure.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const space = (title: string) => createSpace(server, title);
const statusOf = (result: { response: Response; error?: unknown }) => [result.response.status, result.error];

describe('a site without sections', () => {
  test('shows its spaces at the root, the first one as default', async () => {
    const site = await TestSite.create(server, 'Guide', 'Guide');
    const added = await ok(site.addSpace(await space('API')));
    expect(added).toMatchObject({
      object: 'site-space',
      path: 'api',
      title: 'API',
      default: false,
      draft: false,
      urls: {},
    });
    expect(added.section).toBeUndefined();
    expect(await site.outline()).toEqual(['Guide*', 'Guide', 'API']);
    const { structure } = await site.structure();
    expect(structure.map((entry) => 'path' in entry && entry.path)).toEqual(['guide', 'guide-2', 'api']);
  });

  test('shows another space first if the default is removed', async () => {
    const site = await TestSite.create(server, 'One', 'Two', 'Three');
    const { structure } = await site.structure();
    await ok(site.update({ defaultSiteSpace: structure[1]?.id ?? '' }));
    expect(await site.outline()).toEqual(['One', 'Two*', 'Three']);
    await site.removeSpace(structure[1]?.id ?? '');
    expect(await site.outline()).toEqual(['One*', 'Three']);
    await site.removeSpace(structure[0]?.id ?? '');
    await site.removeSpace(structure[2]?.id ?? '');
    expect(await site.structure()).toEqual({ type: 'siteSpaces', structure: [] });
  });

  test('shows a space once', async () => {
    const site = await TestSite.create(server);
    const id = await space('Once');
    await ok(site.addSpace(id));
    await ok(site.addSpace(id));
    expect(await site.outline()).toEqual(['Once*']);
  });
});

describe('the first section', () => {
  test('turns the spaces at the root into variants of a section that is named after the default', async () => {
    const site = await TestSite.create(server, 'Old', 'New');
    const { structure } = await site.structure();
    await ok(site.update({ defaultSiteSpace: structure[1]?.id ?? '' }));
    const section = await ok(site.addSection(await space('API'), 'Reference'));
    expect(section).toMatchObject({
      object: 'site-section',
      title: 'Reference',
      path: 'reference',
      default: false,
      draft: false,
    });
    expect(await site.outline()).toEqual(['New*/', '  Old', '  New*', 'Reference/', '  API']);
  });

  test('of an empty site is the default, and deleting it leaves an empty site', async () => {
    const site = await TestSite.create(server);
    const section = await ok(site.addSection(await space('Handbook')));
    expect(section).toMatchObject({ title: 'Handbook', default: true, siteSpaces: [{ default: true }] });
    await site.removeSection(section.id);
    expect(await site.outline()).toEqual([]);
    expect(await site.read()).toMatchObject({ siteSpaces: 0 });
  });
});

describe('a section', () => {
  test('has variants, and is removed with its last one', async () => {
    const site = await TestSite.create(server, 'Guide');
    const section = await ok(site.addSection(await space('v1')));
    const variant = await ok(site.addSpace(await space('v2'), section.id));
    expect(variant).toMatchObject({ section: section.id, default: false });
    // Without a section, the default one is meant.
    await ok(site.addSpace(await space('Extra')));
    expect(await site.outline()).toEqual(['Guide*/', '  Guide*', '  Extra', 'v1/', '  v1', '  v2']);
    await ok(site.updateSection(section.id, { defaultSiteSpace: variant.id }));
    await ok(site.update({ defaultSiteSection: section.id }));
    expect(await site.outline()).toEqual(['Guide/', '  Guide', '  Extra', 'v1*/', '  v1', '  v2*']);
    for (const { id } of section.siteSpaces) {
      await site.removeSpace(id);
    }
    await site.removeSpace(variant.id);
    expect(await site.outline()).toEqual(['Guide*/', '  Guide*', '  Extra']);
  });

  test('changes the fields that a request contains', async () => {
    const site = await TestSite.create(server);
    const created = await ok(site.addSection(await space('Setup')));
    const changed = await ok(
      site.updateSection(created.id, {
        title: 'Install',
        description: 'First steps',
        icon: 'book',
        path: 'go',
      }),
    );
    expect(changed).toEqual({
      ...created,
      title: 'Install',
      description: 'First steps',
      icon: 'book',
      path: 'go',
    });
    expect(await ok(site.updateSection(created.id, { description: null, icon: null }))).toEqual({
      ...created,
      title: 'Install',
      path: 'go',
    });
  });

  test.each([
    ['a path of a sibling', async () => ({ path: 'one' }), [409, { reason: 'path_taken' }]],
    [
      'a default from elsewhere',
      async () => ({ defaultSiteSpace: 'ssp_missing' }),
      [400, { details: [{ path: 'defaultSiteSpace' }] }],
    ],
    [
      'an invalid condition',
      async () => ({ condition: 'visitor.claims.' }),
      [400, { details: [{ path: 'condition' }] }],
    ],
  ] as const)('rejects %s', async (_name, body, expected) => {
    const site = await TestSite.create(server);
    await ok(site.addSection(await space('One')));
    const section = await ok(site.addSection(await space('Two')));
    const before = await site.structure();
    expect(statusOf(await site.updateSection(section.id, await body()))).toMatchObject(expected);
    expect(await site.structure()).toEqual(before);
  });
});

describe('a section group', () => {
  test('contains sections, which remain at its position when it is deleted', async () => {
    const site = await TestSite.create(server);
    const [one, two, three] = [
      await ok(site.addSection(await space('One'))),
      await ok(site.addSection(await space('Two'))),
      await ok(site.addSection(await space('Three'))),
    ];
    const group = await ok(site.addGroup('Products', [three.id, one.id]));
    expect(group).toMatchObject({ draft: false, sections: [{ title: 'Three' }, { title: 'One' }] });
    expect(group.children).toEqual(group.sections);
    await ok(site.moveGroup(group.id, { before: { type: 'site-section', id: two.id } }));
    expect(await site.outline()).toEqual([
      '[Products]',
      '  Three/',
      '    Three',
      '  One*/',
      '    One*',
      'Two/',
      '  Two',
    ]);
    await ok(site.addToGroup(group.id, two.id));
    await site.removeFromGroup(group.id, three.id);
    expect(await site.outline()).toEqual([
      '[Products]',
      '  One*/',
      '    One*',
      '  Two/',
      '    Two',
      'Three/',
      '  Three',
    ]);
    await site.removeGroup(group.id);
    expect(await site.outline()).toEqual(['One*/', '  One*', 'Two/', '  Two', 'Three/', '  Three']);
  });

  test('without sections receives the next space in a section', async () => {
    const site = await TestSite.create(server);
    await ok(site.addGroup('Later'));
    expect(await ok(site.addSpace(await space('Guide')))).toMatchObject({ section: expect.any(String) });
    expect(await site.outline()).toEqual(['[Later]', 'Guide*/', '  Guide*']);
  });

  test('rejects sections of other sites and repeated ones', async () => {
    const [site, other] = [await TestSite.create(server), await TestSite.create(server)];
    const foreign = await ok(other.addSection(await space('Foreign')));
    const own = await ok(site.addSection(await space('Own')));
    expect(statusOf(await site.addGroup('Mixed', [own.id, foreign.id]))).toMatchObject([
      400,
      { details: [{ path: 'sections.1' }] },
    ]);
    expect(statusOf(await site.addGroup('Twice', [own.id, own.id]))).toMatchObject([
      400,
      { details: [{ path: 'sections' }] },
    ]);
    expect(await site.outline()).toEqual(['Own*/', '  Own*']);
  });
});
