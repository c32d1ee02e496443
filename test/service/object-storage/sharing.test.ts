import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { OBJECT_RETENTION_MS } from '../../../server/content/store/expired-uploads.ts';
import { removeExpiredObjects } from '../../../server/content/store/stored-objects.ts';
import { sweepObjects } from '../../../server/content/store/sweep.ts';
import { createId } from '../../../server/database/seams.ts';
import { insertJob } from '../../../server/jobs/store.ts';
import { ObjectStorage } from '../../../server/outgoing/object-storage/object-storage.ts';
import { parseObjectStorageUrl } from '../../../server/outgoing/object-storage/settings.ts';
import { maintainFiles } from '../../../server/platform/content/files/jobs.ts';
import { hasSwift, startStorage, type TestStorage } from '../../support/object-storage/swift.ts';
import { download, insertFiles, listFiles, startChange } from '../../support/object-storage/uploads.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const BYTES = randomBytes(3_000_000);

describe.skipIf(!hasSwift)('objects', () => {
  let storage: TestStorage;
  let server: TestServer;
  let objectStorage: ObjectStorage;

  beforeAll(async () => {
    storage = await startStorage();
    const files = storage.files('shared', '&downloads=redirect');
    server = await startTestServer({ COLOPHON_FILES: files });
    objectStorage = new ObjectStorage(parseObjectStorageUrl(files) ?? expect.fail());
  });
  afterAll(async () => {
    await objectStorage?.close();
    await server?.stop();
    await storage?.close();
  });

  const objects = async () =>
    await server.database.query
      .selectFrom('blobs')
      .select(['organization', 'object'])
      .where('object', 'is not', null)
      .orderBy('organization')
      .execute();
  const client = () => server.admin.client;
  const later = () => new Date(Date.now() + OBJECT_RETENTION_MS + 1000);

  test('are shared by the organizations that a space is transferred between', async () => {
    const [first, { id: second }] = [
      server.organization,
      await ok(client().POST('/v1/orgs', { body: { title: 'Other' } })),
    ];
    const path = await startChange(client(), first);
    await ok(insertFiles(client(), path, { 'large.bin': BYTES, 'small.bin': BYTES.subarray(0, 500) }));
    const [stored] = await objects();
    const transfer = async (organization: string) =>
      await ok(
        client().POST('/v1/spaces/{spaceId}/transfer', {
          params: { path: { spaceId: path.spaceId } },
          body: { organization },
        }),
      );
    await transfer(second);
    expect(await objects()).toHaveLength(2);
    expect(new Set((await objects()).map(({ object }) => object))).toEqual(new Set([stored?.object]));

    const clock = () => new Date();
    expect((await sweepObjects(server.database, first, clock)).blobs).toBe(2);
    expect(await removeExpiredObjects(server.database, objectStorage, later())).toBe(0);
    const isComplete = async () => {
      const file = (await listFiles(client(), path)).get('large.bin');
      expect((await download(file)).equals(BYTES)).toBe(true);
    };
    await isComplete();
    await transfer(first);
    expect((await sweepObjects(server.database, second, clock)).blobs).toBe(2);
    await isComplete();

    // The same bytes in two organizations, each with an object of its own.
    const same = await startChange(client(), second);
    await ok(insertFiles(client(), same, { 'large.bin': BYTES }));
    expect(new Set((await objects()).map(({ object }) => object)).size).toBe(2);
    expect(await removeExpiredObjects(server.database, objectStorage, later())).toBe(0);
    expect(await storage.keys('shared/')).toHaveLength(2);
    await isComplete();
    expect((await download((await listFiles(client(), same)).get('large.bin'))).equals(BYTES)).toBe(true);
  });

  test('are sent by the storage itself, unless our headers restrict their content', async () => {
    const path = await startChange(client(), server.organization);
    const picture = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${' '.repeat(2_000_000)}</svg>`);
    await ok(
      insertFiles(client(), path, {
        'größe.bin': BYTES,
        'picture.svg': picture,
        small: BYTES.subarray(0, 9),
      }),
    );
    const files = await listFiles(client(), path);
    const url = files.get('größe.bin')?.downloadURL ?? '';
    const redirect = await fetch(url, { redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('cache-control')]).toEqual([302, 'no-store']);
    expect(redirect.headers.get('location')).toContain('X-Amz-Expires=300');
    const sent = await fetch(url, { headers: { Range: 'bytes=10-19' } });
    expect(new URL(sent.url).pathname).toMatch(/^\/colophon-files\/shared\//);
    expect(Buffer.from(await sent.arrayBuffer()).equals(BYTES.subarray(10, 20))).toBe(true);
    expect(sent.headers.get('content-disposition')).toMatch(
      /^attachment; filename="gr.+"; filename\*=UTF-8''gr%C3%B6%C3%9Fe.bin$/,
    );
    expect(sent.headers.get('cache-control')).toMatch(/^private, max-age=\d+, immutable$/);
    const head = await fetch(url, { method: 'HEAD', redirect: 'manual' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '3000000']);
    const etag = head.headers.get('etag') ?? '';
    const unchanged = await fetch(url, { headers: { 'If-None-Match': etag }, redirect: 'manual' });
    expect(unchanged.status).toBe(304);
    for (const name of ['picture.svg', 'small']) {
      const streamed = await fetch(files.get(name)?.downloadURL ?? '', { redirect: 'manual' });
      expect([streamed.status, streamed.headers.get('content-security-policy')]).toEqual([
        200,
        expect.stringContaining('sandbox'),
      ]);
    }
  });

  test('receive the other files with a job', async () => {
    const inDatabase = async () =>
      (await server.database.query.selectFrom('blobs').select('hash').where('object', 'is', null).execute())
        .length;
    const path = await startChange(client(), server.organization);
    const small = randomBytes(700);
    await ok(insertFiles(client(), path, { small }));
    expect(await inDatabase()).toBeGreaterThan(0);
    const { query } = server.database;
    const runJob = async () => {
      const id = createId('job');
      const job = { kind: maintainFiles, organization: '', payload: {} };
      await insertJob(query, id, job, new Date().toISOString());
      const state = async () =>
        (await query.selectFrom('jobs').select('state').where('id', '=', id).executeTakeFirst())?.state ??
        'done';
      await expect.poll(state).toBe('done');
    };
    const before = await inDatabase();
    await storage.proxy.refuse();
    await runJob();
    expect(await inDatabase()).toBe(before);
    await storage.proxy.listen();
    await runJob();
    expect(await inDatabase()).toBe(0);
    expect((await download((await listFiles(client(), path)).get('small'))).equals(small)).toBe(true);
  });
});
