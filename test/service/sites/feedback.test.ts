import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { MAX_FEEDBACK_COMMENT_CHARACTERS } from '../../../server/platform/sites/reading/feedback/address.ts';
import {
  MAX_FEEDBACK_PER_SITE,
  recordFeedback,
} from '../../../server/platform/sites/reading/feedback/record.ts';
import {
  MAX_FEEDBACK_FORM_BYTES,
  MAX_FEEDBACK_PER_MINUTE,
} from '../../../server/platform/sites/reading/feedback/serve.ts';
import { FEEDBACK_RETENTION_MS } from '../../../server/platform/sites/site-feedback/queries.ts';
import { flatten, readTree } from '../../support/content/imports.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { fill, idOf } from '../../support/large/fill-table.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { publishSite, spaceFrom } from '../../support/sites/published-site.ts';
import { VisitedSite } from '../../support/sites/visited-sites.ts';

type Schemas = components['schemas'];

let server: TestServer;
let git: GitServer;
let space: string;
let page: string;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  const created = await spaceFrom(server, git, 'Guide', { 'README.md': '# Guide\n' });
  space = created.space.id;
  page = flatten(await readTree(server.admin.client, space))[0]?.id ?? '';
});
afterAll(() => Promise.all([server.stop(), git.close()]));

/** Returns the address of the form of a page, which is in its document. */
async function formOf(url: string, init: RequestInit = {}): Promise<string | undefined> {
  const text = await (await fetch(url, init)).text();
  const [, action] = /<form class="feedback" method="post" action="([^"]+)"/.exec(text) ?? [];
  return action && new URL(action, url).href;
}

const send = (action: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(action, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });

const feedbackOf = async (siteId: string, query: { limit?: number; page?: string } = {}) =>
  await ok(
    server.admin.client.GET('/v1/orgs/{organizationId}/sites/{siteId}/feedback', {
      params: { path: { organizationId: server.organization, siteId }, query },
    }),
  );

async function customize(siteId: string, change: Partial<Schemas['SiteCustomization']>): Promise<void> {
  const params = { path: { organizationId: server.organization, siteId } };
  const path = '/v1/orgs/{organizationId}/sites/{siteId}/customization';
  const customization = await ok(server.admin.client.GET(path, { params }));
  await ok(server.admin.client.PUT(path, { params, body: { ...customization, ...change } }));
}

test('readers give feedback below a page, and editors of the site read it', async () => {
  const site = await publishSite(server, { spaces: [space] });
  const action = (await formOf(site.url)) ?? '';
  const comment = ' The first\r\nexample <b>fails</b>. ';
  const sent = await send(action, { rating: 'bad', comment }, { Origin: new URL(site.url).origin });
  expect([sent.status, sent.headers.get('Location')]).toEqual([303, new URL(action).pathname]);
  const thanks = await fetch(action);
  expect([thanks.status, thanks.headers.get('Cache-Control')]).toEqual([200, 'private, no-store']);
  expect(await thanks.text()).toMatch(
    new RegExp(`<h1>Thank you for your feedback.</h1>[^]*<a href="${site.url}">Guide</a>`),
  );
  expect((await send(action, { rating: 'good', comment: ' ' })).status).toBe(303);
  const { items, count } = await feedbackOf(site.id);
  expect(count).toBe(2);
  const given = { object: 'site-feedback', id: expect.any(String), space, page, url: site.url };
  const place = { siteSpace: expect.any(String), createdAt: expect.any(String) };
  expect(items).toEqual([
    { ...given, ...place, rating: 'bad', comment: 'The first\nexample <b>fails</b>.' },
    { ...given, ...place, rating: 'good' },
  ]);
  const first = await feedbackOf(site.id, { limit: 1 });
  const second = await feedbackOf(site.id, { limit: 1, page: first.next?.page ?? '' });
  expect([...first.items, ...second.items]).toEqual(items);

  // The customization turns it off.
  await customize(site.id, { feedback: { enabled: false } });
  expect(await formOf(site.url)).toBeUndefined();
  expect((await send(action, { rating: 'good' })).status).toBe(404);
  expect((await feedbackOf(site.id)).count).toBe(2);
});

describe.runIf(isFirstEngine)('feedback', () => {
  test('must be valid and small, and from a page of the site', async () => {
    const site = await publishSite(server, { spaces: [space] });
    const action = (await formOf(site.url)) ?? '';
    const long = 'x'.repeat(MAX_FEEDBACK_COMMENT_CHARACTERS + 1);
    const invalid: [number, Record<string, string>, Record<string, string>][] = [
      [400, {}, {}],
      [400, { rating: 'great' }, {}],
      [400, { rating: '__proto__' }, {}],
      [400, { rating: 'good', comment: long }, {}],
      [413, { rating: 'good', comment: 'x'.repeat(MAX_FEEDBACK_FORM_BYTES) }, {}],
      [415, { rating: 'good' }, { 'Content-Type': 'text/plain' }],
      [403, { rating: 'good' }, { Origin: 'https://attacker.example' }],
      [403, { rating: 'good' }, { Origin: 'null' }],
      [403, { rating: 'good' }, { 'Sec-Fetch-Site': 'cross-site', Origin: new URL(site.url).origin }],
      [403, { rating: 'good' }, { 'Sec-Fetch-Site': 'same-site' }],
    ];
    for (const [status, fields, headers] of invalid) {
      expect([fields.rating, headers, (await send(action, fields, headers)).status]).toEqual([
        fields.rating,
        headers,
        status,
      ]);
    }
    expect((await send(`${action}x`, { rating: 'good' })).status).toBe(404);
    expect((await send(site.url, { rating: 'good' })).status).toBe(405);
    expect((await feedbackOf(site.id)).count).toBe(0);
  });

  test('is accepted from those who can read the site, with their cookies', async () => {
    const site = await VisitedSite.create(server, { spaces: [space], visibility: 'share-link' });
    const { urls, shareKey } = await site.createShareLink();
    const admitted = await fetch(urls.published ?? '', { redirect: 'manual' });
    const headers = { Cookie: (admitted.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '' };
    const [url = ''] = (urls.published ?? '').split('?');
    const action = (await formOf(url, { headers })) ?? '';
    expect((await send(action, { rating: 'ok' })).status).toBe(404);
    expect(
      (await send(action, { rating: 'ok' }, { Cookie: headers.Cookie.replace(shareKey, 'x') })).status,
    ).toBe(404);
    expect((await send(action, { rating: 'ok' }, headers)).status).toBe(303);
    expect((await feedbackOf(site.id)).items).toMatchObject([{ rating: 'ok', url }]);
  });
});

test('a site retains the latest feedback for a limited time', async () => {
  const { database, organization } = server;
  const site = await publishSite(server, { spaces: [space] });
  const other = await publishSite(server, { spaces: [space] });
  const now = Date.now();
  const row = { organization, siteSpace: 'ssp', space, page, url: site.url, rating: 'ok', comment: null };
  const at = (age: number) => new Date(now - age).toISOString();
  const old = { ...row, createdAt: at(FEEDBACK_RETENTION_MS + 1000) };
  await fill(database, 'siteFeedback', 3, { ...old, id: idOf('old'), site: site.id });
  await fill(database, 'siteFeedback', 2, { ...old, id: idOf('other'), site: other.id });
  expect((await feedbackOf(site.id)).count).toBe(0);
  await fill(database, 'siteFeedback', MAX_FEEDBACK_PER_SITE, {
    ...row,
    id: idOf('new'),
    site: site.id,
    createdAt: at(1000),
  });
  const services = { ...eventServices(), database, createId: () => `fbk_${crypto.randomUUID()}` };
  const visitor = { ip: undefined, userAgent: undefined, language: undefined, cookies: {} };
  const place = { organization, site: site.id, siteSpace: 'ssp', space, page, url: site.url };
  await recordFeedback(services, { ...place, visitor, rating: 'good', comment: undefined });
  const { items, count } = await feedbackOf(site.id, { limit: 1000 });
  expect([count, items.length]).toEqual([MAX_FEEDBACK_PER_SITE, 1000]);
  const stored = await database.query.selectFrom('siteFeedback').select(['id', 'site']).execute();
  const ids = stored.filter((feedback) => feedback.site === site.id).map(({ id }) => id);
  expect(ids).toHaveLength(MAX_FEEDBACK_PER_SITE);
  expect(ids.some((id) => id.startsWith('old_'))).toBe(false);
  expect(ids.some((id) => id.startsWith('fbk_'))).toBe(true);
  expect(stored.some((feedback) => feedback.site === other.id)).toBe(false);
});

const eventServices = () => ({
  clock: () => new Date(),
  secretKey: 'a secret key',
  queue: { wakeLoopsAfter: () => {} },
});

// The last test: it uses what the address may send.
test.runIf(isFirstEngine)('an address sends a limited number of opinions per minute', async () => {
  const site = await publishSite(server, { spaces: [space] });
  const action = (await formOf(site.url)) ?? '';
  const statuses = await Promise.all(
    Array.from({ length: MAX_FEEDBACK_PER_MINUTE + 1 }, async () => (await send(action, {})).status),
  );
  expect(statuses).toContain(429);
});
