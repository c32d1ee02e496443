import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, paginate } from '../../../client/platform/index.ts';
import type { components, paths } from '../../../generated/schema.d.ts';
import { openSecret, sealingKey } from '../../../server/outgoing/credentials.ts';
import { readSecrets } from '../../../server/platform/integrations/integrations/queries/secrets.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { SECRET_KEY } from '../../support/environment.ts';
import { named, publish } from '../../support/integrations/integrations.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const png = (bytes: number) => Buffer.concat([PNG, randomBytes(bytes - PNG.length)]);
const base64 = (bytes: Buffer) => bytes.toString('base64');

let server: TestServer;
/** Admin of another organization. */
let other: Person;
let otherOrganization: string;
let member: Person;
beforeAll(async () => {
  server = await startTestServer();
  other = await server.person('Other');
  otherOrganization = (await ok(other.client.POST('/v1/orgs', { body: { title: 'Other' } }))).id;
  member = await server.member('Member', 'read');
});
afterAll(() => server.stop());

const get = async (name: string, { client }: Pick<Person, 'client'> = server.admin) =>
  await client.GET('/v1/integrations/{integrationName}', named(name));
const read = async (name: string) => await ok(get(name));
const remove = async (name: string, { client }: Pick<Person, 'client'> = server.admin) =>
  (await client.DELETE('/v1/integrations/{integrationName}', named(name))).response.status;

type Publication = components['schemas']['IntegrationPublication'];
type Query = paths['/v1/integrations']['get']['parameters']['query'];
const list = async (query: Query = {}, { client }: Pick<Person, 'client'> = server.admin) =>
  await Array.fromAsync(
    paginate(client, '/v1/integrations', { params: { query: { limit: 1, ...query } } }),
    ({ name }) => name,
  );

describe('a publication', () => {
  test('needs no field, and has defaults', async () => {
    const published = await ok(publish(server.admin, 'plain', {}));
    expect(published).toMatchObject({
      object: 'integration',
      name: 'plain',
      version: 1,
      title: 'plain',
      previewImages: [],
      target: 'all',
      verified: false,
      visibility: 'private',
      scopes: [],
      categories: [],
      externalLinks: [],
      owner: { id: server.organization },
      permissions: { admin: true },
    });
    expect(published.description).toBeUndefined();
    expect(published.urls.icon).toBeUndefined();
    expect(await read('plain')).toEqual(published);
  });

  test('can repeat categories and scopes, which are returned as they were published', async () => {
    const categories: Publication['categories'] = ['content', 'content'];
    const scopes: Publication['scopes'] = ['space:content:read', 'space:content:read'];
    const published = await ok(publish(server.admin, 'repeated', { categories, scopes }));
    expect(published).toMatchObject({ categories, scopes });
    expect(await list({ scope: 'space:content:read' })).toContain('repeated');
  });

  test('makes a new version, in which omitted fields are unchanged', async () => {
    await ok(
      publish(server.admin, 'again', {
        title: 'First title',
        description: 'Kept.',
        scopes: ['space:content:read'],
        configurations: { account: { properties: { channel: { type: 'string' } }, required: ['channel'] } },
        contentSecurityPolicy: { 'default-src': "'self'", 'script-src': 'https://example.com' },
      }),
    );
    const again = await ok(publish(server.admin, 'again', { title: 'Second title' }));
    expect(again).toMatchObject({
      version: 2,
      title: 'Second title',
      description: 'Kept.',
      scopes: ['space:content:read'],
      configurations: { account: { properties: { channel: { type: 'string' } }, required: ['channel'] } },
      contentSecurityPolicy: "default-src 'self'; script-src https://example.com",
    });
  });

  test('retains the last 10 versions, and the scripts of the retained ones', async () => {
    for (let version = 1; version <= 12; version++) {
      await ok(publish(server.admin, 'often', { script: `// ${version}` }));
    }
    const { query } = server.database;
    const versions = await query
      .selectFrom('integrationVersions')
      .select('version')
      .where('integration', '=', 'often')
      .orderBy('version')
      .execute();
    expect(versions.map(({ version }) => version)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test.runIf(isFirstEngine)('accepts the bodies of real bundles, and serves their images', async () => {
    const [icon, ...previews] = [png(250_000), png(1_000_000), png(1_000_000), png(1_000_000)];
    const published = await ok(
      publish(server.admin, 'bundle', {
        icon: base64(icon),
        previewImages: previews.map(base64),
        blocks: [
          { id: 'card', title: 'Card', icon: base64(PNG), urlUnfurl: ['https://cards.example.com/*'] },
        ],
        script: 'x'.repeat(1_000_000),
      }),
    );
    expect(published.previewImages).toHaveLength(3);
    expect(published.urls.icon).toMatch(new RegExp(`^${published.urls.assets}/.+\\.png$`));
    const urls = [published.urls.icon ?? '', ...published.previewImages, published.blocks?.[0]?.icon ?? ''];
    for (const [at, bytes] of [icon, ...previews, PNG].entries()) {
      const response = await fetch(urls[at] ?? '');
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Type')).toBe('image/png');
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(response.headers.get('Content-Security-Policy')).toContain('sandbox');
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    }
    const part = await fetch(urls[1] ?? '', { headers: { Range: 'bytes=0-7' } });
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, PNG]);
  });

  test('serves a vector image without its scripts', async () => {
    const svg =
      '<?xml version="1.0"?><!-- Logo --><svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>';
    const { urls } = await ok(publish(server.admin, 'vector', { icon: base64(Buffer.from(svg)) }));
    const response = await fetch(urls.icon ?? '');
    expect(response.headers.get('Content-Type')).toBe('image/svg+xml');
    expect(response.headers.get('Content-Security-Policy')).toMatch(/default-src 'none'.*sandbox/);
  });

  test.each([
    ['an icon that is no image', { icon: base64(Buffer.from('<html></html>')) }, 'icon'],
    ['a large icon', { icon: base64(png(1_048_577)) }, 'icon'],
    ['a large preview image', { previewImages: [base64(PNG), base64(png(2_097_153))] }, 'previewImages.1'],
    [
      'a script as the icon of a block',
      { blocks: [{ id: 'b', title: 'Block', icon: 'javascript:alert(1)' }] },
      'blocks.0.icon',
    ],
    [
      'two blocks with one id',
      {
        blocks: [
          { id: 'b', title: 'Block' },
          { id: 'b', title: 'Block' },
        ],
      },
      'blocks.1.id',
    ],
    [
      'a policy with a second header',
      { contentSecurityPolicy: { 'a\u0007b': 'c' } },
      'contentSecurityPolicy',
    ],
    [
      'a required setting that does not exist',
      { configurations: { space: { properties: {}, required: ['a'] } } },
      'configurations.space.required.0',
    ],
    [
      'a default value that is not allowed',
      {
        configurations: {
          site: { properties: { a: { type: 'string' as const, enum: ['x'], default: 'y' } } },
        },
      },
      'configurations.site.properties.a.default',
    ],
    [
      'a setting whose name has a space',
      { configurations: { account: { properties: { 'a b': { type: 'boolean' as const } } } } },
      'configurations.account.properties',
    ],
    [
      'too many settings',
      {
        configurations: {
          account: {
            properties: Object.fromEntries(
              Array.from({ length: 101 }, (_, at) => [`s${at}`, { type: 'boolean' as const }]),
            ),
          },
        },
      },
      'configurations.account.properties',
    ],
    [
      'a setting with a reserved name',
      JSON.parse('{"configurations":{"account":{"properties":{"__proto__":{"type":"boolean"}}}}}') as object,
      'configurations.account.properties.__proto__',
    ],
  ])('rejects %s and names the field', async (_case, body, field) => {
    const { error, response } = await publish(server.admin, 'invalid', body);
    expect([response.status, error?.details?.map(({ path }) => path)]).toEqual([400, [field]]);
    expect((await get('invalid')).response.status).toBe(404);
  });
});

describe('the owner of an integration', () => {
  test('is named by the id or the hostname of the organization', async () => {
    await server.database.query
      .updateTable('organizations')
      .set({ hostname: 'other-docs' })
      .where('id', '=', otherOrganization)
      .execute();
    const { owner } = await ok(publish(other, 'by-hostname', { organization: 'other-docs' }));
    expect(owner.id).toBe(otherOrganization);
    expect((await publish(other, 'nowhere', { organization: 'org_unknown' })).response.status).toBe(404);
  });

  test('must be named by an admin of several organizations', async () => {
    const both = await server.member('Both', 'admin');
    await ok(both.client.POST('/v1/orgs', { body: { title: 'Second' } }));
    const { error } = await publish(both, 'ambiguous', {});
    expect(error).toMatchObject({ status: 409, reason: 'publisher_required' });
  });

  test('alone can publish and unpublish it', async () => {
    await ok(publish(server.admin, 'ours', { visibility: 'public' }));
    for (const organization of [undefined, otherOrganization]) {
      const { error, response } = await publish(other, 'ours', { ...(organization && { organization }) });
      expect([response.status, error?.reason]).toEqual([409, 'integration_name_taken']);
    }
    expect((await publish(member, 'ours', {})).response.status).toBe(403);
    expect(await remove('ours', other)).toBe(403);
    expect((await read('ours')).version).toBe(1);
    expect(await remove('ours')).toBe(204);
    expect(await remove('ours')).toBe(204);
    expect((await get('ours')).response.status).toBe(404);
    // The name is free again.
    expect((await ok(publish(other, 'ours', {}))).version).toBe(1);
  });

  test('is presented without its settings to others', async () => {
    await ok(publish(server.admin, 'shown', { visibility: 'public' }));
    const { owner, permissions } = await ok(get('shown', other));
    expect(permissions).toEqual({ admin: false });
    expect(owner).toMatchObject({ id: server.organization, emailDomains: [] });
    expect(owner.sso).toBeUndefined();
    expect(Object.values(owner.permissions)).not.toContain(true);
    expect((await ok(get('shown', member))).owner.permissions.view).toBe(true);
  });
});

describe('visibility', () => {
  test('decides who finds an integration, by name and in lists', async () => {
    for (const visibility of ['public', 'unlisted', 'private'] as const) {
      await ok(publish(server.admin, `seen-${visibility}`, { visibility }));
    }
    const found = async (person: Person) => {
      const names = ['seen-public', 'seen-unlisted', 'seen-private'];
      const responses = names.map(async (name) => (await get(name, person)).response.status);
      return { named: await Promise.all(responses), listed: await list({ search: 'seen-' }, person) };
    };
    expect(await found(member)).toEqual({
      named: [200, 200, 200],
      listed: ['seen-public', 'seen-private'],
    });
    expect(await found(other)).toEqual({ named: [200, 200, 404], listed: ['seen-public'] });
  });

  test('of a private integration hides that it exists', async () => {
    await ok(publish(server.admin, 'hidden', {}));
    const base = '/v1/integrations/{integrationName}';
    const [install, start] = [
      await other.client.POST(`${base}/installations`, {
        ...named('hidden'),
        body: { organization: otherOrganization },
      }),
      await other.client.PUT(`${base}/dev`, {
        ...named('hidden'),
        body: { tunnelUrl: 'https://tunnel.example.net' },
      }),
    ];
    expect([install.response.status, start.response.status]).toEqual([404, 404]);
    expect(await remove('hidden', other)).toBe(204);
    expect((await get('hidden')).response.status).toBe(200);
  });
});

test('a list is filtered by each property', async () => {
  const visibility = 'public' as const;
  await ok(
    publish(server.admin, 'filter-a', {
      visibility,
      title: 'Ünïted cards',
      categories: ['analytics'],
      scopes: ['space:views:read'],
      target: 'space',
      blocks: [{ id: 'card', title: 'Card', urlUnfurl: ['https://*.cards.example/*', 'https://b.example'] }],
    }),
  );
  await ok(
    publish(other, 'filter-b', {
      visibility,
      organization: otherOrganization,
      target: 'site',
      contentSources: [{ id: 'tickets', title: 'Tickets', configuration: { componentId: 'form' } }],
    }),
  );
  await ok(publish(server.admin, 'filter-c', { visibility }));
  const filtered = async (query: Query) =>
    (await list(query)).filter((name) => name.startsWith('filter-')).map((name) => name.at(-1));
  expect(await filtered({ search: 'ÜNÏTED' })).toEqual(['a']);
  expect(await filtered({ search: 'FILTER-' })).toEqual(['a', 'b', 'c']);
  expect(await filtered({ category: 'analytics' })).toEqual(['a']);
  expect(await filtered({ scope: 'space:views:read' })).toEqual(['a']);
  expect(await filtered({ blockDomain: 'cards.example' })).toEqual(['a']);
  expect(await filtered({ blockDomain: 'B.example' })).toEqual(['a']);
  expect(await filtered({ blocks: true })).toEqual(['a']);
  expect(await filtered({ blocks: false })).toEqual(['b', 'c']);
  expect(await filtered({ contentSources: true })).toEqual(['b']);
  expect(await filtered({ owner: otherOrganization })).toEqual(['b']);
  expect(await filtered({ target: 'space' })).toEqual(['a', 'c']);
  expect(await filtered({ target: 'site', contentSources: true })).toEqual(['b']);
  await ok(publish(server.admin, 'filter-a', { categories: [], blocks: [] }));
  expect(await filtered({ category: 'analytics' })).toEqual([]);
  expect(await filtered({ blockDomain: 'cards.example' })).toEqual([]);
});

describe('secrets', () => {
  test('are encrypted, never returned, and kept until they are replaced', async () => {
    const secrets = { API_KEY: 'a very secret key' };
    const published = await ok(publish(server.admin, 'secretive', { secrets }));
    await ok(publish(server.admin, 'secretive', { title: 'Another' }));
    const { query } = server.database;
    const { secrets: stored } = await query
      .selectFrom('integrations')
      .select('secrets')
      .where('name', '=', 'secretive')
      .executeTakeFirstOrThrow();
    expect(JSON.stringify([published, await read('secretive'), stored])).not.toContain('secret key');
    expect(await readSecrets(query, 'secretive', SECRET_KEY)).toEqual(secrets);
    // Sealed for this integration.
    expect(() => openSecret(stored ?? '', sealingKey(SECRET_KEY), 'secrets of integration other')).toThrow();
  });
});

test('development redirects events until it is stopped', async () => {
  await ok(publish(server.admin, 'developed', {}));
  const dev = '/v1/integrations/{integrationName}/dev';
  const stored = () =>
    server.database.query
      .selectFrom('integrations')
      .select(['tunnelURL', 'tunnelAll'])
      .where('name', '=', 'developed')
      .executeTakeFirstOrThrow();
  const tunnelUrl = 'https://quiet-fox.example.net';
  await server.admin.client.PUT(dev, { ...named('developed'), body: { tunnelUrl, all: true } });
  expect(await stored()).toEqual({ tunnelURL: tunnelUrl, tunnelAll: 1 });
  await server.admin.client.PUT(dev, { ...named('developed'), body: { tunnelUrl } });
  expect(await stored()).toEqual({ tunnelURL: tunnelUrl, tunnelAll: 0 });
  await server.admin.client.DELETE(dev, named('developed'));
  expect(await stored()).toEqual({ tunnelURL: null, tunnelAll: 0 });
});

test('unpublishing deletes the images and the script', async () => {
  const { urls } = await ok(publish(server.admin, 'gone', { icon: base64(png(100)), script: '// gone' }));
  const blobs = async () => {
    const { count } = await server.database.query
      .selectFrom('blobs')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization', '=', otherOrganization)
      .executeTakeFirstOrThrow();
    return count;
  };
  await ok(publish(other, 'gone-elsewhere', { icon: base64(png(100)), script: '// gone' }));
  const before = await blobs();
  await remove('gone');
  expect((await fetch(urls.icon ?? '')).status).toBe(404);
  await remove('gone-elsewhere', other);
  await expect.poll(blobs).toBe(before - 2);
});
