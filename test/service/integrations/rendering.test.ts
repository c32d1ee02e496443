// Runs on one engine: scripts render after the reads of calls.test.ts.
import lzString from 'lz-string';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { install, installed, named, publish } from '../../support/integrations/integrations.ts';
import { type Person, startTestServer, type TestServer } from '../../support/server.ts';

type Schemas = components['schemas'];

let server: TestServer;
let reader: Person;
let editor: Person;
let outsider: Person;
let spaceId: string;
beforeAll(async () => {
  server = await startTestServer();
  [reader, editor, outsider] = await Promise.all([
    server.member('Reader', 'read'),
    server.member('Editor', 'create'),
    server.person('Outsider'),
  ]);
  spaceId = (
    await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/spaces', {
        params: { path: { organizationId: server.organization } },
        body: { title: 'Guide' },
      }),
    )
  ).id;
});
afterAll(() => server.stop());

const document = (): Schemas['RenderContext'] => ({
  type: 'document',
  spaceId,
  editable: false,
  theme: 'dark',
});
const request = (fields: Partial<Schemas['RenderRequest']> = {}): Schemas['RenderRequest'] => ({
  componentId: 'block',
  props: {},
  context: document(),
  ...fields,
});

const post = async ({ client }: Pick<Person, 'client'>, name: string, body: Schemas['RenderRequest']) =>
  await client.POST('/v1/integrations/{integrationName}/render', { ...named(name), body });
const get = async ({ client }: Pick<Person, 'client'>, name: string, text: string) =>
  await client.GET('/v1/integrations/{integrationName}/render', {
    params: { path: { integrationName: name }, query: { request: text } },
  });
const outcome = async (sent: ReturnType<typeof post>) => {
  const { response, error } = await sent;
  return [response.status, error?.reason];
};

/** Publishes and installs an integration with this function body in its script. */
async function rendering(name: string, body: string, publication: Record<string, unknown> = {}) {
  const script = `export default { async fetch(request) {
    const form = await request.formData();
    const event = JSON.parse(form.get('event'));
    const environment = JSON.parse(form.get('environment'));
    const block = (...children) => ({ type: 'element', element: { type: 'block', children }, state: event.state ?? {}, props: event.props });
    ${body}
  } };`;
  await ok(
    publish(server.admin, name, {
      organization: server.organization,
      visibility: 'public',
      script,
      ...publication,
    }),
  );
  return await install(server.admin, name, server.organization);
}

describe('a component', () => {
  test('is rendered for its request, by URL and by body alike', async () => {
    const { id } = await rendering(
      'echo',
      `const text = JSON.stringify([event.type, event.componentId, event.context, event.action, event.auth, event.installationId]);
       return Response.json(block({ type: 'text', children: [text] }));`,
    );
    const sent = request({ props: { a: 1 }, state: { b: 2 }, action: { action: 'press', key: 'x' } });
    const byBody = await ok(post(reader, 'echo', sent));
    const text = JSON.stringify(['ui_render', 'block', document(), sent.action, { userId: reader.id }, id]);
    expect(byBody).toEqual({
      type: 'element',
      element: { type: 'block', children: [{ type: 'text', children: [text] }] },
      state: { b: 2 },
      props: { a: 1 },
    });
    const byUrl = await get(reader, 'echo', lzString.compressToEncodedURIComponent(JSON.stringify(sent)));
    expect(byUrl.data).toEqual(byBody);
    expect(byUrl.response.headers.get('cache-control')).toBe('no-store');
  });

  test('is returned with the content security policy of its integration', async () => {
    const policyOf = async (name: string) =>
      (await post(reader, name, request())).response.headers.get('content-security-policy');
    const contentSecurityPolicy = { 'img-src': 'cdn.example.com', 'frame-src': 'player.example.com' };
    await rendering('policy', 'return Response.json(block());', { contentSecurityPolicy });
    expect(await policyOf('policy')).toBe('img-src cdn.example.com; frame-src player.example.com');
    await rendering('no-policy', 'return Response.json(block());');
    expect(await policyOf('no-policy')).toBeNull();
  });

  test('can end its dialog, and state how long it can be cached', async () => {
    await rendering(
      'complete',
      `return Response.json({ type: 'complete', returnValue: { done: true } }, { headers: { 'Cache-Control': 'max-age=60' } });`,
    );
    const { data, response } = await post(reader, 'complete', request());
    expect(data).toEqual({ type: 'complete', returnValue: { done: true } });
    expect(response.headers.get('cache-control')).toBe('private, max-age=60');
  });

  test('of the settings is rendered with them, for those who can change them', async () => {
    const { id } = await rendering(
      'settings',
      `return Response.json({ ...block(), element: { type: 'configuration', children: [
        { type: 'text', children: [JSON.stringify([environment.installation?.configuration, environment.spaceInstallation?.space])] }] } });`,
      { configurations: { account: { properties: { key: { type: 'string' } }, required: ['key'] } } },
    );
    await ok(
      server.admin.client.POST('/v1/integrations/{integrationName}/installations/{installationId}/spaces', {
        ...installed('settings', id),
        body: { space: spaceId },
      }),
    );
    const account = {
      type: 'configuration_account',
      organizationId: server.organization,
      theme: 'light',
    } as const;
    const space = { type: 'configuration_space', spaceId, theme: 'light' } as const;
    const source = {
      type: 'configuration_contentsource',
      organizationId: server.organization,
      theme: 'light',
    } as const;
    const text = async (context: Schemas['RenderContext']) =>
      JSON.stringify(await ok(post(server.admin, 'settings', request({ context }))));
    expect(await text(account)).toContain('[{},null]');
    expect(await text(space)).toContain(spaceId);
    for (const context of [account, space]) {
      expect(await outcome(post(editor, 'settings', request({ context })))).toEqual([
        403,
        'permission_missing',
      ]);
    }
    const edited = { type: 'document', spaceId, editable: true, theme: 'dark' } as const;
    expect(await outcome(post(reader, 'settings', request({ context: edited })))).toEqual([
      403,
      'permission_missing',
    ]);
    expect(await outcome(post(editor, 'settings', request({ context: source })))).toEqual([200, undefined]);
    expect(await outcome(post(reader, 'settings', request({ context: source })))).toEqual([
      403,
      'permission_missing',
    ]);
    // In a page, it is not rendered before it is complete.
    expect(await outcome(post(reader, 'settings', request()))).toEqual([409, 'installation_incomplete']);
  });
});

describe('a rendering is rejected', () => {
  test('where the integration is not installed, or does not apply', async () => {
    const { id } = await rendering('elsewhere', 'return Response.json(block());');
    expect(await outcome(post(reader, 'elsewhere', request()))).toEqual([200, undefined]);
    expect(await outcome(post(outsider, 'elsewhere', request()))).toEqual([404, 'not_found']);
    const theirs = (await ok(outsider.client.POST('/v1/orgs', { body: { title: 'Theirs' } }))).id;
    const context = { type: 'configuration_account', organizationId: theirs, theme: 'light' } as const;
    expect(await outcome(post(outsider, 'elsewhere', request({ context })))).toEqual([404, 'not_found']);
    const patch = async (body: Schemas['InstallationPatch']) =>
      await ok(
        server.admin.client.PATCH('/v1/integrations/{integrationName}/installations/{installationId}', {
          ...installed('elsewhere', id),
          body,
        }),
      );
    await patch({ space_selection: 'selected' });
    expect(await outcome(post(reader, 'elsewhere', request()))).toEqual([404, 'not_found']);
    await patch({ space_selection: 'all', status: 'paused' });
    expect(await outcome(post(reader, 'elsewhere', request()))).toEqual([409, 'installation_paused']);
    expect(await outcome(post(reader, 'missing', request()))).toEqual([404, 'not_found']);
    await patch({ status: 'active' });
    const path = '/v1/integrations/{integrationName}/installations/{installationId}/spaces';
    const { client } = server.admin;
    await ok(client.POST(path, { ...installed('elsewhere', id), body: { space: spaceId } }));
    await ok(
      client.PATCH(`${path}/{installedSpaceId}`, {
        params: { path: { integrationName: 'elsewhere', installationId: id, installedSpaceId: spaceId } },
        body: { status: 'paused' },
      }),
    );
    expect(await outcome(post(reader, 'elsewhere', request()))).toEqual([409, 'space_installation_paused']);
  });

  test('for a request that is invalid', async () => {
    await rendering('strict', 'return Response.json(block());');
    const compressed = (value: unknown) => lzString.compressToEncodedURIComponent(JSON.stringify(value));
    for (const [text, path] of [
      ['not compressed', 'request'],
      [lzString.compressToEncodedURIComponent('{"componentId":'), 'request'],
      [compressed({ ...request(), componentId: 1 }), 'request.componentId'],
      [compressed({ ...request(), context: { type: 'page' } }), 'request.context'],
      [compressed({ ...request(), props: { long: 'x'.repeat(270_000) } }), 'request'],
    ] as const) {
      const { response, error } = await get(reader, 'strict', text);
      expect([response.status, error?.reason]).toEqual([400, 'field_invalid']);
      expect(error?.details?.[0]).toMatchObject({ in: 'query', path: expect.stringContaining(path) });
    }
  });
});

describe('a script that fails to render', () => {
  const deep = `let element = { type: 'text', children: ['x'] };
    for (let depth = 0; depth < 1500; depth++) element = { type: 'vstack', children: [element] };
    return Response.json(block(element));`;
  test.each([
    ['no JSON', 'return new Response("<p>Hello</p>");', /no valid element/],
    ['nothing', 'return new Response(null, { status: 204 });', /status 204/],
    ['another element', 'return Response.json(block({ type: "script", source: "x" }));', /no valid element/],
    [
      'an unknown field',
      'return Response.json(block({ type: "divider", onload: "x" }));',
      /no valid element/,
    ],
    ['too many levels', deep, /Maximum call stack/],
    [
      'too much',
      'return Response.json(block({ type: "markdown", content: "x".repeat(262_144) }));',
      /limit of 262144 bytes/,
    ],
    [
      'an error of its own',
      'return Response.json({ error: "No licence" }, { status: 503 });',
      /returned the error: No licence$/,
    ],
    ['an error', 'throw new Error("a secret");', /status 500/],
    ['its process', 'const all = []; for (;;) all.push(new Array(1000).fill({}));', /exceeded its memory/],
  ])('because it returns or ends with %s causes a 502', async (name, body, message) => {
    const integration = `failing-${name.replaceAll(' ', '-')}`;
    await rendering(integration, body);
    const { response, error } = await post(reader, integration, request());
    expect([response.status, error?.reason]).toEqual([502, 'integration_failed']);
    expect(error?.message).toMatch(message);
    expect(error?.message).not.toContain('secret');
  });

  test.each([
    [400, 400],
    [403, 403],
    [404, 404],
    [406, 406],
    [422, 422],
    // Clients would take these for a rejected token, and for a reason to repeat the request.
    [401, 400],
    [429, 400],
    [418, 400],
  ])('with an error for its user and the status %d is a %d with its text', async (status, expected) => {
    const integration = `rejecting-${status}`;
    await rendering(integration, `return Response.json({ error: "Sign in first" }, { status: ${status} });`);
    const { response, error } = await post(reader, integration, request());
    expect([response.status, error?.reason, error?.message]).toEqual([
      expected,
      'integration_rejected',
      'Sign in first',
    ]);
  });

  test.each([
    ['no text', 'Response.json({ error: { text: "x" } }, { status: 400 })'],
    ['an empty text', 'Response.json({ error: "" }, { status: 400 })'],
    ['no JSON', 'new Response("x", { status: 400 })'],
  ])('with a client error and %s is a 502', async (name, result) => {
    const integration = `unexplained-${name.replaceAll(' ', '-')}`;
    await rendering(integration, `return ${result};`);
    expect(await outcome(post(reader, integration, request()))).toEqual([502, 'integration_failed']);
  });
});
