import { randomBytes } from 'node:crypto';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { uploadBlob } from '../../../server/content/store/blob-uploads.ts';
import { readBlob } from '../../../server/content/store/blobs.ts';
import { OBJECT_RETENTION_MS } from '../../../server/content/store/expired-uploads.ts';
import { moveFiles } from '../../../server/content/store/move-files.ts';
import { removeExpiredObjects } from '../../../server/content/store/stored-objects.ts';
import { sweepObjects } from '../../../server/content/store/sweep.ts';
import { hashOf } from '../../../server/content/tree/hash.ts';
import { ObjectStorage } from '../../../server/outgoing/object-storage/object-storage.ts';
import { parseObjectStorageUrl } from '../../../server/outgoing/object-storage/settings.ts';
import { NO_QUOTAS } from '../../../server/quotas/quotas.ts';
import { hasSwift, startStorage, type TestStorage } from '../../support/object-storage/swift.ts';
import { download, insertFiles, listFiles, startChange } from '../../support/object-storage/uploads.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** More than two parts, which the storage receives one after the other. */
const LARGE_BYTES = randomBytes(11_000_000);
const SMALL_BYTES = randomBytes(1000);

describe.skipIf(!hasSwift)('files in an object storage', () => {
  let storage: TestStorage;
  let server: TestServer;
  let objectStorage: ObjectStorage;

  beforeAll(async () => {
    storage = await startStorage();
    const files = storage.files('files');
    server = await startTestServer({ COLOPHON_FILES: files });
    const settings = parseObjectStorageUrl(files);
    objectStorage = new ObjectStorage(settings ?? expect.fail());
  });
  afterAll(async () => {
    await objectStorage?.close();
    await server?.stop();
    await storage?.close();
  });

  const rows = async () =>
    await server.database.query
      .selectFrom('blobs')
      .select(['content', 'object', 'hash', 'organization'])
      .execute();
  const uploads = async () =>
    await server.database.query.selectFrom('blobUploads').select(['content', 'object']).execute();

  test('a large file is stored there as it arrives, a small one in the database', async () => {
    const path = await startChange(server.admin.client, server.organization);
    await ok(insertFiles(server.admin.client, path, { 'large.bin': LARGE_BYTES, 'small.bin': SMALL_BYTES }));
    const [object, ...others] = await storage.keys('files/');
    expect(others).toEqual([]);
    expect(object).toMatch(new RegExp(`^files/${server.organization}/[0-9a-f-]{36}$`));
    expect((await rows()).map((row) => row.object).filter(Boolean)).toEqual([object?.slice('files/'.length)]);
    expect(await uploads()).toEqual([]);

    const files = await listFiles(server.admin.client, path);
    expect((await download(files.get('large.bin'))).equals(LARGE_BYTES)).toBe(true);
    expect((await download(files.get('small.bin'))).equals(SMALL_BYTES)).toBe(true);
    const url = files.get('large.bin')?.downloadURL ?? '';
    const part = await fetch(url, { headers: { Range: 'bytes=5242870-5242889' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 5242870-5242889/11000000']);
    expect(Buffer.from(await part.arrayBuffer()).equals(LARGE_BYTES.subarray(5_242_870, 5_242_890))).toBe(
      true,
    );
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe('11000000');
    expect((await fetch(url, { headers: { Range: 'bytes=11000000-' } })).status).toBe(416);
  });

  test('the same bytes are stored once in an organization', async () => {
    const path = await startChange(server.admin.client, server.organization);
    await ok(insertFiles(server.admin.client, path, { 'again.bin': LARGE_BYTES }));
    const files = await listFiles(server.admin.client, path);
    expect((await download(files.get('again.bin'))).equals(LARGE_BYTES)).toBe(true);
    expect((await rows()).filter(({ object }) => object !== null)).toHaveLength(1);
    await removeExpiredObjects(server.database, objectStorage, new Date());
    expect(await storage.keys('files/')).toHaveLength(1);
    expect(await uploads()).toEqual([]);
  });

  test.each([
    ['exceeds the maximum size', 8_000_000, 'exceeds 8000000 bytes'],
    ['ends with an error', LARGE_BYTES.length, 'The source ended.'],
  ])('a file that %s leaves nothing behind', async (_, maxBytes, error) => {
    async function* source() {
      yield LARGE_BYTES;
      throw new Error('The source ended.');
    }
    const [keys, blobs] = [await storage.keys('files/'), await rows()];
    const clock = () => new Date();
    const services = { database: server.database, objectStorage, clock, quotas: NO_QUOTAS };
    const upload = uploadBlob(services, server.organization, source(), maxBytes);
    await expect(upload).rejects.toThrow(error);
    await removeExpiredObjects(server.database, objectStorage, new Date());
    expect(await uploads()).toEqual([]);
    expect(await rows()).toEqual(blobs);
    expect(await storage.keys('files/')).toEqual(keys);
    const list = new ListMultipartUploadsCommand({ Bucket: storage.bucket });
    expect((await storage.client.send(list)).Uploads ?? []).toEqual([]);
  });

  test('small files are moved there later, and all files back', async () => {
    const clock = () => new Date();
    const services = { database: server.database, objectStorage, clock, quotas: NO_QUOTAS };
    expect(await moveFiles(services, 's3')).toEqual({ files: 1, bytes: SMALL_BYTES.length, damaged: [] });
    expect((await rows()).every(({ object }) => object !== null)).toBe(true);
    expect(await storage.keys('files/')).toHaveLength(2);
    const small = await readBlob(services, server.organization, hashOf(SMALL_BYTES));
    expect(SMALL_BYTES.equals(small ?? Buffer.alloc(0))).toBe(true);
    const path = await startChange(server.admin.client, server.organization);
    await ok(insertFiles(server.admin.client, path, { a: SMALL_BYTES, b: LARGE_BYTES }));
    const downloaded = async () => {
      const files = await listFiles(server.admin.client, path);
      return [
        (await download(files.get('a'))).equals(SMALL_BYTES),
        (await download(files.get('b'))).equals(LARGE_BYTES),
      ];
    };
    expect(await downloaded()).toEqual([true, true]);
    expect(await moveFiles(services, 's3')).toEqual({ files: 0, bytes: 0, damaged: [] });

    const back = { files: 2, bytes: SMALL_BYTES.length + LARGE_BYTES.length, damaged: [] };
    expect(await moveFiles(services, 'database')).toEqual(back);
    expect((await rows()).every(({ object }) => object === null)).toBe(true);
    expect(await downloaded()).toEqual([true, true]);
    // The objects remain for copies of the bucket.
    const [now, later] = [new Date(), new Date(Date.now() + OBJECT_RETENTION_MS + 1000)];
    expect(await removeExpiredObjects(server.database, objectStorage, now)).toBe(1);
    expect(await storage.keys('files/')).toHaveLength(2);
    expect(await removeExpiredObjects(server.database, objectStorage, later)).toBe(2);
    expect(await storage.keys('files/')).toEqual([]);
    expect(await downloaded()).toEqual([true, true]);
    expect(await moveFiles(services, 's3')).toEqual(back);
    expect(await downloaded()).toEqual([true, true]);
  });

  test('an object is deleted some time after the last file that uses it', async () => {
    const { database } = server;
    const objects = await storage.keys('files/');
    const [first] = await rows();
    const path = await startChange(server.admin.client, server.organization);
    await ok(insertFiles(server.admin.client, path, { unused: randomBytes(3_000_000) }));
    await database.query.deleteFrom('changeRequests').where('id', '=', path.changeRequestId).execute();
    await database.query.deleteFrom('revisions').where('space', '=', path.spaceId).execute();
    const clock = () => new Date();
    expect(await sweepObjects(database, server.organization, clock)).toMatchObject({ blobs: 1 });
    expect(await removeExpiredObjects(database, objectStorage, new Date())).toBe(0);
    expect(await storage.keys('files/')).toHaveLength(objects.length + 1);
    await removeExpiredObjects(database, objectStorage, new Date(Date.now() + OBJECT_RETENTION_MS + 1000));
    expect(await storage.keys('files/')).toEqual(objects);
    expect(await rows()).toContainEqual(first);
  });
});
