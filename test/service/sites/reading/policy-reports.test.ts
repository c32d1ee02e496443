// Runs on one engine: call-events.test.ts records calls.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { EndedCall } from '../../../../server/platform/integrations/calls/recorder.ts';
import {
  createViolationRecorder,
  MAX_VIOLATIONS_PER_FLUSH,
  MAX_VIOLATIONS_PER_INSTALLATION,
} from '../../../../server/platform/integrations/view-events/violations.ts';
import {
  MAX_REPORT_BYTES,
  MAX_REPORTED_URL_CHARACTERS,
} from '../../../../server/platform/sites/reading/integrations/reports.ts';
import { startGitServer } from '../../../support/git/git-server.ts';
import { eventsOf } from '../../../support/integrations/event-receiver.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';
import { DevelopedIntegrations } from '../../../support/sites/site-integrations.ts';
import { VisitedSite } from '../../../support/sites/visited-sites.ts';

const PATIENCE = { timeout: 30_000, interval: 100 };

let server: TestServer;
let integrations: DevelopedIntegrations;
let space: string;
let site: Awaited<ReturnType<typeof publishSite>>;
beforeAll(async () => {
  server = await startTestServer();
  const git = await startGitServer();
  space = (await spaceFrom(server, git, 'Guide', { 'README.md': '# Guide\n' })).space.id;
  await git.close();
  site = await publishSite(server, { spaces: [space] });
  integrations = new DevelopedIntegrations(server);
});
afterAll(async () => {
  await integrations[Symbol.asyncDispose]();
  await server.stop();
});

const script = () => new Response('1', { headers: { 'Content-Type': 'text/javascript' } });
const scopes = ['site:script:inject' as const];

const post = (
  url: string,
  body: string,
  { type = 'application/csp-report', headers = {} }: { type?: string; headers?: Record<string, string> } = {},
) =>
  fetch(`${url}/~reports`, {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { 'Content-Type': type, ...headers },
  });

const report = async (url: string, fields: Record<string, unknown>) =>
  (
    await post(
      url,
      JSON.stringify({
        'csp-report': {
          'document-uri': `${url}/start?visitorToken=secret`,
          'effective-directive': 'connect-src',
          'blocked-uri': 'https://api.example.com/v1?key=secret',
          ...fields,
        },
      }),
    )
  ).status;

/** Waits for messages about what was blocked, and returns all that an integration received. */
const blocked = async (name: string, sought: string) =>
  await vi.waitFor(async () => {
    const messages: string[] = [];
    for (const { id, payload, status } of await eventsOf(server.admin, name)) {
      if (payload.type === 'fetch_published_script' && status === 'failed') {
        const params = { path: { integrationName: name, eventId: id } };
        const { trace } = await ok(
          server.admin.client.GET('/v1/integrations/{integrationName}/events/{eventId}', { params }),
        );
        messages.push(...(trace?.logs ?? []).map(({ message }) => message));
      }
    }
    expect(messages.join('\n')).toContain(sought);
    return messages;
  }, PATIENCE);

test('a site without scripts of integrations receives no reports', async () => {
  const { status, headers } = await fetch(site.url);
  expect([status, headers.get('Content-Security-Policy')?.includes('report-uri')]).toEqual([200, false]);
  expect(await report(site.url, {})).toBe(404);
});

describe('a report of a browser', () => {
  let own: { installation: string };
  beforeAll(async () => {
    const policy = { contentSecurityPolicy: 'connect-src events.example.com', scopes };
    own = await integrations.add('reported', policy, script);
    await integrations.add('neighbor', { ...policy, contentSecurityPolicy: 'img-src data:' }, script);
  });

  test('is recorded for the integration that caused it, once and without credentials', async () => {
    const source = `${site.url}/~scripts/${own.installation}/1.js`;
    const fields = { 'source-file': source, 'line-number': 4 };
    expect(await report(site.url, fields)).toBe(204);
    expect(await report(site.url, { ...fields, 'blocked-uri': 'https://api.example.com/v1?key=2' })).toBe(
      204,
    );
    await report(site.url, { 'source-file': 'https://events.example.com/a.js', 'blocked-uri': 'eval' });
    await report(site.url, { 'blocked-uri': 'http://events.example.com/', 'document-uri': 'about' });
    await report(site.url, { 'blocked-uri': 'https://unknown.example.com/path' });
    expect((await blocked('reported', 'unknown')).toSorted()).toEqual([
      'Blocked by the content security policy on the page /start: connect-src eval, requested by ' +
        'https://events.example.com/a.js. Pages allow neither inline scripts nor eval.',
      'Blocked by the content security policy on the page /start: connect-src https://api.example.com/v1, ' +
        `requested by ${source}, line 4. ` +
        'List its host under connect-src in the contentSecurityPolicy of the manifest to allow it.',
      'Blocked by the content security policy on the page /start: connect-src https://unknown.example.com. ' +
        'List its host under connect-src in the contentSecurityPolicy of the manifest to allow it.',
      'Blocked by the content security policy: connect-src http://events.example.com/. ' +
        'Pages allow only encrypted connections.',
    ]);
    // Of what may be another's, only the host is shown.
    expect(await blocked('neighbor', 'unknown')).toEqual([
      expect.stringContaining(': connect-src https://unknown.example.com. '),
    ]);
  });

  test('is bounded, and must be one', async () => {
    const large = JSON.stringify({ 'csp-report': { 'blocked-uri': 'x'.repeat(MAX_REPORT_BYTES) } });
    expect((await post(site.url, large)).status).toBe(413);
    expect((await post(site.url, '{', {})).status).toBe(400);
    expect((await post(site.url, '{}', { type: 'text/plain' })).status).toBe(415);
    expect((await post(site.url, '{}', { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(415);
    expect((await fetch(`${site.url}/~reports`)).status).toBe(405);
    for (const body of [
      'null',
      '[]',
      '{"csp-report": 1}',
      '{"__proto__": {"csp-report": {"blocked-uri": "x"}}}',
    ]) {
      expect((await post(site.url, body)).status).toBe(204);
    }
    const ignored = [
      { 'blocked-uri': 'chrome-extension://abc/a.js' },
      { 'source-file': 'moz-extension://abc/a.js' },
      { 'effective-directive': 'connect-src; ignored' },
      { 'blocked-uri': 1 },
    ];
    for (const fields of ignored) {
      expect(await report(site.url, fields)).toBe(204);
    }
    const path = 'y'.repeat(2 * MAX_REPORTED_URL_CHARACTERS);
    await report(site.url, { 'blocked-uri': `https://events.example.com/${path}`, 'line-number': {} });
    const messages = (await blocked('reported', 'yyy')).join('\n');
    expect(messages).not.toMatch(/extension|ignored/);
    expect(messages).not.toContain('y'.repeat(MAX_REPORTED_URL_CHARACTERS));
  });

  test('is not accepted from those who cannot read the site', async () => {
    const restricted = await VisitedSite.create(server, { spaces: [space], visibility: 'share-link' });
    expect(await report(`${server.url}/sites/${server.organization}/${restricted.id}`, {})).toBe(404);
  });
});

test('a process records a limited number of what is blocked', () => {
  const recorded: EndedCall[] = [];
  let ids = 0;
  const recorder = createViolationRecorder({
    calls: { record: (call) => recorded.push(call), flush: () => Promise.resolve() },
    clock: () => new Date(),
    createId: () => `evt_${++ids}`,
  });
  const record = (installation: string, message: string) =>
    recorder.record({ organization: 'org', site: 'site', integration: 'one', installation, message });
  const logs = () => recorded.flatMap((call) => call.logs.map(({ message }) => message));
  for (let at = 0; at < 3 * MAX_VIOLATIONS_PER_FLUSH; at++) {
    record(`installation ${at % 2}`, `message ${at}`);
  }
  recorder.flush();
  expect(recorded).toHaveLength(2);
  expect(logs()).toHaveLength(MAX_VIOLATIONS_PER_FLUSH);
  for (let round = 0; round < 5; round++) {
    for (let at = 0; at < MAX_VIOLATIONS_PER_FLUSH; at++) {
      record('installation 0', `round ${round} message ${at}`);
    }
    recorder.flush();
  }
  expect(
    recorded.filter(({ installation }) => installation === 'installation 0').flatMap(({ logs }) => logs),
  ).toHaveLength(MAX_VIOLATIONS_PER_INSTALLATION);
  record('installation 1', 'message 1');
  recorder.flush();
  expect(new Set(logs()).size).toBe(logs().length);
});
