import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DeleteObjectCommand, ListMultipartUploadsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Client, createClient, ok } from '../../../client/platform/index.ts';
import { UPLOAD_LIFETIME_MS } from '../../../server/content/store/blob-uploads.ts';
import { removeExpiredObjects } from '../../../server/content/store/stored-objects.ts';
import { openDatabase } from '../../../server/database/database.ts';
import { ObjectStorage } from '../../../server/outgoing/object-storage/object-storage.ts';
import { parseObjectStorageUrl } from '../../../server/outgoing/object-storage/settings.ts';
import {
  hasSwift,
  STORAGE_CREDENTIALS,
  startStorage,
  type TestStorage,
} from '../../support/object-storage/swift.ts';
import { startTlsProxy } from '../../support/object-storage/tls-proxy.ts';
import { download, insertFiles, listFiles, startChange } from '../../support/object-storage/uploads.ts';
import { createDataLocation, finish, run, useTestPrograms } from '../../support/processes/program.ts';
import { TEMPORARY_FOLDER } from '../../support/processes/temporary.ts';
import { createCertificates } from '../../toolchain/conform/certificates.ts';

const LARGE_BYTES = randomBytes(11_000_000);
const SMALL_BYTES = randomBytes(1000);

describe.skipIf(!hasSwift)('programs with an object storage', () => {
  const programs = useTestPrograms({ blank: true });
  let storage: TestStorage;
  beforeAll(async () => {
    storage = await startStorage();
  });
  afterAll(() => storage?.close());

  const withFiles = (files: string) => ({
    ...programs.location.environment,
    ...STORAGE_CREDENTIALS,
    COLOPHON_FILES: files,
  });
  const command = (name: string, environment: Record<string, string>, ...parameters: string[]) =>
    finish(process.execPath, [`server/commands/${name}.ts`, ...parameters], environment);
  const connect = async (url: string, token: string | undefined) => {
    const client = createClient({ baseUrl: url, retries: 0, ...(token !== undefined && { token }) });
    return { client, organization: (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '' };
  };
  const database = async () => {
    const { COLOPHON_DATA: folder = '', DATABASE_URL: url } = programs.location.environment;
    const opened = await openDatabase(url === undefined ? { folder } : { url }, { migrated: true });
    onTestFinished(() => opened.close());
    return opened;
  };
  const incomplete = async () => {
    const { Uploads = [] } = await storage.client.send(
      new ListMultipartUploadsCommand({ Bucket: storage.bucket }),
    );
    return Uploads.length;
  };

  test('a server that is killed during an upload leaves nothing that is not deleted later', async () => {
    const files = storage.files('killed');
    const server = await programs.serve(withFiles(files));
    const { client, organization } = await connect(server.url, server.token);
    const path = await startChange(client, organization);
    const reached = storage.proxy.cutAt(/partNumber=2/, 'before').then(() => {
      storage.proxy.mode = 'silent';
    });
    const inserting = insertFiles(client, path, { 'large.bin': LARGE_BYTES }).catch(() => undefined);
    await reached;
    await server.stop('SIGKILL');
    await inserting;
    storage.proxy.cut();
    storage.proxy.mode = 'pass';
    expect(await incomplete()).toBe(1);
    const db = await database();
    expect(await db.query.selectFrom('blobs').select('hash').execute()).toEqual([]);
    expect(await db.query.selectFrom('blobUploads').select('object').execute()).toEqual([
      { object: expect.stringMatching(`^${organization}/`) },
    ]);
    const objectStorage = new ObjectStorage(parseObjectStorageUrl(files) ?? expect.fail());
    onTestFinished(() => objectStorage.close());
    expect(await removeExpiredObjects(db, objectStorage, new Date())).toBe(0);
    expect(await removeExpiredObjects(db, objectStorage, new Date(Date.now() + UPLOAD_LIFETIME_MS))).toBe(1);
    expect(await incomplete()).toBe(0);
    expect(await db.query.selectFrom('blobUploads').select('object').execute()).toEqual([]);
  });

  test('files are moved there and back while a server runs', async () => {
    const server = await programs.serve(withFiles(storage.files('moved', '&new-files=database')));
    const { client, organization } = await connect(server.url, server.token);
    const path = await startChange(client, organization);
    await ok(insertFiles(client, path, { 'large.bin': LARGE_BYTES, 'small.bin': SMALL_BYTES }));
    const isComplete = async (from: Client = client) => {
      const listed = await listFiles(from, path);
      expect((await download(listed.get('large.bin'))).equals(LARGE_BYTES)).toBe(true);
      expect((await download(listed.get('small.bin'))).equals(SMALL_BYTES)).toBe(true);
    };
    const environment = withFiles(storage.files('moved'));

    // Killed while it waits for the storage.
    storage.proxy.mode = 'silent';
    const killed = run(process.execPath, ['server/commands/files.ts', 'move', '--to', 's3'], environment);
    const db = await database();
    const uploads = async () => (await db.query.selectFrom('blobUploads').select('object').execute()).length;
    await vi.waitFor(async () => expect(await uploads()).toBe(2), { timeout: 60_000 });
    killed.child.kill('SIGKILL');
    await killed.ended;
    storage.proxy.cut();
    storage.proxy.mode = 'pass';
    await isComplete();

    // With a private authority, and temporary credentials.
    const certificates = await createCertificates();
    const proxy = await startTlsProxy(storage.port, certificates);
    onTestFinished(() => proxy.close());
    const folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-authority-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const authority = join(folder, 'authority.pem');
    await writeFile(authority, certificates.authority);
    const secure = {
      ...environment,
      COLOPHON_FILES: `s3://${storage.bucket}/moved?endpoint=https://127.0.0.1:${proxy.port}`,
      AWS_SESSION_TOKEN: 'a-session-token',
    };
    const untrusted = await command('files', secure, 'move', '--to', 's3');
    expect([untrusted.code, untrusted.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The file storage s3:\S+ is not available: unable to verify the first certificate/,
      ),
    ]);
    const moved = await command('files', { ...secure, NODE_EXTRA_CA_CERTS: authority }, 'move', '--to', 's3');
    expect(moved.stdout).toBe('Moved 2 files (11.0 MB) to s3://colophon-files/moved/, and verified them.\n');
    expect(moved.code).toBe(0);
    expect(new Set(proxy.received.map((headers) => headers['x-amz-security-token']))).toEqual(
      new Set(['a-session-token']),
    );
    await isComplete();
    expect((await command('files', environment, 'list')).stdout).toBe(
      'In the database: 0 files (0.0 MB).\nIn s3://colophon-files/moved/: 2 files (11.0 MB).\n',
    );

    const refused = await command('files', environment, 'move', '--to', 'database');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^Add new-files=database to COLO/),
    ]);
    const back = withFiles(storage.files('moved', '&new-files=database'));
    expect((await command('files', back, 'move', '--to', 'database')).stdout).toBe(
      'Moved 2 files (11.0 MB) to the database, and verified them.\n',
    );
    await isComplete();
  });

  test('a backup and the bucket are restored together, and checked', async () => {
    const files = storage.files('checked');
    const environment = withFiles(files);
    const server = await programs.serve(environment);
    const { client, organization } = await connect(server.url, server.token);
    const path = await startChange(client, organization);
    await ok(insertFiles(client, path, { 'large.bin': LARGE_BYTES, 'small.bin': SMALL_BYTES }));
    expect((await command('files', environment, 'move', '--to', 's3')).code).toBe(0);
    const folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-backups-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const backup = join(folder, 'colophon.backup');
    const { stdout } = await command('backup', environment, backup);
    expect(stdout).toContain(
      'It does not contain the files in s3://colophon-files/checked/: copy them now, within a week.\n',
    );

    const place = await createDataLocation({ blank: true });
    onTestFinished(() => place.remove());
    const restored = { ...environment, ...place.environment };
    expect((await command('restore', restored, backup)).code).toBe(0);
    const doctor = async (...parameters: string[]) => {
      const { code, stdout: text } = await command('doctor', restored, ...parameters);
      return { code, problems: text.split('\n').filter((line) => line.startsWith('problem: ')) };
    };
    expect(await doctor('--read-files')).toEqual({ code: 0, problems: [] });
    const other = await programs.serve(restored);
    const reading = createClient({
      baseUrl: other.url,
      retries: 0,
      ...(server.token && { token: server.token }),
    });
    const listed = await listFiles(reading, path);
    expect((await download(listed.get('large.bin'))).equals(LARGE_BYTES)).toBe(true);
    await other.stop();

    const [first = '', second = ''] = await storage.keys('checked/');
    const at = { Bucket: storage.bucket };
    await storage.client.send(new DeleteObjectCommand({ ...at, Key: first }));
    await storage.client.send(new PutObjectCommand({ ...at, Key: second, Body: Buffer.from('damaged') }));
    const unused = `checked/${organization}/unused`;
    await storage.client.send(new PutObjectCommand({ ...at, Key: unused, Body: Buffer.from('unused') }));
    const found = await doctor();
    expect(found).toEqual({
      code: 1,
      problems: expect.arrayContaining([
        expect.stringContaining('is missing in s3://colophon-files/checked/'),
        expect.stringMatching(/has 7 of \d+ bytes in s3:/),
        expect.stringContaining(
          `The object ${organization}/unused in s3://colophon-files/checked/ belongs to no file.`,
        ),
      ]),
    });
    expect(found.problems).toHaveLength(3);
    expect((await doctor('--read-files')).problems).toHaveLength(5);
    const damaged = await command(
      'files',
      { ...restored, COLOPHON_FILES: `${files}&new-files=database` },
      'move',
      '--to',
      'database',
    );
    expect([damaged.code, damaged.stdout]).toEqual([
      1,
      expect.stringMatching(
        /^(?:problem: The file \S+ of \S+ is damaged, and was not moved\.\n){2}Moved 0 files/,
      ),
    ]);
    await doctor('--repair');
    expect((await doctor()).problems).toHaveLength(2);
    const { COLOPHON_FILES: _, ...unset } = restored;
    expect((await command('doctor', unset)).stdout).toContain('Set COLOPHON_FILES, and check them again.');
  });
});
