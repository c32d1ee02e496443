// Runs on one engine: events.test.ts raises and delivers events.
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import {
  createViewRecorder,
  MAX_VIEWS_PER_FLUSH,
} from '../../../server/platform/integrations/view-events/views.ts';
import { flatten, readTree } from '../../support/content/imports.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import {
  develop,
  type EventReceiver,
  startEventReceiver,
} from '../../support/integrations/event-receiver.ts';
import { install, publish } from '../../support/integrations/integrations.ts';
import { untilEventsSettle } from '../../support/jobs.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { publishSite, spaceFrom } from '../../support/sites/published-site.ts';

type Scopes = components['schemas']['IntegrationScope'][];

let server: TestServer;
let receiver: EventReceiver;
let space: string;
let site: Awaited<ReturnType<typeof publishSite>>;
beforeAll(async () => {
  [server, receiver] = await Promise.all([startTestServer(), startEventReceiver()]);
  const git = await startGitServer();
  space = (await spaceFrom(server, git, 'Guide', { 'README.md': '# Welcome\n\nText.\n' })).space.id;
  site = await publishSite(server, { spaces: [space] });
  await git.close();
});
afterAll(async () => {
  await Promise.all([server.stop(), receiver.close()]);
});

let integrations = 0;

async function developed(scopes: Scopes): Promise<string> {
  integrations += 1;
  const name = `views-${integrations}`;
  await ok(publish(server.admin, name, { scopes }));
  await develop(server.admin, name, receiver.url);
  return (await install(server.admin, name, server.organization)).id;
}

const PATIENCE = { timeout: 60_000, interval: 50 };
const COOKIES =
  'colophon-share-key=secret; colophon_session=secret; visit=first; __gitbook_cookie_granted=yes';

test('views of pages are reported to installations with the scope, without credentials', async () => {
  const installationId = await developed(['site:views:read']);
  const withCookies = await developed(['site:views:read', 'site:script:cookies']);
  const ofSpaces = await developed(['space:views:read']);
  const unscoped = await developed(['space:content:read']);
  const headers = {
    'User-Agent': 'Reader/1.0',
    'Accept-Language': 'de-CH, en;q=0.5',
    Referer: 'https://search.example/',
    Cookie: COOKIES,
  };
  for (const init of [{ method: 'HEAD' }, { headers: { 'Sec-Purpose': 'prefetch' } }]) {
    await fetch(site.url, init);
  }
  await fetch(`${site.url}/missing`, { headers });
  await fetch(`${site.url}?utm_source=letter`, { headers });
  await vi.waitFor(() => {
    expect(receiver.of('site_view')).toHaveLength(2);
    expect(receiver.of('space_view')).toHaveLength(1);
  }, PATIENCE);
  const [{ id: pageId } = { id: '' }] = flatten(await readTree(server.admin.client, space));
  const view = receiver.of('site_view').find((event) => event.installationId === installationId);
  expect(view).toEqual({
    type: 'site_view',
    eventId: expect.any(String),
    installationId,
    siteId: site.id,
    siteSpaceId: expect.any(String),
    spaceId: space,
    pageId,
    url: `${site.url}?utm_source=letter`,
    referrer: 'https://search.example/',
    visitor: {
      anonymousId: expect.stringMatching(/^[\w-]{22}$/),
      ip: '127.0.0.1',
      userAgent: 'Reader/1.0',
      language: 'de-CH',
      cookies: { __gitbook_cookie_granted: 'yes' },
    },
  });
  const other = receiver.of('site_view').find((event) => event.installationId === withCookies);
  expect(other?.visitor).toEqual({
    ...view?.visitor,
    cookies: { visit: 'first', __gitbook_cookie_granted: 'yes' },
  });
  expect(receiver.of('space_view')).toMatchObject([{ installationId: ofSpaces, spaceId: space, pageId }]);
  const recipients = receiver.received.filter(({ payload }) => payload.type.endsWith('_view'));
  expect(recipients.some(({ payload }) => payload.installationId === unscoped)).toBe(false);
});

test('views are sampled, and cost an organization without integrations no write', async () => {
  const recorded: unknown[] = [];
  const services = {
    database: server.database,
    clock: () => new Date(),
    secretKey: 'a secret key',
    queue: { wakeLoopsAfter: (trx: unknown) => recorded.push(trx) },
    log: pino({ level: 'silent' }),
  };
  const views = createViewRecorder(services);
  const view = {
    organization: 'org_without_integrations',
    site: 'site_1',
    siteSpace: 'ssp_1',
    space: 'spc_1',
    page: 'pag_1',
    url: 'https://docs.example/',
    referrer: undefined,
    visitor: { ip: undefined, userAgent: undefined, language: undefined, cookies: {} },
  };
  views.record(view);
  await views.flush();
  expect(recorded).toEqual([]);
  for (let count = 0; count < 2 * MAX_VIEWS_PER_FLUSH; count++) {
    views.record({ ...view, organization: server.organization });
  }
  const before = receiver.of('site_view').length;
  await views.flush();
  expect(recorded).toHaveLength(1);
  await vi.waitFor(() => expect(receiver.of('site_view').length).toBeGreaterThan(before), PATIENCE);
  await untilEventsSettle(server.database);
  // Two installations receive them.
  expect(receiver.of('site_view')).toHaveLength(before + 2 * MAX_VIEWS_PER_FLUSH);
});
