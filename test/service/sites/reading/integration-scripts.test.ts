import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { isFirstEngine } from '../../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { installed, named, publish } from '../../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';
import { DevelopedIntegrations } from '../../../support/sites/site-integrations.ts';
import { VisitedSite } from '../../../support/sites/visited-sites.ts';

type Schemas = components['schemas'];

let server: TestServer;
let git: GitServer;
let integrations: DevelopedIntegrations;
let space: string;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  integrations = new DevelopedIntegrations(server);
  const { space: imported } = await spaceFrom(server, git, 'Handbook', { 'README.md': '# Handbook\n' });
  space = imported.id;
});
afterAll(async () => {
  await integrations[Symbol.asyncDispose]();
  await Promise.all([server.stop(), git.close()]);
});

const scriptOf = (text: string, headers: Record<string, string> = {}) =>
  new Response(text, { headers: { 'Content-Type': 'application/javascript', ...headers } });

const published = async (siteId: string, query: { shareKey?: string } = {}) =>
  await ok(
    server.admin.client.GET('/v1/orgs/{organizationId}/sites/{siteId}/published', {
      params: { path: { organizationId: server.organization, siteId }, query },
    }),
  );

/** Reads a page, and returns the addresses of its scripts of integrations. */
async function readPage(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  const text = await response.text();
  const sources = [...text.matchAll(/<script async nonce="([^"]+)" src="([^"]*)"/g)];
  return {
    status: response.status,
    policy: response.headers.get('Content-Security-Policy') ?? '',
    nonces: sources.map(([, nonce]) => nonce),
    scripts: sources.map(([, , src = '']) => new URL(src, url).href),
  };
}

const uninstall = async ({ name, installation }: { name: string; installation: string }) =>
  await server.admin.client.DELETE('/v1/integrations/{integrationName}/installations/{installationId}', {
    ...installed(name, installation),
  });

describe('the script of an installed integration', () => {
  test('is on every page of a site, and is what the integration returns for the site', async () => {
    const site = await publishSite(server, { spaces: [space] });
    expect(await readPage(site.url)).toMatchObject({ status: 200, scripts: [] });

    const counter = await integrations.add(
      'counter',
      {
        scopes: ['site:script:inject', 'site:script:cookies'],
        contentSecurityPolicy: { 'script-src': 'cdn.example.com;', 'img-src': 'data:' },
      },
      () => scriptOf('counted()', { 'Cache-Control': 'max-age=60' }),
    );
    const page = await readPage(site.url);
    const [script = ''] = page.scripts;
    expect(page.scripts).toEqual([
      expect.stringMatching(new RegExp(`^${site.url}/~scripts/${counter.installation}/`)),
    ]);
    expect(page.policy).toContain(
      `script-src 'nonce-${page.nonces[0]}' 'strict-dynamic' https://cdn.example.com;`,
    );
    expect((await readPage(`${site.url}/~search?q=x`)).scripts).toEqual(page.scripts);
    expect((await readPage(`${site.url}/missing`)).scripts).toEqual(page.scripts);
    expect((await published(site.id)).scripts).toEqual([
      { script, contentSecurityPolicy: 'script-src cdn.example.com; img-src data:', cookies: true },
    ]);

    const response = await fetch(script);
    expect([response.status, await response.text()]).toEqual([200, 'counted()']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-security-policy': 'script-src cdn.example.com; img-src data:',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=0',
    });
    expect(counter.calls.at(-1)).toMatchObject({
      event: { type: 'fetch_published_script', installationId: counter.installation, siteId: site.id },
      environment: { integration: { name: 'counter' }, installation: { id: counter.installation } },
    });

    await uninstall(counter);
    expect((await readPage(site.url)).scripts).toEqual([]);
    expect((await fetch(script)).status).toBe(404);
  });

  test.runIf(isFirstEngine).each<[string, () => Response | Promise<Response>, number]>([
    ['another type', () => Response.json({}), 502],
    ['a failure', () => new Response('no', { status: 500 }), 502],
    ['more than a mebibyte', () => scriptOf('x'.repeat(1_048_577)), 502],
    ['an error for users', () => Response.json({ error: 'Not configured.' }, { status: 400 }), 400],
    ['an unknown status', () => Response.json({ error: 'Wait.' }, { status: 429 }), 400],
    ['an error', () => Response.json({ error: 'Not for visitors.' }, { status: 500 }), 502],
  ])('that is %s fails alone', async (reason, answer, status) => {
    const site = await publishSite(server, { spaces: [space] });
    const failing = await integrations.add(
      `failing-${reason.replaceAll(' ', '-')}`,
      { scopes: ['site:script:inject'] },
      answer,
    );
    const { status: pageStatus, scripts } = await readPage(site.url);
    expect([pageStatus, scripts.length]).toEqual([200, 1]);
    const response = await fetch(scripts[0] ?? '');
    expect([response.status, response.headers.get('Cache-Control')]).toEqual([status, 'no-store']);
    const shown = { 'an error for users': 'Not configured.', 'an unknown status': 'Wait.' }[reason];
    expect(await response.text()).toBe(shown ?? 'The integration returned no script.');
    await uninstall(failing);
  });

  test.runIf(isFirstEngine)('are preceded by what they rely on, and the question for consent', async () => {
    const site = await publishSite(server, { spaces: [space] });
    const text = async () => await (await fetch(site.url)).text();
    expect(await text()).not.toMatch(/cookie-banner|integrations\.js/);
    const plain = await integrations.add('plain', { scopes: ['site:script:inject'] }, () => scriptOf('1'));
    expect(await text()).toMatch(/integrations\.js.*\n.*~scripts\//);
    expect(await text()).not.toContain('cookie-banner');
    const setting = await integrations.add(
      'setting',
      { scopes: ['site:script:inject', 'site:script:cookies'] },
      () => scriptOf('1'),
    );
    expect(await text()).toMatch(/<div class="cookie-banner"[^>]* hidden>/);
    await uninstall(plain);
    await uninstall(setting);
  });

  test.runIf(isFirstEngine)('requires the scope, and the installation to be active on the site', async () => {
    const site = await publishSite(server, { spaces: [space] });
    const path = { organizationId: server.organization, siteId: site.id };
    const scoped = await integrations.add('scoped', { scopes: ['site:views:read'] }, () => scriptOf('1'));
    const count = async () => (await readPage(site.url)).scripts.length;
    expect(await count()).toBe(0);
    await ok(publish(server.admin, 'scoped', { scopes: ['site:script:inject'] }));
    expect(await count()).toBe(1);
    await ok(
      publish(server.admin, 'scoped', {
        scopes: ['site:script:inject'],
        configurations: { site: { properties: { id: { type: 'string' } }, required: ['id'] } },
      }),
    );
    // The installation applies to all sites, but a required setting has no value.
    expect(await count()).toBe(0);

    const update = async (body: Schemas['InstallationPatch']) =>
      await ok(
        server.admin.client.PATCH('/v1/integrations/{integrationName}/installations/{installationId}', {
          ...installed('scoped', scoped.installation),
          body,
        }),
      );
    await update({ site_selection: 'selected' });
    expect(await count()).toBe(0);
    await ok(
      server.admin.client.POST('/v1/integrations/{integrationName}/installations/{installationId}/sites', {
        ...installed('scoped', scoped.installation),
        body: { site: path.siteId },
      }),
    );
    // A required setting has no value.
    expect(await count()).toBe(0);
    const onSite = {
      params: {
        path: {
          integrationName: 'scoped',
          installationId: scoped.installation,
          installedSiteId: path.siteId,
        },
      },
    };
    const configure = async (body: Schemas['ContentInstallationPatch']) =>
      await ok(
        server.admin.client.PATCH(
          '/v1/integrations/{integrationName}/installations/{installationId}/sites/{installedSiteId}',
          { ...onSite, body },
        ),
      );
    await configure({ configuration: { id: '1' } });
    expect(await count()).toBe(1);
    const [before] = (await readPage(site.url)).scripts;
    await configure({ configuration: { id: '2' } });
    expect((await readPage(site.url)).scripts).not.toEqual([before]);
    await configure({ status: 'paused' });
    expect(await count()).toBe(0);
    await configure({ status: 'active' });
    await update({ status: 'paused' });
    expect(await count()).toBe(0);
    await uninstall(scoped);
  });

  test.runIf(isFirstEngine)('is sent only to those who can read the site', async () => {
    const site = await VisitedSite.create(server, { spaces: [space], visibility: 'share-link' });
    const secret = await integrations.add('secret', { scopes: ['site:script:inject'] }, () => scriptOf('1'));
    const { shareKey } = await site.createShareLink();
    const { scripts } = await published(site.id, { shareKey });
    const url = scripts[0]?.script ?? '';
    expect(new URL(url).searchParams.get('shareKey')).toBe(shareKey);
    const [address = ''] = url.split('?');
    expect((await fetch(address, { redirect: 'manual' })).status).toBe(404);
    const admitted = await fetch(url, { redirect: 'manual' });
    expect(admitted.status).toBe(303);
    const cookie = (admitted.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '';
    const response = await fetch(address, { headers: { Cookie: cookie } });
    expect(response.status).toBe(200);
    expect(response.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
    expect(response.headers.get('Cache-Control')).toMatch(/^private/);
    await uninstall(secret);
  });

  test.runIf(isFirstEngine)('is requested rarely, except in development', async () => {
    const site = await publishSite(server, { spaces: [space] });
    const text = async () => await (await fetch((await readPage(site.url)).scripts[0] ?? '')).text();
    let calls = 0;
    const cached = await integrations.add(
      'cached',
      {
        scopes: ['site:script:inject'],
        script: `export default { fetch: () => new Response(String(Math.random()), {
          headers: { 'Content-Type': 'text/javascript' },
        }) }`,
      },
      () => scriptOf(String(++calls)),
    );
    expect([await text(), await text()]).toEqual(['1', '2']);
    await server.admin.client.DELETE('/v1/integrations/{integrationName}/dev', named('cached'));
    const published = await text();
    expect(published).toMatch(/^0\./);
    expect(await text()).toBe(published);
    await ok(publish(server.admin, 'cached', {}));
    expect(await text()).not.toBe(published);
    await uninstall(cached);
  });

  test.runIf(isFirstEngine)(
    'runs only in the origin of its organization, or where no other one restricts its readers',
    async () => {
      const site = await publishSite(server, { spaces: [space] });
      const alone = await integrations.add('alone', { scopes: ['site:script:inject'] }, () => scriptOf('1'));
      expect((await readPage(site.url)).scripts).toHaveLength(1);
      const other = await server.person('Other');
      const { id: organizationId } = await ok(other.client.POST('/v1/orgs', { body: { title: 'Other' } }));
      const { id } = await ok(
        other.client.POST('/v1/orgs/{organizationId}/spaces', {
          params: { path: { organizationId } },
          body: { title: 'Secrets' },
        }),
      );
      const { id: siteId } = await ok(
        other.client.POST('/v1/orgs/{organizationId}/sites', {
          params: { path: { organizationId } },
          body: { spaces: [id] },
        }),
      );
      const params = { path: { organizationId, siteId } };
      await ok(other.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', { params }));
      expect((await readPage(site.url)).scripts).toHaveLength(1);
      await ok(
        other.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', {
          params,
          body: { visibility: 'share-link' },
        }),
      );
      expect((await readPage(site.url)).scripts).toEqual([]);
      expect((await published(site.id)).scripts).toEqual([]);
      await ok(other.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/unpublish', { params }));
      expect((await readPage(site.url)).scripts).toHaveLength(1);
      await uninstall(alone);
    },
  );
});
