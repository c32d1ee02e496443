import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { importTasks } from '../../../server/content/convert/tasks.ts';
import { DEFAULT_LIMITS } from '../../../server/content/convert/types.ts';
import { BATCH_BYTES, CHUNK_BYTES } from '../../../server/content/store/blobs.ts';
import type { PendingFiles } from '../../../server/content/store/pending-files.ts';
import { unavailable } from '../../../server/contract/errors.ts';
import { FileReceiver } from '../../../server/platform/content/runs/file-receiver.ts';
import { createRequestSlots, FILE_FETCH_LIMITS } from '../../../server/platform/kit/slots.ts';
import { createSpace } from '../../support/content/imports.ts';
import { type LoopbackServer, serveOnLoopback } from '../../support/http/loopback.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { zip } from '../../support/zip.ts';

type NewFile = components['schemas']['NewFile'];

const BYTES = randomBytes(4 * CHUNK_BYTES);

let server: TestServer;
let website: LoopbackServer;
const archives = new Map<string, Buffer>();
/** Responses of `/slow` that have not ended. */
const slow: ServerResponse[] = [];

beforeAll(async () => {
  server = await startTestServer();
  website = await serveOnLoopback((request, response) => {
    if (request.url === '/file') {
      response.end(BYTES);
    } else if (request.url === '/slow') {
      response.write(BYTES);
      response.write(BYTES.subarray(1));
      slow.push(response);
    } else if (archives.has(request.url ?? '')) {
      response.end(archives.get(request.url ?? ''));
    } else {
      response.writeHead(404).end();
    }
  });
});
afterAll(async () => {
  await website.close();
  await server.stop();
});

/** Creates a change request of a new space. */
async function start() {
  const { id: spaceId } = await createSpace(server);
  const { id } = await ok(
    server.admin.client.POST('/v1/spaces/{spaceId}/change-requests', {
      params: { path: { spaceId } },
      body: {},
    }),
  );
  return { spaceId, changeRequestId: id };
}
type UploadTarget = Awaited<ReturnType<typeof start>>;

const insert = (path: UploadTarget, files: NewFile[], signal?: AbortSignal) =>
  server.admin.client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
    params: { path },
    body: { changes: [{ operation: 'insert_files', files }] },
    ...(signal && { signal }),
  });

const filesOf = async (path: UploadTarget) =>
  (
    await ok(
      server.admin.client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files', {
        params: { path },
      }),
    )
  ).items;

const download = async (file: components['schemas']['File'] | undefined) =>
  Buffer.from(await (await fetch(file?.downloadURL ?? '')).arrayBuffer());

const countOf = async (table: 'blobs' | 'blobChunks' | 'blobUploads') =>
  (await server.database.query.selectFrom(table).select('content').execute()).length;

describe('a file in a request', () => {
  test('is stored unchanged, up to the maximum size of a body', async () => {
    const path = await start();
    const bytes = randomBytes(12_000_000);
    await ok(insert(path, [{ name: 'a.bin', base64: bytes.toString('base64') }]));
    const [file] = await filesOf(path);
    expect(file?.size).toBe(bytes.byteLength);
    expect((await download(file)).equals(bytes)).toBe(true);
    expect(await countOf('blobUploads')).toBe(0);
  });

  test.each(['AAA', 'AAAA\n####', 'AAA=AAAA', 'A===', '=', '_-_-'])('is rejected as %j', async (base64) => {
    expect((await insert(await start(), [{ name: 'a.bin', base64 }])).response.status).toBe(400);
  });
});

describe('a file that is fetched', () => {
  test('is stored while it arrives', async () => {
    const path = await start();
    const chunks = await countOf('blobChunks');
    const inserting = insert(path, [{ name: 'a.bin', url: `${website.url}/slow` }]);
    await vi.waitFor(async () => expect(await countOf('blobChunks')).toBe(chunks + 4), { timeout: 60_000 });
    expect(await filesOf(path)).toEqual([]);
    slow.pop()?.end();
    await ok(inserting);
    const [file] = await filesOf(path);
    expect((await download(file)).equals(Buffer.concat([BYTES, BYTES.subarray(1)]))).toBe(true);
    expect(await countOf('blobUploads')).toBe(0);
  });

  test('is stored once', async () => {
    const path = await start();
    const file = { name: 'a.bin', url: `${website.url}/file` };
    await ok(insert(path, [file, file]));
    const [blobs, chunks] = [await countOf('blobs'), await countOf('blobChunks')];
    await ok(insert(path, [file]));
    expect(await filesOf(path)).toHaveLength(3);
    expect([await countOf('blobs'), await countOf('blobChunks')]).toEqual([blobs, chunks]);
    expect(await countOf('blobUploads')).toBe(0);
  });

  test('leaves no data behind if the request fails or its caller disconnects', async () => {
    const path = await start();
    const before = [await countOf('blobs'), await countOf('blobChunks')];
    const expectNothing = async () => {
      expect([await countOf('blobs'), await countOf('blobChunks')]).toEqual(before);
      expect(await countOf('blobUploads')).toBe(0);
    };
    const base64 = randomBytes(2 * CHUNK_BYTES).toString('base64');
    const { error } = await insert(path, [
      { name: 'a.bin', base64 },
      { name: 'b.bin', url: `${website.url}/missing` },
    ]);
    expect(error).toMatchObject({ status: 400, details: [{ path: 'changes.0.files.1.url' }] });
    await expectNothing();

    const caller = new AbortController();
    const inserting = insert(path, [{ name: 'a.bin', url: `${website.url}/slow` }], caller.signal);
    await vi.waitFor(async () => expect(await countOf('blobUploads')).toBe(1), { timeout: 60_000 });
    caller.abort();
    await expect(inserting).rejects.toThrow();
    await vi.waitFor(expectNothing, { timeout: 60_000 });
  });
});

test('are fetched in turns that organizations share, and rejected if too many wait', async () => {
  const { fileFetches } = createRequestSlots();
  const enter = (organization: string) => fileFetches.enter(organization, unavailable);
  const { perOwner, waitingPerOwner } = FILE_FETCH_LIMITS;
  const slots = await Promise.all(Array.from({ length: perOwner }, () => enter('org_a')));
  const waiting = Array.from({ length: waitingPerOwner }, () => enter('org_a'));
  await expect(enter('org_a')).rejects.toMatchObject({ status: 503 });
  (await enter('org_b'))[Symbol.dispose]();
  for (const slot of slots) {
    slot[Symbol.dispose]();
  }
  for (const slot of waiting) {
    (await slot)[Symbol.dispose]();
  }
});

describe('a file of an import', () => {
  test('is stored in parts, once, and deleted if the import fails', async () => {
    const path = await start();
    const archive = zip({
      'one.md': '# One\n\n[a](a.bin) [b](b.bin)',
      'a.bin': BYTES.subarray(1),
      'b.bin': BYTES.subarray(1),
    });
    archives.set('/archive.zip', archive);
    const importFrom = (url: string) =>
      server.admin.client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/import', {
        params: { path },
        body: { source: 'zip', url },
      });
    const chunks = await countOf('blobChunks');
    await ok(importFrom(`${website.url}/archive.zip`));
    expect(await countOf('blobChunks')).toBe(chunks + 4);
    expect(await countOf('blobUploads')).toBe(0);
    const files = await filesOf(path);
    expect(files.map(({ name }) => name).toSorted()).toEqual(['a.bin', 'b.bin']);
    for (const file of files) {
      expect((await download(file)).equals(BYTES.subarray(1))).toBe(true);
    }

    await server.database.query
      .updateTable('changeRequests')
      .set({ status: 'merged' })
      .where('id', '=', path.changeRequestId)
      .execute();
    expect((await importFrom(`${website.url}/archive.zip`)).error).toMatchObject({
      status: 409,
      reason: 'change_request_merged',
    });
    expect(await countOf('blobChunks')).toBe(chunks + 4);
  });

  test('is sent by its thread in parts, and not with the result', async () => {
    archives.set('/large.zip', zip({ 'one.md': '[a](a.bin)', 'a.bin': Buffer.concat([BYTES, BYTES]) }));
    const parts: (Uint8Array | undefined)[] = [];
    const input = {
      source: 'zip' as const,
      url: `${website.url}/large.zip`,
      limits: DEFAULT_LIMITS,
      allow: '127.0.0.0/8',
      folder: tmpdir(),
      now: new Date(),
    };
    const output = await importTasks.importSource(input, {
      storePart: async (part) => void parts.push(part),
    });
    expect(output).not.toHaveProperty('bytes');
    expect(parts.map((part) => part?.byteLength)).toEqual([BATCH_BYTES, BATCH_BYTES, undefined]);
  });

  test('fails the import with the reason if it cannot be stored, and leaves no data behind', async () => {
    const files = {
      organization: 'org_a',
      add: async (parts: AsyncIterable<Uint8Array>) => {
        for await (const part of parts) {
          if (part.length > 1) {
            throw new Error('The disk is full.');
          }
        }
      },
    };
    // Only two of its members are used.
    using receiver = new FileReceiver(files as unknown as PendingFiles);
    await receiver.host.storePart(new Uint8Array(1));
    await expect(
      (async () => {
        for (;;) {
          await receiver.host.storePart(new Uint8Array(2));
        }
      })(),
    ).rejects.toThrow('The disk is full.');
    expect(receiver.failure).toMatchObject({ message: 'The disk is full.' });
  });
});
