import { beforeAll, describe, expect, test } from 'vitest';
import { planContent } from '../../../server/content/edit/plan-content.ts';
import { changedPages } from '../../../server/content/tree/changes.ts';
import { contentAt } from '../../../server/content/tree/content.ts';
import { textObject } from '../../../server/content/tree/objects.ts';
import type { PageRecord } from '../../../server/content/tree/records.ts';
import { Memory } from './memory.ts';

const page = (id: string, parent: string | null): PageRecord => ({
  type: 'document',
  id,
  parent,
  title: `The title of ${id}`,
  slug: id,
  documentId: `doc_${id}`,
  body: textObject(`Text of ${id}.`).hash,
});

/** 100 chapters of 100 pages. */
const memory = new Memory();
const chapters = Array.from({ length: 100 }, (_, n) => `ch${n}`);
const pagesOf = (chapter: string) => Array.from({ length: 100 }, (_, n) => `${chapter}-p${n}`);
let root = '';

beforeAll(async () => {
  const records = chapters.flatMap((chapter) => [
    page(chapter, null),
    ...pagesOf(chapter).map((id) => page(id, chapter)),
  ]);
  const plan = await planContent(
    null,
    {
      pages: new Map(records.map((record) => [record.id, record])),
      children: new Map([[null, chapters], ...chapters.map((id) => [id, pagesOf(id)] as const)]),
      texts: records.map(({ id }) => textObject(`Text of ${id}.`)),
    },
    memory.load,
  );
  memory.keep(plan.objects);
  root = plan.root;
});

describe('in a space of 10,100 pages', () => {
  test('reads one page through its ancestors', async () => {
    memory.loaded = 0;
    const content = await contentAt(root, memory.load);
    const page = await content.readPage('ch7-p42');
    expect(page?.path).toBe('ch7/ch7-p42');
    expect(page && (await content.readBody(page.record))).toBe('Text of ch7-p42.');
    // The root; the nodes above the page, its (missing) children and its chapter; the text.
    expect(memory.loaded).toBeLessThanOrEqual(18);
  });

  test('reads the paths of many pages in as many rounds as that of one', async () => {
    const content = await contentAt(root, memory.load);
    memory.rounds = 0;
    const located = await content.readLocatedPages(chapters.flatMap(pagesOf));
    expect(located.size).toBe(10_000);
    expect(memory.rounds).toBeLessThanOrEqual(10);
  });

  test('stores only the affected lists and records for an inserted page', async () => {
    const chapter = ['ch7-p0', 'new', ...pagesOf('ch7').slice(1)];
    const { objects } = await planContent(
      root,
      {
        pages: new Map([['new', page('new', 'ch7')]]),
        children: new Map([['ch7', chapter]]),
        texts: [textObject('Text of new.')],
      },
      memory.load,
    );
    const fresh = objects.filter(({ hash }) => !memory.objects.has(hash));
    expect(fresh.reduce((sum, { data }) => sum + data.length, 0)).toBeLessThan(16_000);
  });

  test('changes only a chapter with another slug and the paths of its descendants', async () => {
    const renamed = { ...page('ch7', null), slug: 'seven' };
    const plan = await planContent(root, { pages: new Map([['ch7', renamed as PageRecord]]) }, memory.load);
    memory.keep(plan.objects);
    const [before, after] = [await contentAt(root, memory.load), await contentAt(plan.root, memory.load)];
    const changes = await changedPages(before, after);
    expect(changes).toMatchObject({ added: [], changed: ['ch7'], removed: [] });
    expect(changes.repathed.toSorted()).toEqual(pagesOf('ch7').toSorted());
  });

  test('keeps everything that a change does not name', async () => {
    const plan = await planContent(root, { variables: { a: '1' } }, memory.load);
    memory.keep(plan.objects);
    const content = await contentAt(plan.root, memory.load);
    expect(content.roots.pages).toBe((await contentAt(root, memory.load)).roots.pages);
    expect(await content.readVariables()).toEqual({ a: '1' });
    const undone = await planContent(plan.root, { variables: {} }, memory.load);
    expect(undone.root).toBe(root);
  });

  test('sets and removes the source of all computed pages', async () => {
    const computed = {
      type: 'builtin:openapi' as const,
      props: {},
      dependencies: { spec: { ref: { kind: 'openapi' as const, spec: 'petstore' } } },
    };
    const set = await planContent(root, { computed }, memory.load);
    memory.keep(set.objects);
    expect(await (await contentAt(set.root, memory.load)).readComputed()).toEqual(computed);
    expect((await planContent(set.root, { computed: null }, memory.load)).root).toBe(root);
  });
});
