import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { writeJson } from '../../../server/database/json.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { TestSite } from '../../support/sites/site-structure.ts';

type Customization = components['schemas']['SiteCustomization'];

const PATH = '/v1/orgs/{organizationId}/sites/{siteId}/customization';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const read = async (site: TestSite, client = server.admin.client) => await client.GET(PATH, site.path({}));
const replace = async (site: TestSite, body: Customization, client = server.admin.client) =>
  await client.PUT(PATH, { ...site.path({}), body });
const published = async (site: TestSite, client = server.as()) =>
  await client.GET('/v1/orgs/{organizationId}/sites/{siteId}/published', site.path({}));

/** Returns a customization that differs from the default one in many parts. */
const changed = (customization: Customization): Customization => ({
  ...customization,
  styling: {
    ...customization.styling,
    theme: 'bold',
    primaryColor: { light: '#AA0011', dark: '#ff99aa' },
    corners: 'straight',
  },
  internationalization: { locale: 'fr' },
  favicon: { emoji: '1f680' },
  header: {
    ...customization.header,
    links: [{ title: 'Home', to: { kind: 'url', url: 'https://example.com/' } }],
  },
  footer: { groups: [], copyright: '© Acme <Inc>' },
  pagination: { enabled: false },
});

describe('the customization of a site', () => {
  test('is the default one until it is replaced as a whole', async () => {
    const site = await TestSite.create(server, 'Guide');
    const initial = await ok(read(site));
    expect((await site.read()).icon).toBeUndefined();
    const customization = changed(initial);
    expect(await ok(replace(site, customization))).toEqual(customization);
    expect(await ok(read(site))).toEqual(customization);
    expect((await site.read()).icon).toEqual(customization.favicon);
    const other = await TestSite.create(server, 'Guide');
    expect(await ok(read(other))).toEqual(initial);
    // Parts that the second request omits do not remain.
    const { copyright: _copyright, ...footer } = customization.footer;
    const withoutCopyright = { ...customization, footer };
    await ok(replace(site, withoutCopyright));
    expect(await ok(read(site))).toEqual(withoutCopyright);
  });

  test('accepts what clients of the platform send, and returns all fields', async () => {
    const site = await TestSite.create(server, 'Guide');
    const { pdf: _pdf, git: _git, socialAccounts: _accounts, ...initial } = await ok(read(site));
    const { codeTheme: _codeTheme, ...styling } = initial.styling;
    const sent = {
      ...initial,
      styling: { ...styling, font: 'Open Sans', monospaceFont: 'jetbrains-mono' },
      ai: { mode: 'assistant' as const },
      pageActions: { items: ['pdf' as const, 'mcp' as const, 'markdown' as const] },
    };
    const theme = { light: 'default-light', dark: 'default-dark' };
    expect(await ok(replace(site, sent))).toEqual({
      ...sent,
      styling: {
        ...styling,
        font: 'OpenSans',
        monospaceFont: 'JetBrainsMono',
        codeTheme: { default: theme, openapi: theme },
      },
      pageActions: { externalAI: false, markdown: true, items: ['pdf', 'mcp', 'markdown', 'assistant'] },
      pdf: { enabled: true },
      git: { showEditLink: false },
      socialAccounts: [],
    });
    const accounts = [
      { platform: 'github' as const, handle: 'acme', display: { footer: true, header: false } },
    ];
    const settings = {
      ...sent,
      pdf: { enabled: false },
      git: { showEditLink: true },
      socialAccounts: accounts,
    };
    const stored = await ok(replace(site, { ...settings, styling: { ...styling, font: 'Own  Font' } }));
    // The settings of actions take precedence over their list.
    expect(stored).toMatchObject({
      styling: { font: 'Own  Font', monospaceFont: 'IBMPlexMono' },
      pageActions: { items: ['mcp', 'markdown', 'assistant', 'git'] },
      socialAccounts: accounts,
    });
    const [first] = accounts;
    const many = Array.from({ length: 11 }, () => first as (typeof accounts)[number]);
    expect((await replace(site, { ...settings, socialAccounts: many })).response.status).toBe(400);
  });

  test('of an earlier release is complete', async () => {
    const site = await TestSite.create(server, 'Guide');
    const { socialAccounts: _accounts, ...initial } = await ok(read(site));
    const { items: _items, ...pageActions } = initial.pageActions;
    const earlier = {
      ...initial,
      styling: { ...initial.styling, monospaceFont: 'IBM Plex Mono' },
      pageActions,
    };
    await server.database.query
      .updateTable('sites')
      .set({ customization: writeJson(earlier as unknown as Record<string, unknown>) })
      .where('id', '=', site.id)
      .execute();
    expect(await ok(read(site))).toMatchObject({
      styling: { monospaceFont: 'IBMPlexMono' },
      pageActions: { items: ['markdown', 'git', 'pdf'] },
      socialAccounts: [],
    });
  });

  test('is part of the published site, which has no scripts', async () => {
    const site = await TestSite.create(server, 'Guide', 'API');
    const customization = changed(await ok(read(site)));
    await ok(replace(site, customization));
    expect((await published(site)).response.status).toBe(401);
    expect((await published(site, server.admin.client)).response.status).toBe(404);
    const { urls } = await site.publish();
    const { site: presented, structure, ...rest } = await ok(published(site));
    const { permissions: _ofAdmin, ...fields } = await site.read();
    expect(presented).toEqual({ ...fields, urls, permissions: expect.objectContaining({ view: false }) });
    expect(structure).toMatchObject({
      type: 'siteSpaces',
      structure: [{ title: 'Guide' }, { title: 'API' }],
    });
    expect(rest).toEqual({
      object: 'published-content-site',
      customizations: { site: customization, siteSpaces: expect.any(Object) },
      scripts: [],
    });
  });

  test('is read by members and replaced by admins', async () => {
    const site = await TestSite.create(server, 'Guide');
    const creator = await server.member('Creator', 'create');
    const customization = await ok(read(site, creator.client));
    expect((await replace(site, customization, creator.client)).response.status).toBe(403);
    const outsider = await server.person('Outsider');
    expect((await read(site, outsider.client)).response.status).toBe(404);
    expect((await replace(site, customization, outsider.client)).response.status).toBe(404);
  });

  test('is not replaced by an invalid one', async () => {
    const site = await TestSite.create(server, 'Guide');
    const before = await ok(read(site));
    const styling = { ...before.styling, primaryColor: { light: 'red', dark: '#000000' } };
    const { response, error } = await replace(site, { ...before, styling });
    expect([response.status, error]).toMatchObject([
      400,
      { details: [{ path: 'styling.primaryColor.light' }] },
    ]);
    expect(await ok(read(site))).toEqual(before);
  });
});
