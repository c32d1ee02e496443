// Runs on one engine: event-delivery.test.ts stores events and their logs.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { MAX_CALL_FIELDS_CHARACTERS } from '../../../server/platform/integrations/calls/recorder.ts';
import { eventsOf } from '../../support/integrations/event-receiver.ts';
import { install, named, publish } from '../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const NAME = 'called';
const PATIENCE = { timeout: 60_000, interval: 100 };

const SCRIPT = `export default {
  async fetch(request) {
    const event = JSON.parse((await request.formData()).get('event'));
    console.log('received', event.type);
    if (event.type === 'ui_render') {
      if (event.componentId === 'broken') throw new Error('cannot render');
      const element = { type: 'block', children: [] };
      return Response.json({ type: 'element', element, state: {}, props: event.props });
    }
    return new Response('OK');
  }
};`;

let server: TestServer;
let installation: string;
let endpoint: string;
let spaceId: string;
beforeAll(async () => {
  server = await startTestServer();
  const { admin, organization } = server;
  await ok(publish(admin, NAME, { organization, script: SCRIPT }));
  ({ id: installation } = await install(admin, NAME, organization));
  const { urls } = await ok(admin.client.GET('/v1/integrations/{integrationName}', named(NAME)));
  endpoint = urls.publicEndpoint;
  const params = { path: { organizationId: organization } };
  ({ id: spaceId } = await ok(admin.client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} })));
});
afterAll(() => server.stop());

/** Waits until an event of a type is recorded that satisfies a condition, and returns it with its log. */
async function recorded(type: string, isSought: (payload: object) => boolean = () => true) {
  const found = await vi.waitFor(async () => {
    const events = await eventsOf(server.admin, NAME);
    const event = events.find(({ payload }) => payload.type === type && isSought(payload));
    expect(event).toBeDefined();
    return event;
  }, PATIENCE);
  const params = { path: { integrationName: NAME, eventId: found?.id ?? '' } };
  const { event, trace } = await ok(
    server.admin.client.GET('/v1/integrations/{integrationName}/events/{eventId}', { params }),
  );
  return { event, messages: trace?.logs.map(({ message }) => message) };
}

const render = (componentId: string, props: Record<string, unknown>) =>
  server.admin.client.POST('/v1/integrations/{integrationName}/render', {
    ...named(NAME),
    body: { componentId, props, context: { type: 'document', spaceId, editable: false, theme: 'light' } },
  });

describe('a call whose sender waits for the answer', () => {
  test('is recorded with its log, without credentials', async () => {
    const headers = { Authorization: 'Bearer secret', 'X-Gitlab-Token': 'secret', 'X-Event': 'push' };
    expect((await fetch(`${endpoint}/hook?token=secret&of=1`, { headers })).status).toBe(200);
    const { event, messages } = await recorded('fetch');
    expect(messages).toEqual(['received fetch']);
    expect(event).toMatchObject({ status: 'success', payload: { eventId: event.id } });
    expect(event).not.toHaveProperty('installationId');
    expect(JSON.stringify(event)).not.toContain('secret');
    const { request } = event.payload as Extract<typeof event.payload, { type: 'fetch' }>;
    expect(request.url).toBe(`${endpoint}/hook?token=***&of=1`);
    expect(request.headers).toMatchObject({ 'x-event': 'push' });
  });

  test('is recorded with the installation that it concerns', async () => {
    await ok(render('card', { title: 'Tides' }));
    const { event } = await recorded('ui_render');
    expect(event).toMatchObject({
      installationId: installation,
      payload: { installationId: installation, componentId: 'card', props: { title: 'Tides' } },
    });
  });

  test('is recorded as failed if the script fails, with its error', async () => {
    expect((await render('broken', {})).response.status).toBe(502);
    const isBroken = (payload: object) => 'componentId' in payload && payload.componentId === 'broken';
    const { event, messages } = await recorded('ui_render', isBroken);
    expect(event.status).toBe('failed');
    expect(messages).toEqual(['received ui_render', expect.stringContaining('cannot render')]);
  });

  test('is recorded without values that are large', async () => {
    await ok(render('large', { text: 'x'.repeat(MAX_CALL_FIELDS_CHARACTERS) }));
    const isLarge = (payload: object) => 'componentId' in payload && payload.componentId === 'large';
    const { event } = await recorded('ui_render', isLarge);
    expect(event.payload).toMatchObject({ componentId: 'large', props: {} });
  });
});
