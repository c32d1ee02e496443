import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import express from 'express';
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  FileTooLargeError,
  UPLOAD_LIFETIME_MS,
  uploadBlob,
} from '../../../server/content/store/blob-uploads.ts';
import { BATCH_BYTES, CHUNK_BYTES, findBlob, readBlob } from '../../../server/content/store/blobs.ts';
import { removeExpiredUploads } from '../../../server/content/store/expired-uploads.ts';
import { storeFiles } from '../../../server/content/store/files.ts';
import { sweepObjects } from '../../../server/content/store/sweep.ts';
import type { Database } from '../../../server/database/database.ts';
import { callerIdOf } from '../../../server/identity/caller.ts';
import { fileUrl } from '../../../server/platform/content/files/link.ts';
import { createFiles } from '../../../server/platform/content/files/routes.ts';
import { createResourceUrls } from '../../../server/platform/kit/resource-urls.ts';
import { NO_QUOTAS } from '../../../server/quotas/quotas.ts';
import type { TestDatabase } from '../../support/database/engines.ts';
import { SECRET_KEY } from '../../support/environment.ts';
import { userRow } from '../database/rows.ts';
import { newSpace, now, openContentDatabase } from '../store/fixture.ts';

const organization = 'org_a';
const reader = callerIdOf('usr_reader');
const memberRow = {
  role: 'read',
  disabled: 0,
  sso: 0,
  joinedAt: now.toISOString(),
  lastSeenAt: null,
} as const;
const clock = () => now;
const later = () => new Date(now.getTime() + UPLOAD_LIFETIME_MS);

let open: TestDatabase;
beforeAll(async () => {
  open = await openContentDatabase();
  await open.db.query.insertInto('users').values(userRow(reader)).execute();
  await open.db.query
    .insertInto('members')
    .values({ ...memberRow, organization, user: reader })
    .execute();
});
afterAll(() => open.close());

/** Bytes that differ from chunk to chunk, in pieces that do not match the chunks. */
function* pieces(size: number): Generator<Buffer> {
  for (let at = 0; at < size; ) {
    const length = Math.min(100_003, size - at);
    yield Buffer.alloc(length, `${at} `);
    at += length;
  }
}
const bytesOf = (size: number) => Buffer.concat([...pieces(size)]);
const services = () => ({ database: open.db, clock, objectStorage: undefined, quotas: NO_QUOTAS });
const upload = (source: Iterable<Uint8Array>) => uploadBlob(services(), organization, Readable.from(source));

const count = async (table: 'blobs' | 'blobChunks' | 'blobUploads') =>
  (await open.db.query.selectFrom(table).select('content').where('organization', '=', organization).execute())
    .length;

describe('a stored file', () => {
  test.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, BATCH_BYTES, 2 * BATCH_BYTES + 5])(
    'is returned unchanged: %i bytes',
    async (size) => {
      const bytes = bytesOf(size);
      const { hash, head, ...facts } = await upload(pieces(size));
      expect(facts.size).toBe(size);
      expect(hash).toBe(createHash('sha256').update(bytes).digest('base64url'));
      expect(bytes.subarray(0, BATCH_BYTES).equals(head)).toBe(true);
      expect(bytes.equals((await readBlob(services(), organization, hash)) ?? Buffer.from('-'))).toBe(true);
      expect(await count('blobUploads')).toBe(0);
    },
  );

  test('is stored once for any number of uploads', async () => {
    const size = 3 * CHUNK_BYTES;
    const [first, second] = await Promise.all([upload(pieces(size)), upload(pieces(size))]);
    const before = await count('blobChunks');
    expect((await upload(pieces(size))).hash).toBe(first.hash);
    expect(second.hash).toBe(first.hash);
    expect(await count('blobChunks')).toBe(before);
    expect(await count('blobUploads')).toBe(0);
  });

  test('is visible only once it is complete, and is deleted if it never is', async () => {
    const [blobs, chunks] = [await count('blobs'), await count('blobChunks')];
    const seen: number[][] = [];
    async function* source() {
      yield Buffer.alloc(2 * BATCH_BYTES, 'half');
      // Everything before is stored when more is read.
      seen.push([await count('blobs'), await count('blobChunks'), await count('blobUploads')]);
      throw new Error('the other side hung up');
    }
    const arrival = uploadBlob(services(), organization, source());
    await expect(arrival).rejects.toThrow('the other side hung up');
    expect(seen).toEqual([[blobs, chunks + (2 * BATCH_BYTES) / CHUNK_BYTES, 1]]);
    expect([await count('blobs'), await count('blobChunks'), await count('blobUploads')]).toEqual([
      blobs,
      chunks,
      0,
    ]);
  });

  test('is swept if its writer was killed, once it counts as abandoned', async () => {
    const [chunks, content] = [await count('blobChunks'), 'left by a killed process'];
    await open.db.query
      .insertInto('blobUploads')
      .values({ organization, content, object: null, expiresAt: later().toISOString() })
      .execute();
    for (let index = 0; index < 150; index++) {
      await open.db.query
        .insertInto('blobChunks')
        .values({ organization, content, index, data: Buffer.from('half') })
        .execute();
    }
    await removeExpiredUploads(open.db, organization, now);
    expect(await count('blobChunks')).toBe(chunks + 150);
    await removeExpiredUploads(open.db, organization, later());
    expect([await count('blobChunks'), await count('blobUploads')]).toEqual([chunks, 0]);
  });

  test('is rejected above the maximum size, and leaves no data behind', async () => {
    const chunks = await count('blobChunks');
    const arrival = uploadBlob(
      services(),
      organization,
      Readable.from(pieces(2 * BATCH_BYTES)),
      2 * BATCH_BYTES - 1,
    );
    await expect(arrival).rejects.toThrow(FileTooLargeError);
    expect(await count('blobChunks')).toBe(chunks);
  });

  test('is never in memory completely, nor in one transaction', async () => {
    let [produced, stored, most, transactions] = [0, 0, 0, 0];
    const database: Database = {
      query: open.db.query,
      threadAccess: open.db.threadAccess,
      inTurn: (key, attempt) => open.db.inTurn(key, attempt),
      watchWork: (onChange) => open.db.watchWork(onChange),
      load: () => open.db.load(),
      ready: () => open.db.ready(),
      close: () => open.db.close(),
      transaction: async (work) => {
        const result = await open.db.transaction(work);
        transactions++;
        stored = produced;
        return result;
      },
    };
    async function* file() {
      for (const piece of pieces(16 * BATCH_BYTES)) {
        produced += piece.byteLength;
        most = Math.max(most, produced - stored);
        yield piece;
      }
    }
    async function* files() {
      yield { oid: 'large', size: 16 * BATCH_BYTES, chunks: file() };
    }
    const files_ = await storeFiles({ ...services(), database }, organization, files(), () => undefined);
    expect(files_.get('large')?.size).toBe(16 * BATCH_BYTES);
    expect(most).toBeLessThan(BATCH_BYTES + 2 * CHUNK_BYTES);
    expect(transactions).toBeGreaterThanOrEqual(16);
  });

  test('is deleted chunk by chunk once no revision refers to it', async () => {
    const { hash } = await upload(pieces(BATCH_BYTES));
    const { blobs } = await sweepObjects(open.db, organization, clock);
    expect(blobs).toBeGreaterThan(0);
    expect(await findBlob(open.db.query, organization, hash)).toBeUndefined();
    expect([await count('blobs'), await count('blobChunks'), await count('blobUploads')]).toEqual([0, 0, 0]);
  });
});

describe('a large file that is served', () => {
  const Size = 256 * CHUNK_BYTES;
  const StallMs = 500;
  let server: Server;
  let address: string;
  let space: string;
  const expires = later().getTime();
  /** Statements that read chunks. */
  let reads = 0;
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (JSON.stringify(node).includes('"blobChunks"')) {
        reads++;
      }
      return node;
    },
    transformResult: async ({ result }) => result,
  };

  beforeAll(async () => {
    const { hash: blob } = await upload(pieces(Size));
    const database: Database = {
      query: open.db.query.withPlugin(counting),
      threadAccess: open.db.threadAccess,
      transaction: (work) => open.db.transaction(work),
      inTurn: (key, attempt) => open.db.inTurn(key, attempt),
      watchWork: (onChange) => open.db.watchWork(onChange),
      load: () => open.db.load(),
      ready: () => open.db.ready(),
      close: () => open.db.close(),
    };
    const app = express().disable('etag');
    app.use(createFiles({ ...services(), database, secretKey: SECRET_KEY }, { stallMs: StallMs }));
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    // The address of a listening TCP server is never a string or null.
    const { port } = server.address() as AddressInfo;
    ({ space } = await newSpace(organization));
    const link = {
      reader,
      space,
      blob,
      name: 'large.bin',
      contentType: 'application/octet-stream',
      expires,
    };
    address = fileUrl(link, SECRET_KEY, createResourceUrls(`http://127.0.0.1:${port}`));
  });
  beforeEach(() => {
    reads = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test.each([
    ['one byte', { range: `bytes=${100 * CHUNK_BYTES + 7}-${100 * CHUNK_BYTES + 7}` }, 206, 1],
    ['the last byte', { range: 'bytes=-1' }, 206, 1],
    ['two bytes over a border', { range: `bytes=${CHUNK_BYTES - 1}-${CHUNK_BYTES}` }, 206, 2],
    ['nothing of it', { range: `bytes=${Size}-` }, 416, 0],
  ] as const)('is read only as far as it is sent: %s', async (_, headers, status, chunks) => {
    const response = await fetch(address, { headers });
    expect(response.status).toBe(status);
    const body = Buffer.from(await response.arrayBuffer());
    const [, first, last] = /bytes (\d+)-(\d+)\//.exec(response.headers.get('content-range') ?? '') ?? [];
    const expected = first === undefined ? '' : bytesOf(Size).subarray(Number(first), Number(last) + 1);
    expect(body.equals(Buffer.from(expected))).toBe(true);
    expect(reads).toBe(chunks);
  });

  test('is not read for HEAD or for a caller that has it', async () => {
    const head = await fetch(address, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(Size));
    const headers = { 'if-none-match': head.headers.get('etag') ?? '' };
    expect((await fetch(address, { headers })).status).toBe(304);
    expect(reads).toBe(0);
  });

  test('is sent completely, with each chunk read once', async () => {
    const hash = createHash('sha256');
    // A response of fetch with a body, which its type does not express.
    for await (const chunk of (await fetch(address)).body as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
    }
    expect(address).toContain(hash.digest('base64url'));
    expect(reads).toBe(Size / CHUNK_BYTES);
  });

  test('waits for a slow reader, and disconnects one that reads nothing', async () => {
    const incoming = once(server, 'request');
    const requested = request(address, { agent: false }).end();
    // A response that nobody reads: its bytes fill the sockets, and then no more are read for it.
    const [response] = await once(requested, 'response');
    const [, sent] = await incoming;
    if (!sent.destroyed) {
      await once(sent, 'close');
    }
    expect(sent.writableFinished).toBe(false);
    expect(reads).toBeLessThan(Size / CHUNK_BYTES / 2);
    // At most the chunk that was not sent is in memory.
    expect(sent.writableLength).toBeLessThanOrEqual(2 * CHUNK_BYTES);
    response.destroy();
  });

  test('is not cached if it cannot be read', async () => {
    const { hash: blob } = await upload([Buffer.from('damaged')]);
    const content = (await findBlob(open.db.query, organization, blob))?.content ?? '';
    await open.db.query.deleteFrom('blobChunks').where('content', '=', content).execute();
    const link = { reader, space, blob, name: 'damaged.txt', contentType: 'text/plain', expires };
    const response = await fetch(fileUrl(link, SECRET_KEY, createResourceUrls(new URL(address).origin)));
    expect(response.status).toBe(500);
    for (const name of ['cache-control', 'etag', 'content-disposition']) {
      expect(response.headers.get(name)).toBeNull();
    }
  });
});
