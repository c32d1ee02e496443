import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { moveFiles } from '../../../server/content/store/move-files.ts';
import { ObjectStorage } from '../../../server/outgoing/object-storage/object-storage.ts';
import { parseObjectStorageUrl } from '../../../server/outgoing/object-storage/settings.ts';
import { exportTo } from '../../support/content/exports.ts';
import { createSpace, importRepository } from '../../support/content/imports.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { hasSwift, startStorage, type TestStorage } from '../../support/object-storage/swift.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** A picture of one pixel, which PDFs show. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const LARGE_TEXT = 'A large file of the guide.\n'.repeat(100_000);

describe.skipIf(!hasSwift)('files in an object storage', () => {
  let storage: TestStorage;
  let server: TestServer;
  let git: GitServer;
  let objectStorage: ObjectStorage;

  beforeAll(async () => {
    storage = await startStorage();
    const files = storage.files('transfers');
    server = await startTestServer({ COLOPHON_FILES: files });
    git = await startGitServer();
    objectStorage = new ObjectStorage(parseObjectStorageUrl(files) ?? expect.fail());
  });
  afterAll(async () => {
    await objectStorage?.close();
    await git?.close();
    await server?.stop();
    await storage?.close();
  });

  test('are imported, exported and printed', async () => {
    const repository = await git.createRepository({
      'README.md':
        '# Guide\n\n![A picture](.gitbook/assets/picture.png)\n\n{% file src=".gitbook/assets/large.txt" %}\n',
      '.gitbook/assets/picture.png': PICTURE,
      '.gitbook/assets/large.txt': LARGE_TEXT,
    });
    const { id: spaceId } = await createSpace(server);
    await importRepository(server, spaceId, repository);
    expect(await storage.keys('transfers/')).toHaveLength(1);
    await moveFiles({ database: server.database, objectStorage, clock: () => new Date() }, 's3');
    expect(await storage.keys('transfers/')).toHaveLength(2);

    const target = await git.createEmptyRepository();
    await exportTo(server, spaceId, target);
    const [imported, exported] = [await repository.read(), await target.read()];
    expect(exported['.gitbook/assets/large.txt']).toBe(LARGE_TEXT);
    expect(exported['.gitbook/assets/picture.png']).toBe(imported['.gitbook/assets/picture.png']);

    const at = { params: { path: { spaceId } } };
    const { id: changeRequestId } = await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/change-requests', { ...at, body: {} }),
    );
    const { url } = await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf', {
        params: { path: { spaceId, changeRequestId } },
      }),
    );
    const pdf = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(pdf.toString('latin1')).toContain('/Subtype /Image');
  });
});
