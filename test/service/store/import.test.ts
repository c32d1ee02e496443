import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { indexSpace } from '../../../server/content/search.ts';
import { MAX_FILE_BYTES, readBlob } from '../../../server/content/store/blobs.ts';
import { openContent } from '../../../server/content/store/content.ts';
import { transferSpaceContent } from '../../../server/content/store/organization-transfer.ts';
import { activateRevision, copyRevision, type RevisionRow } from '../../../server/content/store/revisions.ts';
import { changedPages } from '../../../server/content/tree/changes.ts';
import { NO_QUOTAS } from '../../../server/quotas/quotas.ts';
import { document, file, group, imported } from '../../support/content/imported-content.ts';
import type { TestDatabase } from '../../support/database/engines.ts';
import {
  countRows,
  facts,
  importInto,
  later,
  newSpace,
  now,
  openContentDatabase,
  sample,
} from './fixture.ts';

let open: TestDatabase;
beforeAll(async () => {
  open = await openContentDatabase();
});
afterAll(() => open.close());

describe('an import', () => {
  test('creates pages, files and references between them', async () => {
    const { revision, changes, content } = await importInto(await newSpace(), sample());
    const read = await openContent(open.db.query, revision);
    const [readme, guides] = await read.readTree();
    expect(await content.readTree()).toEqual(await read.readTree());
    const [setup, toSetup] = guides?.pages ?? [];
    expect(setup?.pages.map(({ path }) => path)).toEqual(['guides/setup/linux']);
    expect(toSetup?.record).toMatchObject({ target: { kind: 'page', page: setup?.record.id } });
    const files = await read.listFiles();
    const a = files.find(({ name }) => name === 'a.png');
    expect(readme?.record).toMatchObject({
      cover: { ref: { kind: 'file', file: a?.id }, yPos: 3 },
      createdAt: now.toISOString(),
    });
    expect(readme?.record.updatedAt).toBeUndefined();
    expect(a).toMatchObject({ size: 5, dimensions: { width: 2, height: 1 }, contentType: 'image/png' });
    const bytes = a && (await readBlob({ database: open.db, objectStorage: undefined }, 'org_a', a.blob));
    expect(bytes && new TextDecoder().decode(bytes)).toBe('oid-a');
    expect(await read.readVariables()).toEqual({ product: 'Colophon' });
    expect(changes.added).toHaveLength(5);
  });

  test('skips a file that is too large, and reports it', async () => {
    const tooLarge = { ...file('img/huge.png', 'oid-huge'), size: MAX_FILE_BYTES + 1 };
    const largest = { ...file('img/largest.png', 'oid-largest'), size: MAX_FILE_BYTES };
    const content = imported({ ...sample(), files: [...sample().files, tooLarge, largest] });
    const { revision, fetched, problems } = await importInto(await newSpace(), content);
    expect(fetched).toContain('oid-largest');
    expect(fetched).not.toContain('oid-huge');
    expect(problems).toEqual([
      {
        path: 'img/huge.png',
        reason: 'too_large',
        message: expect.stringContaining(`exceeds ${MAX_FILE_BYTES} bytes`),
      },
    ]);
    const read = await openContent(open.db.query, revision);
    expect((await read.listFiles()).map(({ name }) => name).sort()).toEqual([
      'a.png',
      'b.png',
      'largest.png',
    ]);
    expect(await read.readTree()).toHaveLength(2);
  });

  test('of the same content changes nothing, reads no file and stores no content', async () => {
    const first = await importInto(await newSpace(), sample());
    const before = await countRows('objects', 'org_a');
    const again = await importInto(first.revision, sample(), later);
    expect(again.revision.root).toBe(first.revision.root);
    expect(again.changes).toEqual({ added: [], changed: [], removed: [], repathed: [] });
    expect(again.fetched).toEqual([]);
    expect(await countRows('objects', 'org_a')).toBe(before);
  });

  test('keeps ids, dates edits, and reports added, changed, removed and moved pages', async () => {
    const first = await importInto(await newSpace(), sample());
    const id = (path: string) => idOf(first.content, path);
    const next = imported({
      ...sample(),
      pages: [
        document('README.md', { markdown: 'edited' }),
        group('group:Guides', [
          document('guides/setup.md', { slug: 'install', pages: [document('guides/setup/linux.md')] }),
          document('guides/new.md'),
        ]),
      ],
      files: [file('img/a.png', 'oid-c')],
    });
    const second = await importInto(first.revision, next, later);
    const [readme, setup, linux, added] = await Promise.all([
      idOf(second.content, 'readme'),
      idOf(second.content, 'guides/install'),
      idOf(second.content, 'guides/install/linux'),
      idOf(second.content, 'guides/new'),
    ]);
    expect([readme, setup, linux]).toEqual(
      await Promise.all([id('readme'), id('guides/setup'), id('guides/setup/linux')]),
    );
    expect(second.changes.added).toEqual([added]);
    expect(new Set(second.changes.changed)).toEqual(new Set([readme, setup]));
    expect(second.changes.repathed).toEqual([linux]);
    expect(second.changes.removed).toHaveLength(1);
    const records = await second.content.readPages([readme, linux, added]);
    expect(records.get(readme)).toMatchObject({
      createdAt: now.toISOString(),
      updatedAt: later.toISOString(),
    });
    expect(records.get(linux)?.updatedAt).toBeUndefined();
    expect(records.get(added)).toMatchObject({ createdAt: later.toISOString() });
    expect(second.fetched).toEqual(['oid-c']);
    const [before, after] = [await first.content.listFiles(), await second.content.listFiles()];
    expect(after.map(({ id }) => id)).toEqual([before.find(({ name }) => name === 'a.png')?.id]);
    const opened = await openContent(open.db.query, second.revision);
    expect(await changedPages(first.content, opened)).toEqual(second.changes);
  });
});

async function idOf(content: Awaited<ReturnType<typeof importInto>>['content'], path: string) {
  const page = await content.findPage(path);
  if (!page) {
    throw new Error(`There is no page at ${path}.`);
  }
  return page.record.id;
}

describe('search', () => {
  const find = async (space: string, query: string, organization = 'org_a') => {
    const request = { organization, spaces: [space], query, groupBy: 'page', offset: 0, limit: 50 } as const;
    const { groups } = await open.searches.find({ ...request, searcher: 'member' });
    return groups.flat().map(({ pagePath, anchor }) => `${pagePath}${anchor}`);
  };

  const nothingComputed = { compute: async () => undefined, names: async () => [] };
  const activate = (base: RevisionRow, revision: RevisionRow) =>
    open.db.transaction((trx) => activateRevision(trx, { revision, expected: base.id, addedPages: 0 }));

  /** Imports, and updates the search index. */
  async function importAndIndex(base: RevisionRow, content: ReturnType<typeof imported>) {
    const { revision } = await importInto(base, content);
    await activate(base, revision);
    await indexSpace(open.db, base.space, () => nothingComputed);
    return revision;
  }

  const pages = (marker: string) => [
    document('guide.md', {
      description: `A describing ${marker}word`,
      markdown: `Start ${marker}first.\n\n## Part two\n\nThen ${marker}second and {{ space.vars.product }}.`,
      pages: [document('below.md', { markdown: `Below ${marker}third.` })],
    }),
    document('empty.md', { title: `Nothing ${marker}titled`, markdown: '' }),
    document('secret.md', { markdown: `Hidden ${marker}fourth.`, noIndex: true }),
  ];

  test('finds sections, descriptions, titles and values, and no excluded pages', async () => {
    const variables = { product: 'quokka' };
    const { space } = await importAndIndex(await newSpace(), imported({ pages: pages('aa'), variables }));
    expect(await find(space, 'aafirst')).toEqual(['guide']);
    expect(await find(space, 'aaword')).toEqual(['guide']);
    expect(await find(space, 'aasecond')).toEqual(['guide#part-two']);
    expect(await find(space, 'quokka')).toEqual(['guide#part-two']);
    expect(await find(space, 'aathird')).toEqual(['guide/below']);
    expect(await find(space, 'aatitled')).toEqual(['empty']);
    expect(await find(space, 'aafourth')).toEqual([]);
  });

  test('follows pages that changed, moved or were deleted, and values of expressions', async () => {
    const variables = { product: 'quokka' };
    const first = await importAndIndex(await newSpace(), imported({ pages: pages('bb'), variables }));
    const [guide, , secret] = pages('bb');
    const second = await importAndIndex(
      first,
      imported({
        pages: [
          ...(guide ? [{ ...guide, slug: 'handbook' }] : []),
          ...(secret ? [{ ...secret, noIndex: false }] : []),
        ],
        variables,
      }),
    );
    const { space } = second;
    expect(await find(space, 'bbthird')).toEqual(['handbook/below']);
    expect(await find(space, 'bbtitled')).toEqual([]);
    expect(await find(space, 'bbfourth')).toEqual(['secret']);
    await importAndIndex(
      second,
      imported({
        pages: [guide, secret].flatMap((page) => page ?? []),
        variables: { product: 'wombat' },
      }),
    );
    expect(await find(space, 'quokka')).toEqual([]);
    expect(await find(space, 'wombat')).toEqual(['guide#part-two']);
  });

  test('can be rebuilt from a revision, and moves when the space is transferred', async () => {
    const revision = await importAndIndex(await newSpace(), imported({ pages: pages('cc') }));
    const empty = await newSpace();
    const copy = await open.db.transaction((trx) => copyRevision(trx, revision, facts(empty)));
    await activate(empty, copy);
    for (let time = 0; time < 2; time++) {
      await indexSpace(open.db, copy.space, () => nothingComputed);
      await open.db.query
        .updateTable('spaces')
        .set({ searchedRevision: null })
        .where('id', '=', copy.space)
        .execute();
    }
    expect(await find(copy.space, 'cctitled')).toEqual(['empty']);
    await open.db.transaction((trx) =>
      transferSpaceContent(trx, NO_QUOTAS, [revision.space], 'org_a', 'org_b'),
    );
    expect(await find(revision.space, 'cctitled')).toEqual([]);
    expect(await find(revision.space, 'cctitled', 'org_b')).toEqual(['empty']);
  });
});
