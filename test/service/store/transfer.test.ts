import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BATCH_BYTES, readBlob } from '../../../server/content/store/blobs.ts';
import { openContent } from '../../../server/content/store/content.ts';
import { copyAhead } from '../../../server/content/store/copy-ahead.ts';
import { transferSpaceContent } from '../../../server/content/store/organization-transfer.ts';
import { findRevision, type RevisionRow } from '../../../server/content/store/revisions.ts';
import { sweepObjects } from '../../../server/content/store/sweep.ts';
import type { Database, Queries, Transaction } from '../../../server/database/database.ts';
import { NO_QUOTAS } from '../../../server/quotas/quotas.ts';
import { document, file, imported } from '../../support/content/imported-content.ts';
import type { TestDatabase } from '../../support/database/engines.ts';
import { countRows, importInto, newSpace, now, openContentDatabase, page, write } from './fixture.ts';

const PAGES = 600;
const LARGE = Buffer.alloc(3 * BATCH_BYTES + 1, 'large');

let open: TestDatabase;
beforeAll(async () => {
  open = await openContentDatabase();
});
afterAll(() => open.close());

/** Creates a space of many pages with 12 MB of text, small files and a large one. */
async function largeSpace(): Promise<RevisionRow> {
  const content = imported({
    pages: Array.from({ length: PAGES }, (_, at) =>
      document(`page-${at}.md`, { markdown: `Text of ${at}. `.repeat(1500) }),
    ),
    files: [
      file('large.bin', 'oid-large'),
      ...Array.from({ length: 30 }, (_, at) => file(`${at}.png`, `oid-${at}`)),
    ],
  });
  const { revision } = await importInto(await newSpace(), content, now, (oid) =>
    oid === 'oid-large' ? LARGE : Buffer.alloc(100_000, oid),
  );
  return revision;
}

/** Returns the bytes of texts and files of an organization. */
async function bytesIn(queries: Queries, organization: string): Promise<number> {
  const { rows } = await sql<{ objects: number | string; chunks: number | string }>`select
    (select coalesce(sum(octet_length(data)), 0) from objects where organization = ${organization}) as objects,
    (select coalesce(sum(octet_length(data)), 0) from ${sql.ref('blobChunks')} where organization = ${organization}) as chunks`.execute(
    queries,
  );
  return Number(rows[0]?.objects) + Number(rows[0]?.chunks);
}

/** The database, and the additions of each of its transactions to org_b. */
function measured(): { database: Database; added: number[] } {
  const added: number[] = [];
  const database: Database = Object.create(open.db, {
    transaction: {
      value: (work: (trx: Transaction) => Promise<unknown>) =>
        open.db.transaction(async (trx) => {
          const before = await bytesIn(trx, 'org_b');
          const result = await work(trx);
          added.push((await bytesIn(trx, 'org_b')) - before);
          return result;
        }),
    },
  });
  return { database, added };
}

async function expectReadable(before: RevisionRow): Promise<void> {
  const moved = await findRevision(open.db.query, before.space, before.id);
  expect(moved?.organization).toBe('org_b');
  if (!moved) {
    return;
  }
  const content = await openContent(open.db.query, moved);
  const tree = await content.readTree();
  expect(tree).toHaveLength(PAGES);
  for (const { record } of tree.slice(0, 20)) {
    expect(await content.readBody(record)).toMatch(/^Text of/);
  }
  const files = await content.listFiles();
  expect(files).toHaveLength(31);
  for (const { blob, name } of files) {
    const bytes = await readBlob({ database: open.db, objectStorage: undefined }, 'org_b', blob);
    expect(bytes?.length).toBe(name === 'large.bin' ? LARGE.length : 100_000);
    if (name === 'large.bin') {
      expect(LARGE.equals(bytes ?? Buffer.alloc(0))).toBe(true);
    }
  }
}

describe('content that is transferred', () => {
  let revision: RevisionRow;
  beforeEach(async () => {
    await open.db.query.deleteFrom('revisions').where('organization', '=', 'org_b').execute();
    await sweepObjects(open.db, 'org_b', () => now);
    revision = await largeSpace();
  });

  const services = (database: Database) => ({
    database,
    clock: () => now,
    objectStorage: undefined,
    quotas: NO_QUOTAS,
  });
  const transfer = (copied?: Awaited<ReturnType<typeof copyAhead>>) => {
    const { database, added } = measured();
    return database
      .transaction((trx) => transferSpaceContent(trx, NO_QUOTAS, [revision.space], 'org_a', 'org_b', copied))
      .then(() => added[0]);
  };

  test('is copied ahead in small transactions, and not in the one that transfers it', async () => {
    const { database, added } = measured();
    const copied = await copyAhead(services(database), [revision.space], 'org_a', 'org_b');
    const all = await bytesIn(open.db.query, 'org_b');
    expect(all).toBeGreaterThan(15 * BATCH_BYTES);
    expect(Math.max(...added)).toBeLessThanOrEqual(BATCH_BYTES);
    expect(await transfer(copied)).toBe(0);
    await expectReadable(revision);
  });

  test('includes writes during the copy, and copies only those again', async () => {
    const copied = await copyAhead(services(open.db), [revision.space], 'org_a', 'org_b');
    const later = await write(
      revision,
      [page('new', null, 'new', 'Written meanwhile.')],
      ['Written meanwhile.'],
    );
    const added = await transfer(copied);
    expect(added).toBeGreaterThan(0);
    expect(added).toBeLessThan(BATCH_BYTES);
    await expectReadable(revision);
    const moved = await findRevision(open.db.query, later.space, later.id);
    const content = moved && (await openContent(open.db.query, moved));
    expect(await content?.readBody(page('new', null, 'new', 'Written meanwhile.'))).toBe(
      'Written meanwhile.',
    );
  });

  test('is complete if a sweep deletes the copies before the transfer', async () => {
    const copied = await copyAhead(services(open.db), [revision.space], 'org_a', 'org_b');
    expect((await sweepObjects(open.db, 'org_b', () => now)).objects).toBeGreaterThan(PAGES);
    expect(await transfer(copied)).toBeGreaterThan(15 * BATCH_BYTES);
    await expectReadable(revision);
  });

  test('leaves no data behind if the transfer does not happen', async () => {
    await copyAhead(services(open.db), [revision.space], 'org_a', 'org_b');
    await sweepObjects(open.db, 'org_b', () => now);
    expect(await countRows('objects', 'org_b')).toBe(0);
    expect(await countRows('blobs', 'org_b')).toBe(0);
    expect(await bytesIn(open.db.query, 'org_b')).toBe(0);
    expect((await openContent(open.db.query, revision)).roots.pages).not.toBeNull();
  });

  test('is copied by the transfer if a sweep deleted it during the copy', async () => {
    const { database } = measured();
    const sweeping: Database = Object.create(database, {
      transaction: {
        value: async (work: (trx: Transaction) => Promise<unknown>) => {
          await open.db.query.deleteFrom('revisions').where('space', '=', revision.space).execute();
          await sweepObjects(open.db, 'org_a', () => now);
          return await database.transaction(work);
        },
      },
    });
    expect(await copyAhead(services(sweeping), [revision.space], 'org_a', 'org_b')).toBeUndefined();
  });
});
