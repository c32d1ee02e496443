import { randomBytes } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ok } from '../../client/index.ts';
import type { components } from '../../generated/schema.d.ts';
import { CHUNK_BYTES } from '../../server/content/store/blobs.ts';
import {
  FetchTurns,
  MAX_FILE_FETCHES_PER_ORGANIZATION,
  MAX_WAITING_FILE_FETCHES_PER_ORGANIZATION,
} from '../../server/resources/editing/fetch-turns.ts';
import { createSpace } from '../support/imports.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

type NewFile = components['schemas']['NewFile'];

const BYTES = randomBytes(4 * CHUNK_BYTES);

let server: TestServer;
let elsewhere: Server;
let address: string;
/** Responses of `/slow` that have sent everything but their end. */
const slow: ServerResponse[] = [];

beforeAll(async () => {
  server = await startTestServer();
  elsewhere = createServer((request, response) => {
    if (request.url === '/file') response.end(BYTES);
    else if (request.url === '/slow') {
      response.write(BYTES);
      response.write(BYTES.subarray(1));
      slow.push(response);
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  // It listens on a port.
  address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});
afterAll(async () => {
  elsewhere.closeAllConnections();
  elsewhere.close();
  await server.stop();
});

/** A change request of a new space. */
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
type Place = Awaited<ReturnType<typeof start>>;

const insert = (path: Place, files: NewFile[], signal?: AbortSignal) =>
  server.admin.client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
    params: { path },
    body: { changes: [{ operation: 'insert_files', files }] },
    ...(signal && { signal }),
  });

const filesOf = async (path: Place) =>
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
  it('is stored as it is, up to the size that a body may have', async () => {
    const path = await start();
    const bytes = randomBytes(12_000_000);
    await ok(insert(path, [{ name: 'a.bin', base64: bytes.toString('base64') }]));
    const [file] = await filesOf(path);
    expect(file?.size).toBe(bytes.byteLength);
    expect((await download(file)).equals(bytes)).toBe(true);
    expect(await countOf('blobUploads')).toBe(0);
  });

  it.each(['AAA', 'AAAA\n####', 'AAA=AAAA', 'A===', '=', '_-_-'])('is refused as %j', async (base64) => {
    expect((await insert(await start(), [{ name: 'a.bin', base64 }])).response.status).toBe(400);
  });
});

describe('a file that is fetched', () => {
  it('is stored while it arrives', async () => {
    const path = await start();
    const chunks = await countOf('blobChunks');
    const inserting = insert(path, [{ name: 'a.bin', url: `${address}/slow` }]);
    await vi.waitFor(async () => expect(await countOf('blobChunks')).toBe(chunks + 4), { timeout: 20_000 });
    expect(await filesOf(path)).toEqual([]);
    slow.pop()?.end();
    await ok(inserting);
    const [file] = await filesOf(path);
    expect((await download(file)).equals(Buffer.concat([BYTES, BYTES.subarray(1)]))).toBe(true);
    expect(await countOf('blobUploads')).toBe(0);
  });

  it('is stored once', async () => {
    const path = await start();
    const file = { name: 'a.bin', url: `${address}/file` };
    await ok(insert(path, [file, file]));
    const [blobs, chunks] = [await countOf('blobs'), await countOf('blobChunks')];
    await ok(insert(path, [file]));
    expect(await filesOf(path)).toHaveLength(3);
    expect([await countOf('blobs'), await countOf('blobChunks')]).toEqual([blobs, chunks]);
    expect(await countOf('blobUploads')).toBe(0);
  });

  it('leaves nothing where the request fails, or its caller hangs up', async () => {
    const path = await start();
    const before = [await countOf('blobs'), await countOf('blobChunks')];
    const expectNothing = async () => {
      expect([await countOf('blobs'), await countOf('blobChunks')]).toEqual(before);
      expect(await countOf('blobUploads')).toBe(0);
    };
    const base64 = randomBytes(2 * CHUNK_BYTES).toString('base64');
    const { error } = await insert(path, [
      { name: 'a.bin', base64 },
      { name: 'b.bin', url: `${address}/missing` },
    ]);
    expect(error).toMatchObject({ error: { code: 400, details: [{ path: 'changes.0.files.1.url' }] } });
    await expectNothing();

    const caller = new AbortController();
    const inserting = insert(path, [{ name: 'a.bin', url: `${address}/slow` }], caller.signal);
    await vi.waitFor(async () => expect(await countOf('blobUploads')).toBe(1), { timeout: 20_000 });
    caller.abort();
    await expect(inserting).rejects.toThrow();
    await vi.waitFor(expectNothing, { timeout: 20_000 });
  });
});

describe('turns to fetch files', () => {
  it('are shared by organizations, and refused where too many wait', async () => {
    const turns = new FetchTurns();
    const held = await Promise.all(
      Array.from({ length: MAX_FILE_FETCHES_PER_ORGANIZATION }, () => turns.enter('org_a')),
    );
    const waiting = Array.from({ length: MAX_WAITING_FILE_FETCHES_PER_ORGANIZATION }, () =>
      turns.enter('org_a'),
    );
    await expect(turns.enter('org_a')).rejects.toMatchObject({ status: 503 });
    (await turns.enter('org_b'))[Symbol.dispose]();
    for (const turn of held) turn[Symbol.dispose]();
    for (const turn of waiting) (await turn)[Symbol.dispose]();
  });
});
