import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import {
  CACHED_PDF_LIFETIME_MS,
  findPrintedPdf,
  MAX_CACHED_PDFS_PER_ORGANIZATION,
  storePrintedPdf,
} from '../../../server/content/store/printed-pdfs.ts';
import { sweepObjects } from '../../../server/content/store/sweep.ts';
import { addPages, createBranch } from '../../support/content/branch-pages.ts';
import { createComputedSpace } from '../../support/content/computed-pages.ts';
import { addVersion, createSpecification, PET_STORE } from '../../support/content/specifications.ts';
import { isFirstEngine, openTestDatabase, type TestDatabase } from '../../support/database/engines.ts';
import { readPdf } from '../../support/pdf/pdf.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Creates a change request with pages of these texts, and returns the URL of its PDF. */
async function branchWith(texts: string[]) {
  const branch = await createBranch(server.admin, server.organization);
  await addPages(branch, texts);
  return { ...branch, url: () => urlOf(branch) };
}

async function urlOf({ spaceId, changeRequestId }: { spaceId: string; changeRequestId: string }) {
  const params = { path: { spaceId, changeRequestId } };
  const { url } = await ok(
    server.admin.client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf', { params }),
  );
  return url;
}

const cached = (spaceId: string) =>
  server.database.query
    .selectFrom('printedPdfs')
    .select(['content', 'size'])
    .where('space', '=', spaceId)
    .execute();

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('a PDF', () => {
  test('is printed once per revision, and then served like a file', async () => {
    const { spaceId, url } = await branchWith(['Some text']);
    const first = await fetch(await url());
    expect(first.headers.get('etag')).toBeNull();
    const bytes = await bytesOf(first);
    expect(await cached(spaceId)).toMatchObject([{ size: bytes.length }]);
    // Another URL of the same revision.
    const second = await fetch(await url());
    expect(second.headers.get('content-length')).toBe(String(bytes.length));
    expect(second.headers.get('cache-control')).toBe('private, no-cache');
    expect((await bytesOf(second)).equals(bytes)).toBe(true);
    const tag = second.headers.get('etag') ?? '';
    expect(tag).not.toBe('');
    const head = await fetch(await url(), { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
    const again = await fetch(await url(), { headers: { 'If-None-Match': tag } });
    expect(again.status).toBe(304);
    const part = await fetch(await url(), { headers: { Range: 'bytes=5-14' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 5-14/${bytes.length}`);
    expect((await bytesOf(part)).equals(bytes.subarray(5, 15))).toBe(true);
    expect(await cached(spaceId)).toHaveLength(1);
  });

  test.runIf(isFirstEngine)('is printed once for simultaneous requests', async () => {
    const { spaceId, url } = await branchWith(['Some text '.repeat(2000)]);
    const address = await url();
    const all = await Promise.all([1, 2, 3].map(async () => await bytesOf(await fetch(address))));
    expect(new Set(all.map((bytes) => bytes.toString('latin1'))).size).toBe(1);
    expect(await cached(spaceId)).toHaveLength(1);
    const { uploads } = await server.database.query
      .selectFrom('blobUploads')
      .select(({ fn }) => fn.countAll().as('uploads'))
      .where('content', 'not in', (pdfs) => pdfs.selectFrom('printedPdfs').select('content'))
      .executeTakeFirstOrThrow();
    expect(Number(uploads)).toBe(0);
  });

  test.runIf(isFirstEngine)('is printed again when the space is renamed, or a page is changed', async () => {
    const { url, ...branch } = await branchWith(['Some text']);
    const { client, spaceId } = branch;
    const read = async () => await readPdf(await bytesOf(await fetch(await url())));
    const before = await read();
    await ok(
      client.PATCH('/v1/spaces/{spaceId}', { params: { path: { spaceId } }, body: { title: 'Renamed' } }),
    );
    expect((await read()).title).toBe('Renamed');
    await addPages(branch, ['Another text']);
    expect((await read()).pages.length).toBeGreaterThan(before.pages.length);
  });

  test.runIf(isFirstEngine)('is printed again when a specification has another version', async () => {
    await createSpecification(server.admin, server.organization, 'printed');
    const { id: spaceId } = await createComputedSpace(server, 'printed');
    const { id: changeRequestId } = await ok(
      server.admin.client.POST('/v1/spaces/{spaceId}/change-requests', {
        params: { path: { spaceId } },
        body: {},
      }),
    );
    const text = async () => {
      const { pages } = await readPdf(await bytesOf(await fetch(await urlOf({ spaceId, changeRequestId }))));
      return pages.map((page) => page.text).join('\n');
    };
    expect(await text()).toContain('Pet store');
    expect(await text()).toContain('Pet store');
    await addVersion(server.admin, server.organization, 'printed', 'Animal shop');
    expect(await text()).toContain('Animal shop');
    expect(await cached(spaceId)).toHaveLength(1);
  });

  test.runIf(isFirstEngine)('shows operations of specifications, in their latest version', async () => {
    await createSpecification(server.admin, server.organization, 'shown');
    const block =
      '{% openapi-operation spec="shown" path="/pets" method="get" %}\n[pets](https://example.com)\n{% endopenapi-operation %}';
    const missing = block.replace('"shown"', '"gone"').replace('/pets', '/boats');
    const { url } = await branchWith([
      `Before\n\n{% hint style="info" %}\n${block}\n{% endhint %}\n\n${missing}`,
    ]);
    const text = async () => {
      const { pages } = await readPdf(await bytesOf(await fetch(await url())));
      return pages.map((page) => page.text).join('\n');
    };
    const first = await text();
    for (const part of ['GET', '/pets', 'limit', 'How many', '200', 'The pets.', '/boats']) {
      expect(first).toContain(part);
    }
    await addVersion(
      server.admin,
      server.organization,
      'shown',
      'Pet store',
      PET_STORE.replace('How many', 'How few'),
    );
    expect(await text()).toContain('How few');
  });

  test.runIf(isFirstEngine)('is no longer printed when its only reader hangs up', async () => {
    const long = await branchWith(
      Array.from({ length: 30 }, (_, at) => `Text ${at} of *many* pages.\n\n`.repeat(3000)),
    );
    const short = await branchWith(['Some text']);
    const hangUp = new AbortController();
    const response = await fetch(await long.url(), { signal: hangUp.signal });
    const first = await response.body?.getReader().read();
    expect(Buffer.from(first?.value ?? []).toString('latin1')).toMatch(/^%PDF/);
    hangUp.abort();
    // On two processors, an organization has one thread for PDFs.
    const next = await fetch(await short.url());
    expect(next.status).toBe(200);
    await next.arrayBuffer();
    expect(await cached(short.spaceId)).toHaveLength(1);
    expect(await cached(long.spaceId)).toEqual([]);
  });
});

describe('the cache of PDFs', () => {
  let open: TestDatabase;
  let now = new Date('2026-01-01');
  const clock = () => now;
  beforeAll(async () => {
    open = await openTestDatabase();
  });
  afterAll(() => open.close());

  const store = async (organization: string, key: string, bytes = 'PDF') => {
    now = new Date(now.getTime() + 1);
    const source = (async function* () {
      yield Buffer.from(bytes);
    })();
    await storePrintedPdf({ database: open.db, clock }, { organization, key, space: 'space' }, [], source);
  };
  const find = (organization: string, key: string) =>
    findPrintedPdf({ database: open.db, clock }, { organization, key });
  const count = async (table: 'printedPdfs' | 'blobChunks' | 'blobUploads', organization: string) =>
    (
      await open.db.query
        .selectFrom(table)
        .select('content')
        .where('organization', '=', organization)
        .execute()
    ).length;

  test('is bounded per organization, and removes the least recently used PDFs', async () => {
    const { pdfs } = MAX_CACHED_PDFS_PER_ORGANIZATION;
    await store('small', 'kept');
    await store('large', 'first');
    await store('large', 'second');
    // A use is noted once per hour.
    now = new Date(now.getTime() + 2 * 3_600_000);
    expect(await find('large', 'first')).toMatchObject({ size: 3 });
    for (let at = 0; at < pdfs - 1; at++) {
      await store('large', `another ${at}`);
    }
    expect(await count('printedPdfs', 'large')).toBe(pdfs);
    expect(await find('large', 'first')).toBeDefined();
    expect(await find('large', 'second')).toBeUndefined();
    expect(await find('small', 'kept')).toBeDefined();
    // The bytes of the removed PDF are deleted with the next one that is cached, once its readers are done.
    now = new Date(now.getTime() + 3_600_000);
    await store('large', 'another 0');
    expect(await count('blobChunks', 'large')).toBe(await count('blobUploads', 'large'));
    expect(await count('blobUploads', 'large')).toBeLessThanOrEqual(pdfs + 1);
  });

  test('forgets PDFs after their lifetime', async () => {
    await store('old', 'a');
    now = new Date(now.getTime() + CACHED_PDF_LIFETIME_MS);
    expect(await find('old', 'a')).toBeUndefined();
    await store('old', 'b');
    expect(await count('printedPdfs', 'old')).toBe(1);
  });

  test('replaces a PDF', async () => {
    await store('same', 'a', 'one');
    await store('same', 'a', 'another');
    expect(await find('same', 'a')).toMatchObject({ size: 7 });
    expect(await count('printedPdfs', 'same')).toBe(1);
  });

  test('is emptied of purged spaces by a sweep', async () => {
    await store('purged', 'a');
    await sweepObjects(open.db, 'purged', clock);
    expect(await find('purged', 'a')).toBeUndefined();
    expect([await count('blobChunks', 'purged'), await count('blobUploads', 'purged')]).toEqual([0, 0]);
  });
});
