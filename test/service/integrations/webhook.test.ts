// Runs on one engine: event-delivery.test.ts stores and delivers events.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { flatten, importRepository, readTree } from '../../support/content/imports.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { type LoopbackServer, serveOnLoopback } from '../../support/http/loopback.ts';
import { bundledIntegration } from '../../support/integrations/bundled-integrations.ts';
import { install, installed, publish } from '../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { publishSite, spaceFrom } from '../../support/sites/published-site.ts';

type Schemas = components['schemas'];

const PATIENCE = { timeout: 20_000, interval: 100 };
const SECRET = 'a secret of the webhook';

let server: TestServer;
let git: GitServer;
let receiver: LoopbackServer;
const received: { signature: string; body: string }[] = [];
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  receiver = await serveOnLoopback(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) {
      chunks.push(Buffer.from(chunk));
    }
    const body = Buffer.concat(chunks).toString();
    received.push({ signature: String(req.headers['x-hook-signature']), body });
    res.end('ok');
  });
});
afterAll(() => Promise.all([server.stop(), git.close(), receiver.close()]));

test('a webhook receives content, views and feedback, signed, with the settings of the site or space', async () => {
  const { admin, organization } = server;
  const { client } = admin;
  const created = await spaceFrom(server, git, 'Guide', { 'README.md': '# Guide\n' });
  const { repository } = created;
  const space = created.space.id;
  const page = flatten(await readTree(client, space))[0]?.id;
  const site = await publishSite(server, { spaces: [space] });
  await ok(publish(admin, 'hook', { ...(await bundledIntegration('hook')), organization }));
  const { id } = await install(admin, 'hook', organization);
  await ok(
    client.PATCH('/v1/integrations/{integrationName}/installations/{installationId}', {
      ...installed('hook', id),
      body: { configuration: { url: receiver.url, secret: SECRET } },
    }),
  );
  const onSite = installed('hook', id);
  await ok(
    client.POST('/v1/integrations/{integrationName}/installations/{installationId}/sites', {
      ...onSite,
      body: { site: site.id },
    }),
  );
  await ok(
    client.POST('/v1/integrations/{integrationName}/installations/{installationId}/spaces', {
      ...onSite,
      body: { space },
    }),
  );
  const path = { integrationName: 'hook', installationId: id };
  await ok(
    client.PATCH(
      '/v1/integrations/{integrationName}/installations/{installationId}/sites/{installedSiteId}',
      {
        params: { path: { ...path, installedSiteId: site.id } },
        body: { configuration: { site_view: true, page_feedback: true } },
      },
    ),
  );
  // The space shows the same pages, but only its own events have its settings.
  await ok(
    client.PATCH(
      '/v1/integrations/{integrationName}/installations/{installationId}/spaces/{installedSpaceId}',
      {
        params: { path: { ...path, installedSpaceId: space } },
        body: { configuration: { space_content_updated: true } },
      },
    ),
  );
  const document = await (await fetch(site.url)).text();
  const [, href = ''] = /<form class="feedback" method="post" action="([^"]+)"/.exec(document) ?? [];
  const action = new URL(href, site.url);
  const { status } = await fetch(action, {
    method: 'POST',
    body: new URLSearchParams({ rating: 'good', comment: 'Clear.' }),
    headers: { Cookie: 'visit=1; __gitbook_cookie_granted=yes' },
  });
  expect(status).toBe(200);
  await repository.update({ 'README.md': '# Guide\n\nMore.\n' });
  await importRepository(server, space, repository);
  const events = await vi.waitFor(() => {
    const payloads: Schemas['IntegrationEventPayload'][] = received.map(({ body }) => JSON.parse(body));
    const types = new Set(payloads.map(({ type }) => type));
    expect([...types].sort()).toEqual(['page_feedback', 'site_view', 'space_content_updated']);
    return payloads;
  }, PATIENCE);
  const feedback = events.find(({ type }) => type === 'page_feedback');
  expect(feedback).toEqual({
    type: 'page_feedback',
    eventId: expect.any(String),
    installationId: id,
    siteId: site.id,
    siteSpaceId: expect.any(String),
    spaceId: space,
    pageId: page,
    feedback: { rating: 'good', comment: 'Clear.' },
    url: site.url,
    visitor: {
      anonymousId: expect.any(String),
      ip: expect.any(String),
      userAgent: expect.any(String),
      cookies: { __gitbook_cookie_granted: 'yes' },
    },
  });
  for (const { body, signature } of received) {
    const [, time = '', value] = /^t=(\d+),v1=([\da-f]{64})$/.exec(signature) ?? [];
    expect(createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex')).toBe(value);
  }
});
