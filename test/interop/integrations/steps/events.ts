/** Causes events, and reads what the integration received and logged. */
import { ok, paginate } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { named } from '../../../support/integrations/integrations.ts';
import { eventually, type Outcome, require, type Step, type Subject } from '../step.ts';

type Schemas = components['schemas'];

/** Returns the last events of an integration. */
const listEvents = async ({ service, manifest }: Subject): Promise<Schemas['IntegrationEvent'][]> =>
  await Array.fromAsync(
    paginate(service.admin.client, '/v1/integrations/{integrationName}/events', named(manifest.name)),
  );

/** Waits for an event of a type to be handled. */
const awaitHandling = async (subject: Subject, type: string): Promise<void> => {
  let last: Schemas['IntegrationEvent'] | undefined;
  await eventually(
    async () => {
      if (type === 'site_view' && !last) {
        // Recipients of views are cached for some seconds.
        await read(subject.siteUrl);
      }
      // Events are failed until they are handled.
      last = (await listEvents(subject)).find(({ payload }) => payload.type === type);
      return last?.status === 'success' ? last : undefined;
    },
    () => (last ? `${type} is not handled` : `${type} is not received`),
  );
};

async function receive(subject: Subject): Promise<Outcome> {
  const scopes = new Set(subject.manifest.scopes);
  const types: string[] = ['installation_setup'];
  const sent = subject.fakes.requests.length;
  if (scopes.has('space:content:read') && subject.targets.some(({ kind }) => kind === 'space')) {
    types.push('space_content_updated');
    await changeContent(subject);
  }
  if (scopes.has('site:views:read')) {
    types.push('site_view');
  }
  for (const type of types) {
    await awaitHandling(subject, type);
    const host = subject.scenario.events?.[type];
    if (host !== undefined) {
      await eventually(
        () => subject.fakes.requests.slice(sent).find(({ url }) => url.host === host),
        () => `${host} received nothing after ${type}`,
      );
    }
  }
  return 'ok';
}

/** Reads a page of a site, as a visitor who consents to cookies. */
async function read(url: string): Promise<void> {
  await (await fetch(url, { headers: { Cookie: '__gitbook_cookie_granted=yes' } })).text();
}

/** Changes the content of the space that the integration is installed on. */
async function changeContent({ service, targets }: Subject): Promise<void> {
  const { client } = service.admin;
  const path = { spaceId: targets.find(({ kind }) => kind === 'space')?.space ?? '' };
  const request = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path }, body: { subject: 'Interop' } }),
  );
  const params = { path: { ...path, changeRequestId: request.id } };
  await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
      params,
      body: { changes: [{ operation: 'insert_page', title: 'Changed', document: { markdown: 'Changed.' } }] },
    }),
  );
  await ok(client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params }));
}

/** What the runtime library logs for an event without a handler: the service sends all events of a level. */
const IGNORED = /Integration does not handle "\w+" events/;

async function inspect(subject: Subject): Promise<Outcome> {
  const { client } = subject.service.admin;
  await eventually(
    async () => ((await listEvents(subject)).some(({ status }) => status === 'failed') ? undefined : true),
    () => '',
  ).catch(() => undefined);
  for (const { id, payload, status } of await listEvents(subject)) {
    const { path } = named(subject.manifest.name).params;
    const { trace } = await ok(
      client.GET('/v1/integrations/{integrationName}/events/{eventId}', {
        params: { path: { ...path, eventId: id } },
      }),
    );
    const errors =
      trace?.logs.filter(({ level, message }) => level === 'error' && !IGNORED.test(message)) ?? [];
    const [first] = errors;
    require(status === 'success' &&
      first === undefined, `${payload.type} ${status}: ${first?.message.split('\n')[0] ?? 'no log'}`);
  }
  return 'ok';
}

export const eventsStep: Step = { name: 'events', run: receive };
export const traceStep: Step = { name: 'trace', run: inspect };
