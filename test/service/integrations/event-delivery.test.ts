import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ok, paginate } from '../../../client/platform/index.ts';
import { writeJson } from '../../../server/database/json.ts';
import { MAX_SEARCH_INTERVAL_MS } from '../../../server/jobs/work-search.ts';
import {
  EVENT_RETENTION_MS,
  MAX_EVENT_AGE_MS,
  MAX_EVENT_ATTEMPTS,
  VIEW_EVENT_RETENTION_MS,
} from '../../../server/platform/integrations/events/jobs/retries.ts';
import { deleteExpiredEvents } from '../../../server/platform/integrations/events/jobs/sweep.ts';
import { raiseEvent } from '../../../server/platform/kit/events/raise.ts';
import { createSpace, edit } from '../../support/content/edited-spaces.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { eventsOf, startEventReceiver } from '../../support/integrations/event-receiver.ts';
import { install, named, publish } from '../../support/integrations/integrations.ts';
import { untilEventsSettle } from '../../support/jobs.ts';
import { freePort } from '../../support/processes/ports.ts';
import { developed, INSTALLATION, receiver, server, useReceivers } from './developed.ts';

const EVENTS = '/v1/integrations/{integrationName}/events';
/** Number of receivers that do not respond. */
const DEAD_RECEIVERS = 100;
const PATIENCE = { timeout: 60_000, interval: 50 };

useReceivers();

type Installed = Awaited<ReturnType<typeof developed>>;

const setStatus = async ({ path }: Installed, status: 'paused' | 'active') =>
  await ok(server.admin.client.PATCH(INSTALLATION, { ...path, body: { status } }));
const setups = () => receiver.of('installation_setup');
const settled = () => untilEventsSettle(server.database);

/** Makes the next attempt of an installation due. */
const retryNow = async ({ id }: Installed) => {
  const dueAt = new Date().toISOString();
  await server.database.query
    .updateTable('integrationEventStreams')
    .set({ dueAt })
    .where('installation', '=', id)
    .where('leaseUntil', 'is', null)
    .execute();
};

describe('a failed event', () => {
  test('is repeated with the same ID before the next one', async () => {
    receiver.answer = () => 500;
    const one = await developed();
    await settled();
    expect((await eventsOf(server.admin, one.name)).map(({ status }) => status)).toEqual(['failed']);
    await setStatus(one, 'paused');
    receiver.answer = () => 200;
    await retryNow(one);
    await vi.waitFor(() => expect(setups().length).toBe(3), PATIENCE);
    await settled();
    const [first, repeated, next] = setups();
    expect(repeated).toEqual(first);
    expect(next).toMatchObject({ status: 'paused', previous: { status: 'active' } });
    expect(next?.eventId).not.toBe(first?.eventId);
    expect((await eventsOf(server.admin, one.name)).map(({ status }) => status)).toEqual([
      'success',
      'success',
    ]);
  });

  test('is repeated at its time, although nothing is committed until then', async () => {
    let attempts = 0;
    receiver.answer = () => (++attempts === 1 ? 500 : 200);
    const { name } = await developed();
    // Less than the interval at which an idle process looks for work.
    await vi.waitFor(() => expect(setups()).toHaveLength(2), { timeout: MAX_SEARCH_INTERVAL_MS / 2 });
    await settled();
    expect((await eventsOf(server.admin, name)).map(({ status }) => status)).toEqual(['success']);
  });

  test('has a log that states the cause', async () => {
    receiver.answer = () => 500;
    const { name } = await developed();
    const port = await freePort();
    const { name: unreachable } = await developed({}, `http://127.0.0.1:${port}`);
    await settled();
    const traceOf = async (integration: string) => {
      const [event] = await eventsOf(server.admin, integration);
      const path = { integrationName: integration, eventId: event?.id ?? '' };
      return await ok(server.admin.client.GET(`${EVENTS}/{eventId}`, { params: { path } }));
    };
    expect(await traceOf(name)).toMatchObject({
      event: { integrationId: name, status: 'failed', payload: { type: 'installation_setup' } },
      trace: {
        logs: [{ level: 'error', message: 'The integration returned the status 500: Not handled.' }],
      },
    });
    const { trace } = await traceOf(unreachable);
    expect(trace?.logs).toMatchObject([{ level: 'error', message: expect.stringContaining(String(port)) }]);
  });

  test.each([
    { name: 'after its last attempt', values: { attempts: MAX_EVENT_ATTEMPTS - 1 } },
    {
      name: 'after a day',
      values: { createdAt: new Date(Date.now() - MAX_EVENT_AGE_MS).toISOString() },
    },
  ])('is given up $name, and the next one follows', async ({ values }) => {
    receiver.answer = ({ type, ...payload }) =>
      type === 'installation_setup' && 'previous' in payload ? 200 : 500;
    const one = await developed();
    await settled();
    await setStatus(one, 'paused');
    await settled();
    // The first retry can already have taken place.
    expect(new Set(setups().map(({ eventId }) => eventId)).size).toBe(1);
    await server.database.query
      .updateTable('integrationEvents')
      .set(values)
      .where('installation', '=', one.id)
      .where('attempted', '=', 1)
      .execute();
    await retryNow(one);
    await vi.waitFor(() => expect(setups().at(-1)).toHaveProperty('previous'), PATIENCE);
    await settled();
    const rows = server.database.query
      .selectFrom('integrationEvents')
      .select('state')
      .where('installation', '=', one.id)
      .orderBy('sequence');
    expect(await rows.execute()).toEqual([{ state: 'failed' }, { state: 'success' }]);
  });

  test('is not repeated if the integration has no handler for its type', async () => {
    receiver.answer = () => 406;
    const { name, id } = await developed();
    await settled();
    expect(await eventsOf(server.admin, name)).toMatchObject([{ status: 'success' }]);
    const streams = server.database.query.selectFrom('integrationEventStreams').selectAll();
    expect(await streams.where('installation', '=', id).execute()).toEqual([]);
  });
});

describe('a receiver that does not answer', () => {
  test.runIf(isFirstEngine)(
    'delays no other installation',
    async () => {
      const never = Promise.withResolvers<number>();
      const dead = await startEventReceiver();
      onTestFinished(async () => {
        never.resolve(200);
        await settled();
        await dead.close();
      });
      const waiting: string[] = [];
      for (let count = 0; count < DEAD_RECEIVERS; count++) {
        waiting.push((await developed({ scopes: ['space:content:read'] }, dead.url)).id);
      }
      const healthy = await developed();
      await settled();
      dead.answer = () => never.promise;
      await edit(server.admin.client, await createSpace(server.admin.client, server.organization));
      const events = server.database.query.selectFrom('integrationEvents').select('id');
      const reported = events
        .where('type', '=', 'space_content_updated')
        .where('installation', 'in', waiting);
      await vi.waitFor(async () => expect(await reported.execute()).toHaveLength(DEAD_RECEIVERS), PATIENCE);
      await setStatus(healthy, 'paused');
      await vi.waitFor(() => expect(setups()).toHaveLength(2), PATIENCE);
      // Its event is the last one, but few of the others, if any, had to end before it.
      const ended = await reported.where('logs', '!=', writeJson([])).execute();
      expect(ended.length).toBeLessThan(DEAD_RECEIVERS / 2);
    },
    120_000,
  );

  test('leaves its place to the next process if the process that waits for it ends', async () => {
    const never = Promise.withResolvers<number>();
    onTestFinished(() => never.resolve(500));
    receiver.answer = () => never.promise;
    const { id } = await developed();
    await vi.waitFor(() => expect(setups()).toHaveLength(1), PATIENCE);
    receiver.answer = () => 200;
    await server.database.query
      .updateTable('integrationEventStreams')
      .set({ leaseOwner: 'own_ended', leaseUntil: new Date().toISOString() })
      .where('installation', '=', id)
      .execute();
    await vi.waitFor(() => expect(setups()).toHaveLength(2), PATIENCE);
    await settled();
    // The answer to the first attempt is too late to count.
    never.resolve(500);
    const events = server.database.query.selectFrom('integrationEvents').select(['state', 'attempts']);
    expect(await events.where('installation', '=', id).execute()).toEqual([
      { state: 'success', attempts: 2 },
    ]);
    expect(setups()[0]).toEqual(setups()[1]);
  });
});

describe('a published script', () => {
  /** Publishes and installs a script, and returns the event of its installation. */
  const traceOf = async (name: string, script?: string) => {
    await ok(publish(server.admin, name, script === undefined ? {} : { script }));
    await install(server.admin, name, server.organization);
    await settled();
    const [event] = await eventsOf(server.admin, name);
    const path = { integrationName: name, eventId: event?.id ?? '' };
    return await ok(server.admin.client.GET(`${EVENTS}/{eventId}`, { params: { path } }));
  };

  test('receives events, and its log is their trace', async () => {
    const script = `
      export default {
        async fetch(request) {
          const event = JSON.parse((await request.formData()).get('event'));
          console.log('received', event.type, event.status);
          return new Response('OK');
        },
      };`;
    expect(await traceOf('delivery-script', script)).toMatchObject({
      event: { status: 'success', payload: { type: 'installation_setup', status: 'active' } },
      trace: { logs: [{ message: 'received installation_setup active' }] },
    });
  });

  test('that throws fails, with its error in the trace', async () => {
    const script = 'export default { fetch() { console.log("before"); throw new Error("broken"); } };';
    const { event, trace } = await traceOf('delivery-broken', script);
    expect(event.status).toBe('failed');
    expect(trace?.logs.map(({ message }) => message).join()).toContain('before');
    expect(trace?.logs.at(-1)?.level).toBe('error');
  });

  test('that fails with a long response has the start of it in the trace', async () => {
    const body = `x${'é'.repeat(600)}`;
    const script = `export default { fetch: () => new Response('${body}', { status: 500 }) };`;
    const { trace } = await traceOf('delivery-long', script);
    // The first 500 bytes, without the character that is cut.
    const message = `The integration returned the status 500: x${'é'.repeat(249)}`;
    expect(trace?.logs.at(-1)?.message).toBe(message);
  });

  test('that is empty handles no events', async () => {
    const { event } = await traceOf('delivery-empty');
    expect(event.status).toBe('success');
  });
});

describe('the events of an integration', () => {
  test('are listed newest first, with all installations', async () => {
    const one = await developed();
    await setStatus(one, 'paused');
    await setStatus(one, 'active');
    await settled();
    const items = await Array.fromAsync(
      paginate(server.admin.client, EVENTS, {
        params: { ...named(one.name).params, query: { limit: 1 } },
      }),
    );
    expect(items.map(({ payload }) => payload)).toEqual([...setups()].reverse());
    expect(items.map(({ id }) => id)).toEqual([...setups()].reverse().map(({ eventId }) => eventId));
    expect(items[0]).toMatchObject({ integrationId: one.name, installationId: one.id, status: 'success' });
  });

  test('are deleted with it, and those of an installation remain without it', async () => {
    const one = await developed();
    await settled();
    await server.admin.client.DELETE(INSTALLATION, one.path);
    await settled();
    expect(await eventsOf(server.admin, one.name)).toHaveLength(2);
    await server.admin.client.DELETE('/v1/integrations/{integrationName}', named(one.name));
    const { response } = await server.admin.client.GET(EVENTS, named(one.name));
    expect(response.status).toBe(404);
    const rows = server.database.query.selectFrom('integrationEvents').selectAll();
    expect(await rows.where('integration', '=', one.name).execute()).toEqual([]);
  });

  test('are deleted after 7 days, and views of pages after 1 hour', async () => {
    const { id } = await developed({ scopes: ['site:views:read'] });
    await settled();
    const fields = { siteId: 'site_1', visitor: { cookies: {} }, url: 'https://docs.example/', referrer: '' };
    const view = { organization: server.organization, type: 'site_view' as const, fields };
    const queue = { wakeLoopsAfter: () => {} };
    await server.database.transaction((trx) => raiseEvent(trx, { clock: () => new Date(), queue }, view));
    await vi.waitFor(() => expect(receiver.of('site_view')).toHaveLength(1), PATIENCE);
    await settled();
    const events = server.database.query.selectFrom('integrationEvents').select('type');
    const typesAfter = async (milliseconds: number) => {
      await deleteExpiredEvents(server.database, new Date(Date.now() + milliseconds));
      return (await events.where('installation', '=', id).orderBy('sequence').execute()).map(
        ({ type }) => type,
      );
    };
    expect(await typesAfter(VIEW_EVENT_RETENTION_MS - 60_000)).toEqual(['installation_setup', 'site_view']);
    expect(await typesAfter(VIEW_EVENT_RETENTION_MS)).toEqual(['installation_setup']);
    expect(await typesAfter(EVENT_RETENTION_MS - 60_000)).toEqual(['installation_setup']);
    expect(await typesAfter(EVENT_RETENTION_MS)).toEqual([]);
  });

  test('do not contain the configuration in plain text in the database', async () => {
    const settings = { properties: { key: { type: 'string' as const } }, required: [] };
    const { path } = await developed({ configurations: { account: settings } });
    const secret = 'a-secret-value';
    for (const key of [secret, 'another']) {
      const body = { configuration: { key } };
      await ok(server.admin.client.PATCH(INSTALLATION, { ...path, body }));
    }
    await settled();
    expect(setups().at(-1)).toMatchObject({ previous: { configuration: { key: secret } } });
    const rows = await server.database.query.selectFrom('integrationEvents').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret);
  });
});
