import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { UPLOAD_LIFETIME_MS } from '../../../server/content/store/blob-uploads.ts';
import { moveFiles } from '../../../server/content/store/move-files.ts';
import { removeExpiredObjects } from '../../../server/content/store/stored-objects.ts';
import { ObjectStorageError } from '../../../server/outgoing/object-storage/errors.ts';
import { ObjectStorage } from '../../../server/outgoing/object-storage/object-storage.ts';
import { parseObjectStorageUrl } from '../../../server/outgoing/object-storage/settings.ts';
import { serveOnLoopback } from '../../support/http/loopback.ts';
import {
  hasSwift,
  STORAGE_CREDENTIALS,
  startStorage,
  type TestStorage,
} from '../../support/object-storage/swift.ts';
import { download, insertFiles, listFiles, startChange } from '../../support/object-storage/uploads.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const LARGE_BYTES = randomBytes(6_000_000);

describe.skipIf(!hasSwift)('an object storage that is not available', () => {
  let storage: TestStorage;
  let server: TestServer;
  let objectStorage: ObjectStorage;

  beforeAll(async () => {
    storage = await startStorage();
    const files = storage.files('failing');
    server = await startTestServer({ COLOPHON_FILES: files });
    objectStorage = new ObjectStorage(parseObjectStorageUrl(files) ?? expect.fail(), {
      responseTimeoutMs: 500,
    });
  });
  afterAll(async () => {
    await objectStorage?.close();
    await server?.stop();
    await storage?.close();
  });

  const count = async (table: 'blobs' | 'blobUploads') =>
    (await server.database.query.selectFrom(table).select('content').execute()).length;
  const services = () => ({ database: server.database, objectStorage, clock: () => new Date() });
  const isReady = async () => (await fetch(`${server.url}/readyz`)).status;

  test('rejects large uploads and downloads until it is available again, and nothing else', async () => {
    const path = await startChange(server.admin.client, server.organization);
    await ok(insertFiles(server.admin.client, path, { 'stored.bin': LARGE_BYTES }));
    const stored = (await listFiles(server.admin.client, path)).get('stored.bin');
    const blobs = await count('blobs');
    await storage.proxy.refuse();

    const { response, error } = await insertFiles(server.admin.client, path, {
      'new.bin': randomBytes(6_000_000),
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60']);
    expect(error?.message).toBe('The file storage is not available. Try again in a minute.');
    expect(await count('blobs')).toBe(blobs);
    const downloaded = await fetch(stored?.downloadURL ?? '');
    expect([downloaded.status, downloaded.headers.get('retry-after')]).toEqual([503, '60']);
    expect(downloaded.headers.get('content-disposition')).toBeNull();
    expect(await isReady()).toBe(200);

    // Small files wait in the database.
    const small = randomBytes(500);
    await ok(insertFiles(server.admin.client, path, { 'small.bin': small }));
    await expect(moveFiles(services(), 's3')).rejects.toThrow(ObjectStorageError);
    await expect(removeExpiredObjects(server.database, objectStorage, new Date())).rejects.toThrow(
      ObjectStorageError,
    );
    const files = await listFiles(server.admin.client, path);
    expect([...files.keys()].sort()).toEqual(['small.bin', 'stored.bin']);
    expect((await download(files.get('small.bin'))).equals(small)).toBe(true);

    await storage.proxy.listen();
    expect((await download(stored)).equals(LARGE_BYTES)).toBe(true);
    expect((await moveFiles(services(), 's3')).files).toBe(1);
    expect((await download(files.get('small.bin'))).equals(small)).toBe(true);
    const later = new Date(Date.now() + UPLOAD_LIFETIME_MS);
    await removeExpiredObjects(server.database, objectStorage, later);
    expect(await storage.keys('failing/')).toHaveLength(2);
  });

  test('that does not respond is given up after the time limit', async () => {
    storage.proxy.mode = 'silent';
    await expect(objectStorage.sizeOf('any')).rejects.toThrow(
      'The file storage s3://colophon-files/failing/ is not available: There was no response in time.',
    );
    storage.proxy.mode = 'pass';
    storage.proxy.cut();
    expect(await objectStorage.sizeOf('any')).toBeUndefined();
  });

  test('that ends a connection ends the download, and is asked again', async () => {
    const path = await startChange(server.admin.client, server.organization);
    await ok(insertFiles(server.admin.client, path, { 'stored.bin': LARGE_BYTES }));
    const stored = (await listFiles(server.admin.client, path)).get('stored.bin');
    const answered = storage.proxy.cutAt(/^GET /, 'before');
    const downloaded = download(stored);
    await answered;
    expect((await downloaded).equals(LARGE_BYTES)).toBe(true);

    storage.proxy.remainingBytes = LARGE_BYTES.length / 2;
    const response = await fetch(stored?.downloadURL ?? '');
    const reader = response.body?.getReader();
    await reader?.read();
    storage.proxy.cut();
    storage.proxy.remainingBytes = Number.POSITIVE_INFINITY;
    const rest = async () => {
      while (!(await reader?.read())?.done) {
        // Reads on until the end.
      }
    };
    await expect(rest()).rejects.toThrow();
    expect(await isReady()).toBe(200);
  });

  test('that rejects the credentials is reported', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another secret');
    const settings = parseObjectStorageUrl(storage.files('failing')) ?? expect.fail();
    const rejected = new ObjectStorage(settings);
    try {
      await expect(rejected.sizeOf('any')).rejects.toThrow('rejected a request with status 403');
    } finally {
      vi.unstubAllEnvs();
      await rejected.close();
    }
  });

  test('with temporary credentials receives new ones before they expire', async () => {
    let issued = 0;
    const issuer = await serveOnLoopback((_, response) => {
      issued += 1;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          AccessKeyId: STORAGE_CREDENTIALS.AWS_ACCESS_KEY_ID,
          SecretAccessKey: STORAGE_CREDENTIALS.AWS_SECRET_ACCESS_KEY,
          Token: `token ${issued}`,
          Expiration: new Date(Date.now() + (issued === 1 ? 1000 : 3_600_000)).toISOString(),
        }),
      );
    });
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${issuer.url}/credentials`);
    const temporary = new ObjectStorage(parseObjectStorageUrl(storage.files('failing')) ?? expect.fail());
    try {
      expect(await temporary.sizeOf('any')).toBeUndefined();
      expect(await temporary.sizeOf('any')).toBeUndefined();
      await vi.waitFor(() => expect(issued).toBe(2), { timeout: 60_000 });
      expect(await temporary.sizeOf('any')).toBeUndefined();
      expect(issued).toBe(2);
    } finally {
      vi.unstubAllEnvs();
      await temporary.close();
      await issuer.close();
    }
  });

  test('with an interrupted move is moved completely by the next one', async () => {
    const path = await startChange(server.admin.client, server.organization);
    const contents = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`${at}.bin`, randomBytes(2000 + at)]),
    );
    await ok(insertFiles(server.admin.client, path, contents));
    const interruption = new AbortController();
    const moving = moveFiles(services(), 's3', {
      signal: interruption.signal,
      onProgress: () => interruption.abort(new Error('interrupted')),
    });
    await expect(moving).rejects.toThrow('interrupted');
    const isComplete = async () => {
      const files = await listFiles(server.admin.client, path);
      for (const [name, bytes] of Object.entries(contents)) {
        expect((await download(files.get(name))).equals(bytes)).toBe(true);
      }
    };
    await isComplete();
    expect((await moveFiles(services(), 's3')).files).toBe(5);
    await isComplete();
    expect((await moveFiles(services(), 's3')).files).toBe(0);
  });
});
