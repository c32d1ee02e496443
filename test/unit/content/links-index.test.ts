import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planContent } from '../../../server/content/edit/plan-content.ts';
import type { ContentChange } from '../../../server/content/tree/change.ts';
import { contentAt } from '../../../server/content/tree/content.ts';
import { readRoot } from '../../../server/content/tree/content-root.ts';
import { hashOf } from '../../../server/content/tree/hash.ts';
import { textObject } from '../../../server/content/tree/objects.ts';
import type { FileRecord, PageRecord, ReusableRecord } from '../../../server/content/tree/records.ts';
import { entries } from '../../../server/content/tree/trie.ts';
import { canonicalJson, type Storable } from '../../../server/content/tree/values.ts';
import { Memory } from '../store/memory.ts';

/** Complete content for computing changes. */
interface Whole {
  pages: PageRecord[];
  files: FileRecord[];
  reusableContents: ReusableRecord[];
  computed: ContentChange['computed'];
}

const texts = [
  'No links.',
  '[next](next.md) and [up](../guide/b.md#part)',
  '[next](./next.md) ![picture](/a.png) [id](/pages/page_1)',
  '[out](https://example.com) [self](#here) {% include "../note.md" %}',
].map(textObject);
const bodyOf = (at: number) => texts[at]?.hash ?? '';
const git = (path: string) => ({ oid: `oid of ${path}`, path });

const pageOf = (id: string) =>
  fc
    .record({
      parent: fc.constantFrom(null, 'page_0', 'page_1'),
      slug: fc.constantFrom('a', 'b'),
      title: fc.constantFrom('One', 'Two'),
      body: fc.nat({ max: texts.length - 1 }),
      git: fc.option(fc.constantFrom('guide/a.md', 'b.md'), { nil: undefined }),
      cover: fc.option(fc.constantFrom('file_0', 'file_1'), { nil: undefined }),
      isLink: fc.boolean(),
    })
    .map(({ parent, slug, title, body, git: path, cover, isLink }): PageRecord => {
      // Only the first pages have children, and not each other.
      const facts = { id, title, parent: id === 'page_0' || id === 'page_1' ? null : parent };
      if (isLink && facts.parent !== null) {
        return { ...facts, type: 'link', target: { kind: 'page', page: 'page_0' } };
      }
      return {
        ...facts,
        type: 'document',
        slug,
        documentId: `doc_${id}`,
        body: bodyOf(body),
        ...(path !== undefined && { git: git(path) }),
        ...(cover !== undefined && { cover: { ref: { kind: 'file', file: cover }, yPos: 0 } }),
      };
    });

const pages = fc
  .tuple(
    ...['page_2', 'page_3', 'page_4'].map((id) => fc.option(pageOf(id), { nil: undefined })),
    pageOf('page_0'),
    pageOf('page_1'),
  )
  .map((some) => some.filter((page) => page !== undefined));
const files = fc.subarray(['file_0', 'file_1']).map((ids) =>
  ids.map(
    (id): FileRecord => ({
      id,
      name: id,
      contentType: 'image/png',
      size: 1,
      blob: 'blob',
      createdAt: '2026-01-01T00:00:00.000Z',
      ...(id === 'file_0' && { git: git('a.png') }),
    }),
  ),
);
const reusableContents = fc
  .option(fc.nat({ max: texts.length - 1 }), { nil: undefined })
  .map((body) =>
    body === undefined ? [] : [{ id: 'reusable_1', title: 'Note', body: bodyOf(body), git: git('note.md') }],
  );
const computed = fc.constantFrom<ContentChange['computed'][]>(null, {
  type: 'builtin:openapi',
  props: {},
  dependencies: { spec: { ref: { kind: 'openapi', spec: 'shop' } } },
});
const content: fc.Arbitrary<Whole> = fc.record({ pages, files, reusableContents, computed });

/** Content with some pages of another: most changes keep most pages. */
function keeping(before: Whole | undefined, after: Whole, unchanged: readonly string[]): Whole {
  if (!before) {
    return after;
  }
  const retainedPages = before.pages.filter(({ id }) => unchanged.includes(id));
  return { ...after, pages: [...retainedPages, ...after.pages.filter(({ id }) => !unchanged.includes(id))] };
}
const retainedIds = fc.subarray(['page_0', 'page_1', 'page_2', 'page_3', 'page_4']);

/** Computes the change from `before` to `after`. */
function changeOf(before: Whole | undefined, after: Whole): ContentChange {
  const between = <T extends { id: string }>(was: readonly T[], is: readonly T[]) =>
    new Map<string, T | undefined>([
      ...was.map(({ id }) => [id, undefined] as const),
      ...is.map((record) => [record.id, record] as const),
    ]);
  const same = (a: object, b: object) => canonicalJson(a as Storable) === canonicalJson(b as Storable);
  // Like every caller, omits unchanged parts.
  const pages = between(before?.pages ?? [], after.pages);
  for (const page of before?.pages ?? []) {
    const now = pages.get(page.id);
    if (now && same(now, page)) {
      pages.delete(page.id);
    }
  }
  const below = (whole: Whole | undefined) =>
    Map.groupBy(whole?.pages ?? [], ({ parent }) => parent) as Map<string | null, PageRecord[]>;
  return {
    pages,
    children: new Map(
      [...new Set([...below(before).keys(), ...below(after).keys()])].map((parent) => [
        parent,
        below(after)
          .get(parent)
          ?.map(({ id }) => id),
      ]),
    ),
    files: between(before?.files ?? [], after.files),
    reusableContents: after.reusableContents,
    computed: after.computed ?? null,
    texts,
  };
}

async function write(memory: Memory, base: string | null, change: ContentChange): Promise<string> {
  const plan = await planContent(base, change, memory.load);
  memory.keep(plan.objects);
  return plan.root;
}

describe('the index of links', () => {
  test('is the same for the same content, regardless of its history', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(content, retainedIds), { minLength: 2, maxLength: 4 }),
        async (steps) => {
          const memory = new Memory();
          let root: string | null = null;
          let before: Whole | undefined;
          for (const [fresh, ids] of steps) {
            const after = keeping(before, fresh, ids);
            root = await write(memory, root, changeOf(before, after));
            before = after;
          }
          if (before) {
            expect(root).toBe(await write(memory, null, changeOf(undefined, before)));
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test('is completed by the next write to content that was stored without one', async () => {
    await fc.assert(
      fc.asyncProperty(content, content, async (first, second) => {
        const memory = new Memory();
        const { index: _, ...old } = await readRoot(
          await write(memory, null, changeOf(undefined, first)),
          memory.load,
        );
        const data = canonicalJson(old);
        memory.keep([{ hash: hashOf(data), data }]);
        const root = await write(memory, hashOf(data), changeOf(first, second));
        expect(root).toBe(await write(memory, null, changeOf(undefined, second)));
      }),
    );
  });

  test('lists links by their target', async () => {
    const memory = new Memory();
    const [text] = [textObject('[a](a.md#x) [b](./a.md) [c](/files/file_1) [d](#y) [e](../../out.md)')];
    const page = (id: string, slug: string): PageRecord => ({
      type: 'document',
      id,
      parent: null,
      title: id,
      slug,
      documentId: `doc_${id}`,
      body: text?.hash ?? '',
    });
    const root = await write(memory, null, {
      pages: new Map([
        ['page_1', page('page_1', 'one')],
        ['page_2', page('page_2', 'two')],
      ]),
      children: new Map([[null, ['page_1', 'page_2']]]),
      texts: text ? [text] : [],
    });
    const { index } = (await contentAt(root, memory.load)).roots;
    expect(await entries(index?.links ?? null, memory.load)).toEqual(
      new Map<string, string[]>([
        ['reference path a.md', ['p:page_1', 'p:page_1#x', 'p:page_2', 'p:page_2#x']],
        ['reference file file_1', ['p:page_1', 'p:page_2']],
        ['reference page page_1', ['p:page_1#y']],
        ['reference page page_2', ['p:page_2#y']],
        ['reference nowhere ../../out.md', ['p:page_1', 'p:page_2']],
      ]),
    );
  });

  test('is not changed by a change without links', async () => {
    const memory = new Memory();
    const [before, after] = [textObject('Old [a](a.md).'), textObject('New [a](a.md).')];
    const page = (body: string, title: string): PageRecord => ({
      type: 'document',
      id: 'page_1',
      parent: null,
      title,
      slug: 'one',
      documentId: 'doc_1',
      body,
    });
    const first = await write(memory, null, {
      pages: new Map([['page_1', page(before.hash, 'One')]]),
      children: new Map([[null, ['page_1']]]),
      texts: [before],
    });
    const second = await write(memory, first, {
      pages: new Map([['page_1', page(after.hash, 'Two')]]),
      texts: [after],
    });
    const [rootOfFirst, rootOfSecond] = [
      await readRoot(first, memory.load),
      await readRoot(second, memory.load),
    ];
    expect(rootOfSecond.index).toEqual(rootOfFirst.index);
    expect(rootOfSecond.pages).not.toBe(rootOfFirst.pages);
  });
});
