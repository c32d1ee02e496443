import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { Wire } from '../../support/http/wire.ts';
import { install, installed, named, publish } from '../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { publishSite, spaceFrom } from '../../support/sites/published-site.ts';

const HOST = 'content.test';
const NAME = 'frames';

/** Shows its own document in a page. */
const SCRIPT = `
export default {
  async fetch(request) {
    const form = await request.formData();
    const { event, environment } = Object.fromEntries(['event', 'environment'].map((name) => [name, JSON.parse(form.get(name))]));
    if (event.type !== 'ui_render') return new Response('<p>document</p>', { headers: { 'Content-Type': 'text/html' } });
    const element = { type: 'webframe', source: { url: environment.integration.urls.publicContentEndpoint } };
    return Response.json({ type: 'element', element: { type: 'block', children: [element] }, state: {}, props: {} });
  }
};`;

let server: TestServer;
let git: GitServer;
let wire: Wire;
let installation: string;
beforeAll(async () => {
  [server, git] = await Promise.all([
    startTestServer({ COLOPHON_INTEGRATION_CONTENT_URL: `http://${HOST}` }),
    startGitServer(),
  ]);
  wire = new Wire(server.url);
  const blocks = [{ id: 'frame', title: 'Frame' }];
  await ok(publish(server.admin, NAME, { organization: server.organization, script: SCRIPT, blocks }));
  ({ id: installation } = await install(server.admin, NAME, server.organization));
});
afterAll(async () => {
  wire.close();
  await Promise.all([server.stop(), git.close()]);
});

/** Reads a path at a host of the server. */
const at = async (host: string, target: string) =>
  await wire.send({ method: 'GET', target, headers: { host } });

test('the documents of integrations have a host of their own, if the server has one for them', async () => {
  const { client } = server.admin;
  const space = await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId: server.organization } },
      body: {},
    }),
  );
  const { urls: own } = await ok(client.GET('/v1/integrations/{integrationName}', named(NAME)));
  const { urls: ofInstallation } = await ok(
    client.GET(
      '/v1/integrations/{integrationName}/installations/{installationId}',
      installed(NAME, installation),
    ),
  );
  const { urls: onSpace } = await ok(
    client.POST('/v1/integrations/{integrationName}/installations/{installationId}/spaces', {
      ...installed(NAME, installation),
      body: { space: space.id },
    }),
  );
  for (const { publicEndpoint, publicContentEndpoint } of [own, ofInstallation, onSpace]) {
    const { host, pathname } = new URL(publicContentEndpoint);
    expect(host).toBe(HOST);
    expect(publicEndpoint).toBe(`${server.url}${pathname}`);
    const { text, headers } = await at(HOST, pathname);
    expect(text).toBe('<p>document</p>');
    // As at the public endpoint, so that documents in a sandbox can request it.
    expect(headers['access-control-allow-origin']).toBe('*');
    expect((await at(`${HOST.toUpperCase()}:80`, `${pathname}/below?a=1`)).text).toBe('<p>document</p>');
  }
});

test('serves nothing else at this host', async () => {
  for (const target of [
    '/',
    '/docs',
    '/v1/user',
    '/openapi.json',
    '/readyz',
    `/integrations/${NAME}/assets/a`,
  ]) {
    const { status, json } = await at(HOST, target);
    expect([target, status, json]).toMatchObject([target, 404, { error: { reason: 'not_found' } }]);
  }
  expect((await at(`${HOST}.`, '/readyz')).status).toBe(404);
  expect((await at(new URL(server.url).host, '/readyz')).status).toBe(200);
});

test('shows them in the frames of blocks, although it is not encrypted', async () => {
  const { space } = await spaceFrom(server, git, 'Frames', {
    'README.md': `# Frames\n\n{% @${NAME}/frame %}\n`,
  });
  const site = await publishSite(server, { title: 'Frames', spaces: [space.id] });
  const page = await (await fetch(site.url)).text();
  const [, src = ''] = /<iframe src="([^"]*)"/.exec(page) ?? [];
  const block = await fetch(new URL(src, site.url));
  expect(block.headers.get('content-security-policy')).toContain(
    `frame-src ${server.url} http://${HOST} https:;`,
  );
  expect(await block.text()).toContain(`<iframe src="http://${HOST}/integrations/${NAME}/endpoint"`);
});
