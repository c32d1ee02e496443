import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeRevision } from '../../../server/content/new-revision.ts';
import { readBlob, storeBlobs } from '../../../server/content/store/blobs.ts';
import { openContent } from '../../../server/content/store/content.ts';
import {
  activateRevision,
  copyRevision,
  findRevision,
  type RevisionRow,
} from '../../../server/content/store/revisions.ts';
import { textObject } from '../../../server/content/tree/objects.ts';
import { NO_QUOTAS } from '../../../server/quotas/quotas.ts';
import type { TestDatabase } from '../../support/database/engines.ts';
import { countRows, createId, facts, newSpace, now, openContentDatabase, page, write } from './fixture.ts';

let open: TestDatabase;
beforeAll(async () => {
  open = await openContentDatabase();
});
afterAll(() => open.close());

describe('a revision', () => {
  test('of a new space has no pages, no files and no variables', async () => {
    const content = await openContent(open.db.query, await newSpace());
    expect(await content.readTree()).toEqual([]);
    expect(await content.listFiles()).toEqual([]);
    expect(await content.readReusableContents()).toEqual([]);
    expect(await content.readVariables()).toEqual({});
    expect(await content.readPage('p')).toBeUndefined();
  });

  test('returns the tree, one page with its path and descendants, and its body', async () => {
    const revision = await write(
      await newSpace(),
      [
        page('top', null, 'guide'),
        page('mid', 'top', 'setup'),
        page('low', 'mid', 'linux', 'Use *apt*.'),
        page('other', null),
      ],
      ['Use *apt*.'],
    );
    const content = await openContent(open.db.query, revision);
    const tree = await content.readTree();
    expect(tree.map(({ path }) => path)).toEqual(['guide', 'other']);
    const mid = await (await openContent(open.db.query, revision)).readPage('mid');
    expect(mid?.path).toBe('guide/setup');
    expect(mid).toEqual(tree[0]?.pages[0]);
    expect(mid?.pages.map(({ path, record }) => [path, record.id])).toEqual([['guide/setup/linux', 'low']]);
    expect((await content.findPage('guide/setup/linux'))?.record.id).toBe('low');
    expect(await content.findPage('guide/nothing')).toBeUndefined();
    const low = (await content.readPages(['low'])).get('low');
    expect(low && (await content.readBody(low))).toBe('Use *apt*.');
  });

  test('is unchanged when another one is created from it', async () => {
    const first = await write(await newSpace(), [page('a', null), page('b', null)]);
    const second = await write(first, [{ ...page('a', null), title: 'renamed' }, page('b', null)]);
    const title = async (revision: RevisionRow) =>
      (await (await openContent(open.db.query, revision)).readPage('a'))?.record.title;
    expect(await title(first)).toBe('a');
    expect(await title(second)).toBe('renamed');
    expect(await findRevision(open.db.query, first.space, second.id)).toEqual(second);
    expect(await findRevision(open.db.query, 'another', second.id)).toBeUndefined();
  });

  test('becomes current only if the expected one is', async () => {
    const first = await newSpace();
    const [mine, theirs] = [await write(first, [page('a', null)]), await write(first, [page('b', null)])];
    const activate = (revision: RevisionRow) =>
      open.db.transaction((trx) => activateRevision(trx, { revision, expected: first.id, addedPages: 0 }));
    expect(await activate(mine)).toBe(true);
    expect(await activate(theirs)).toBe(false);
    const { revision } = await open.db.query
      .selectFrom('spaces')
      .select('revision')
      .where('id', '=', first.space)
      .executeTakeFirstOrThrow();
    expect(revision).toBe(mine.id);
  });

  test('is copied to another space in one row', async () => {
    const source = await write(
      await newSpace(),
      Array.from({ length: 300 }, (_, n) => page(`c${n}`, null)),
    );
    const target = await newSpace();
    const before = [await countRows('objects', 'org_a'), await countRows('revisions', 'org_a')];
    const copy = await open.db.transaction((trx) =>
      copyRevision(trx, source, {
        id: createId('rev'),
        organization: 'org_a',
        space: target.space,
        createdBy: null,
        now,
      }),
    );
    expect([await countRows('objects', 'org_a'), await countRows('revisions', 'org_a')]).toEqual([
      before[0],
      (before[1] ?? 0) + 1,
    ]);
    expect(await (await openContent(open.db.query, copy)).readTree()).toHaveLength(300);
  });
});

describe('one changed page', () => {
  test.each([100, 1000, 10_000])('of %i stores its text and the nodes above it', async (count) => {
    const pages = Array.from({ length: count }, (_, n) => page(`p${n}`, null, `p${n}`, 'same'));
    const base = await write(await newSpace(), pages, ['same']);
    const before = await countRows('objects', 'org_a');
    const changed = page('p7', null, 'p7', `changed among ${count}`);
    await open.db.transaction((trx) =>
      writeRevision(trx, {
        ...facts(base),
        type: 'edits',
        base,
        change: {
          pages: new Map([[changed.id, changed]]),
          texts: [textObject(`changed among ${count}`)],
        },
      }),
    );
    const rows = (await countRows('objects', 'org_a')) - before;
    // The text, the root, and at most four nodes.
    expect(rows).toBeLessThanOrEqual(6);
  });
});

describe('files', () => {
  test('are stored once for any number of references', async () => {
    const bytes = new TextEncoder().encode('a file of two spaces');
    const before = await countRows('blobs', 'org_a');
    const [hash] = await open.db.transaction((trx) => storeBlobs(trx, NO_QUOTAS, 'org_a', [bytes]));
    const again = await open.db.transaction((trx) => storeBlobs(trx, NO_QUOTAS, 'org_a', [bytes, bytes]));
    expect(again).toEqual([hash, hash]);
    expect((await countRows('blobs', 'org_a')) - before).toBe(1);
    const read = await readBlob({ database: open.db, objectStorage: undefined }, 'org_a', hash ?? '');
    expect(read && new Uint8Array(read)).toEqual(bytes);
    expect(
      await readBlob({ database: open.db, objectStorage: undefined }, 'org_b', hash ?? ''),
    ).toBeUndefined();
  });
});
