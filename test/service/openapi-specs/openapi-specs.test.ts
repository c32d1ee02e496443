import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Client, ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { MAX_BUFFERED_BODY_BYTES_PER_CALLER } from '../../../server/contract/limits/body-memory.ts';
import { callerIdOf } from '../../../server/identity/caller.ts';
import { versionUrl } from '../../../server/platform/content/openapi-specs/present/link.ts';
import { createResourceUrls } from '../../../server/platform/kit/resource-urls.ts';
import {
  addVersion,
  createSpecification,
  PET_STORE,
  waitUntilProcessed,
} from '../../support/content/specifications.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const SECRET = 'the secret key of this test, 32 characters';

type Source = components['schemas']['OpenAPISource'];

let server: TestServer;
let web: Server;
/** Responses of the other server by path. */
const responses = new Map<string, (res: ServerResponse) => void>();
const webAddress = (path: string) => `http://127.0.0.1:${(web.address() as AddressInfo).port}${path}`;

beforeAll(async () => {
  web = createServer((req, res) => {
    const response = responses.get(req.url ?? '');
    if (response) {
      response(res);
    } else {
      res.writeHead(404).end();
    }
  });
  const listening = new Promise<void>((done) => web.listen(0, '127.0.0.1', done));
  [server] = await Promise.all([startTestServer({ COLOPHON_SECRET_KEY: SECRET }), listening]);
});
afterAll(async () => {
  web.closeAllConnections();
  await Promise.all([server.stop(), new Promise((done) => web.close(done))]);
});

const named = (specSlug: string) => ({
  params: { path: { organizationId: server.organization, specSlug } },
});
const create = (slug: string, source: Source = { text: PET_STORE }, client: Client = server.admin.client) =>
  client.POST('/v1/orgs/{organizationId}/openapi', {
    params: { path: { organizationId: server.organization } },
    body: { slug, source },
  });
const putSpec = (slug: string, source: Source) =>
  server.admin.client.PUT('/v1/orgs/{organizationId}/openapi/{specSlug}', {
    ...named(slug),
    body: { source },
  });
const createdSpec = (slug: string, source?: Source) =>
  createSpecification(server.admin, server.organization, slug, source);
const done = (slug: string) => waitUntilProcessed(server.admin, server.organization, slug);
const read = (slug: string) =>
  server.admin.client.GET('/v1/orgs/{organizationId}/openapi/{specSlug}', named(slug));
const versions = async (slug: string) =>
  (await ok(server.admin.client.GET('/v1/orgs/{organizationId}/openapi/{specSlug}/versions', named(slug))))
    .items;
const latest = (slug: string) =>
  server.admin.client.GET('/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest', named(slug));
const latestContent = (slug: string) =>
  server.admin.client.GET(
    '/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content',
    named(slug),
  );
const show = (slug: string, visibility: 'public' | 'private') =>
  ok(
    server.admin.client.PATCH('/v1/orgs/{organizationId}/openapi/{specSlug}', {
      ...named(slug),
      body: { visibility },
    }),
  );

describe('a specification', () => {
  test('is pending when it is created, and processed soon after', async () => {
    const { data, response } = await create('first');
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBeNull();
    expect(data).toMatchObject({
      object: 'openapi-spec',
      slug: 'first',
      processingState: 'pending',
      visibility: 'private',
      permissions: { view: true, edit: true },
      urls: { location: `${server.url}/v1/orgs/${server.organization}/openapi/first` },
    });
    expect(data).not.toHaveProperty('lastVersion');
    expect((await latest('nowhere')).response.status).toBe(404);
    const spec = await done('first');
    expect(spec.lastVersion).toBe((await ok(latest('first'))).id);
    expect(spec).not.toHaveProperty('lastProcessErrorCode');
    expect(spec.lastProcessedErrorCount).toBe(0);
    expect(Date.parse(spec.lastProcessedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(spec.createdAt));
  });

  test('has a unique slug within the organization', async () => {
    await createdSpec('taken');
    expect((await create('taken')).error).toMatchObject({ status: 409, reason: 'slug_taken' });
    const both = await Promise.all([create('at-once'), create('at-once')]);
    expect(both.map(({ response }) => response.status).toSorted()).toEqual([201, 409]);
    const puts = await Promise.all([
      putSpec('put-at-once', { text: PET_STORE }),
      putSpec('put-at-once', { text: PET_STORE }),
    ]);
    expect(puts.map(({ response }) => response.status)).toEqual([200, 200]);
  });

  test('is created or updated by PUT', async () => {
    expect((await putSpec('by-put', { text: PET_STORE })).response.status).toBe(200);
    const first = await done('by-put');
    await addVersion(server.admin, server.organization, 'by-put', 'Zoo');
    const second = await done('by-put');
    expect(second.id).toBe(first.id);
    expect(second.lastVersion).not.toBe(first.lastVersion);
    const all = await versions('by-put');
    expect(all.map(({ id }) => id)).toEqual([first.lastVersion, second.lastVersion]);
  });

  test('creates no version for an unchanged text', async () => {
    const first = await createdSpec('same');
    await ok(putSpec('same', { text: PET_STORE }));
    expect((await done('same')).lastVersion).toBe(first.lastVersion);
    expect(await versions('same')).toHaveLength(1);
  });

  test('is deleted with its versions', async () => {
    await createdSpec('short-lived');
    const { url } = await ok(latest('short-lived'));
    const remove = async () =>
      (await server.admin.client.DELETE('/v1/orgs/{organizationId}/openapi/{specSlug}', named('short-lived')))
        .response.status;
    expect(await remove()).toBe(204);
    expect((await read('short-lived')).response.status).toBe(404);
    expect((await fetch(url)).status).toBe(404);
    expect(await remove()).toBe(204);
  });

  test('reports missing permissions to members who cannot create', async () => {
    await createdSpec('seen');
    const { client } = await server.member('Reader', 'read');
    const spec = await ok(client.GET('/v1/orgs/{organizationId}/openapi/{specSlug}', named('seen')));
    expect(spec.permissions).toEqual({ view: true, edit: false });
    expect((await create('mine', undefined, client)).response.status).toBe(403);
  });
});

describe('a version', () => {
  test('keeps its content when later ones differ', async () => {
    const { lastVersion = '' } = await createdSpec('kept');
    const path = { organizationId: server.organization, specSlug: 'kept', versionId: lastVersion };
    const content = () =>
      ok(
        server.admin.client.GET('/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/content', {
          params: { path },
        }),
      );
    const before = await content();
    await addVersion(server.admin, server.organization, 'kept', 'Zoo');
    expect(await content()).toEqual(before);
    expect(before.filesystem).toMatchObject({ 'openapi.yaml': { info: { title: 'Pet store' } } });
    expect((await ok(latestContent('kept'))).filesystem).toMatchObject({
      'openapi.yaml': { info: { title: 'Zoo' } },
    });
  });

  test('has a URL of its text that works for anyone who has it', async () => {
    await createdSpec('text');
    const { url } = await ok(latest('text'));
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(await response.text()).toBe(PET_STORE);
    for (const wrong of [
      url.replace(/signature=.*/, ''),
      url.replace(/expires=\d+/, 'expires=99999999999999'),
      url.replace(/expires=\d+/, ''),
      `${url}x`,
      url.replace(/versions\/\w+/, 'versions/oav_x'),
    ]) {
      expect((await fetch(wrong)).status, wrong).toBe(404);
    }
  });

  test.runIf(isFirstEngine)('has a URL that expires and is not cached', async () => {
    const { id: version } = await createdSpec('ending').then(() => ok(latest('ending')));
    const reader = callerIdOf(server.admin.id);
    const link = { reader, organization: server.organization, version };
    const requestContent = (expires: number) =>
      fetch(versionUrl({ ...link, expires }, SECRET, createResourceUrls(server.url)));
    expect((await requestContent(Date.now() - 1)).status).toBe(404);
    const { status, headers } = await requestContent(Date.now() + 60_000);
    expect(status).toBe(200);
    expect(Number(/^private, max-age=(\d+)$/.exec(headers.get('cache-control') ?? '')?.[1])).toBeLessThan(61);
  });

  test('has the URL of its source, and a public one if the specification is public', async () => {
    await createdSpec('located');
    const { url, urls } = await ok(latestContent('located'));
    expect(urls).toEqual({ source: url, public: null });
    await show('located', 'public');
    expect((await ok(latestContent('located'))).urls.public).toBe((await ok(read('located'))).urls.published);
  });

  test('is JSON if its source was JSON', async () => {
    await createdSpec('json', { text: '{"swagger": "2.0", "paths": {}}' });
    const { filesystem, url } = await ok(latestContent('json'));
    expect(filesystem).toEqual({ 'openapi.json': { swagger: '2.0', paths: {} } });
    expect((await fetch(url)).headers.get('content-type')).toMatch(/^application\/json/);
  });
});

describe('a public specification', () => {
  test('is readable by everyone at its public URL until it is private again', async () => {
    await createdSpec('open');
    expect((await ok(read('open'))).urls).not.toHaveProperty('published');
    const { urls } = await show('open', 'public');
    const address = urls.published ?? '';
    expect(await (await fetch(address)).text()).toBe(PET_STORE);
    await addVersion(server.admin, server.organization, 'open', 'Zoo');
    expect(await (await fetch(address)).text()).toContain('title: Zoo');
    expect((await show('open', 'private')).urls).not.toHaveProperty('published');
    expect((await fetch(address)).status).toBe(404);
  });

  test.runIf(isFirstEngine)('limits the memory for readers who leave it unread', async () => {
    const description = 'd'.repeat(12 * 1024 * 1024);
    const text = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'A', version: '1', description },
      paths: {},
    });
    await createdSpec('unread', { text });
    const address = new URL((await show('unread', 'public')).urls.published ?? '');
    const readers: Socket[] = [];
    while (readers.length < Math.floor(MAX_BUFFERED_BODY_BYTES_PER_CALLER / text.length)) {
      const reader = connect(Number(address.port), address.hostname).pause();
      readers.push(reader);
      reader.write(`GET ${address.pathname} HTTP/1.1\r\nHost: docs\r\n\r\n`);
      await once(reader, 'readable');
    }
    const { status, headers } = await fetch(address);
    expect([status, headers.has('retry-after')]).toEqual([503, true]);
    for (const reader of readers) {
      reader.destroy();
    }
    await expect.poll(async () => (await fetch(address)).status).toBe(200);
  });
});

describe('a source', () => {
  test('is fetched from its URL again with each PUT', async () => {
    responses.set('/pets.yaml', (res) => res.end(PET_STORE));
    const url = webAddress('/pets.yaml');
    const first = await createdSpec('fetched', { url });
    expect(first.sourceURL).toBe(url);
    expect((await ok(latestContent('fetched'))).filesystem).toMatchObject({
      'openapi.yaml': { info: { title: 'Pet store' } },
    });
    responses.set('/pets.yaml', (res) => res.end(PET_STORE.replace('Pet store', 'Zoo')));
    await ok(putSpec('fetched', { url }));
    expect((await done('fetched')).lastVersion).not.toBe(first.lastVersion);
    await ok(putSpec('fetched', { text: PET_STORE }));
    expect(await done('fetched')).not.toHaveProperty('sourceURL');
  });

  test.each([
    ['is no YAML', { text: 'openapi: [' }, 'PARSE_ERROR'],
    ['is no OpenAPI document', { text: 'asyncapi: 2.0.0' }, 'PARSE_ERROR'],
    ['is a list', { text: '- openapi: 3.1.0' }, 'PARSE_ERROR'],
    ['grows by aliases without end', { text: bomb() }, 'PARSE_ERROR'],
    ['contains itself', { text: 'openapi: 3.1.0\nx-a: &a { b: *a }' }, 'PARSE_ERROR'],
    [
      'is nested without end',
      { text: `{"openapi":"3.1.0","a":${'['.repeat(5000)}${']'.repeat(5000)}}` },
      'PARSE_ERROR',
    ],
    ['does not exist', () => ({ url: webAddress('/nothing') }), 'FETCH_ERROR'],
  ] as [string, Source | (() => Source), string][])(
    'that %s is reported, and keeps the last valid version',
    async (description, declared, code) => {
      const slug = `invalid-${description.replaceAll(/\W+/g, '-').toLowerCase()}`;
      const valid = await createdSpec(slug);
      const source = typeof declared === 'function' ? declared() : declared;
      await ok(putSpec(slug, source));
      expect(await done(slug)).toMatchObject({
        lastProcessErrorCode: code,
        lastProcessedErrorCount: 1,
        lastVersion: valid.lastVersion,
      });
      await ok(putSpec(slug, { text: PET_STORE.replace('Pet store', 'Fixed') }));
      expect(await done(slug)).not.toHaveProperty('lastProcessErrorCode');
    },
  );

  test.runIf(isFirstEngine)('that cannot be fetched is logged without the query of its URL', async () => {
    vi.stubEnv('LOG_LEVEL', 'info');
    onTestFinished(() => void vi.unstubAllEnvs());
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const logging = await startTestServer();
    onTestFinished(() => logging.stop());
    const url = webAddress('/missing.yaml?token=secret-value');
    await createSpecification(logging.admin, logging.organization, 'logged', { url });
    const log = written.mock.calls.map(([line]) => String(line)).join('');
    expect(log).toContain(`${webAddress('/missing.yaml')} returned the status 404`);
    expect(log).not.toContain('secret-value');
  });

  test('that is replaced during processing has no effect', async () => {
    const waiting: ServerResponse[] = [];
    responses.set('/slow.yaml', (res) => waiting.push(res));
    await ok(create('overtaken', { url: webAddress('/slow.yaml') }));
    await vi.waitFor(() => expect(waiting).toHaveLength(1), { timeout: 60_000 });
    expect((await ok(read('overtaken'))).processingState).toBe('progress');
    await ok(putSpec('overtaken', { text: PET_STORE }));
    for (const res of waiting) {
      res.end(PET_STORE.replace('Pet store', 'Too late'));
    }
    await done('overtaken');
    expect(await versions('overtaken')).toHaveLength(1);
    expect((await ok(latestContent('overtaken'))).filesystem).toMatchObject({
      'openapi.yaml': { info: { title: 'Pet store' } },
    });
  });

  test('that was processed is not processed again when its job is repeated', async () => {
    const before = await createdSpec('again');
    const job = async () => {
      const all = await server.database.query
        .selectFrom('jobs')
        .select(['id', 'state', 'payload'])
        .where('kind', '=', 'openapi-processing')
        .execute();
      return all.find(({ payload }) => payload.includes(before.id));
    };
    const isDone = () => vi.waitFor(async () => expect((await job())?.state).toBe('done'), 60_000);
    await isDone();
    // As after a crash between the last write of the job and its end.
    await server.database.query
      .updateTable('jobs')
      .set({ state: 'queued', finishedAt: null })
      .where('id', '=', (await job())?.id ?? '')
      .execute();
    await isDone();
    expect(await ok(read('again'))).toEqual(before);
  });

  test('that ends its process each time is reported as unreadable', async () => {
    responses.set('/fatal.yaml', (res) => res.writeHead(503).end());
    await ok(create('fatal', { url: webAddress('/fatal.yaml') }));
    const { id } = await done('fatal');
    const { database } = server;
    // As when the job process found a job without remaining attempts.
    await database.query
      .updateTable('openAPISpecs')
      .set({ processingState: 'progress', lastProcessErrorCode: null })
      .where('id', '=', id)
      .execute();
    await database.query
      .updateTable('jobs')
      .set({ state: 'queued', finishedAt: null, processEnds: 3, lastError: 'heap out of memory' })
      .where('key', '=', `openapi ${id}`)
      .execute();
    expect(await done('fatal')).toMatchObject({ lastProcessErrorCode: 'PARSE_ERROR' });
  });

  test.runIf(isFirstEngine).each(['ftp://example.com/a', 'https://somebody:secret@example.com/a'])(
    'is rejected at %s',
    async (url) => {
      const { response, error } = await create('nowhere-at-all', { url });
      expect(response.status).toBe(400);
      expect(error?.details?.map(({ path }) => path)).toContain('source.url');
      expect(JSON.stringify(error)).not.toContain('secret');
    },
  );
});

/** A document with nested aliases, nine each. */
function bomb(): string {
  const level = (name: string, of: string) => `x-${name}: &${name} [${Array(9).fill(`*${of}`).join(', ')}]`;
  const names = [...'bcdefgh'];
  return [
    'openapi: 3.1.0',
    'x-a: &a [x, x, x]',
    ...names.map((name, at) => level(name, at === 0 ? 'a' : (names[at - 1] ?? 'a'))),
  ].join('\n');
}
