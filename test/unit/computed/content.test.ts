import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { withComputed } from '../../../server/content/computed/content.ts';
import { type ComputeEntry, computePages } from '../../../server/content/computed/pages.ts';
import type { Specification } from '../../../server/content/computed/specification.ts';
import { planContent } from '../../../server/content/edit/plan-content.ts';
import { contentAt } from '../../../server/content/tree/content.ts';
import type { ComputedRecord, PageRecord } from '../../../server/content/tree/records.ts';
import { walk } from '../../../server/content/tree/records.ts';
import { PET_STORE } from '../../support/content/specifications.ts';
import { Memory } from '../store/memory.ts';

/** Computes pages in the thread of the test. */
const computeWith =
  (find: (name: string) => Promise<Specification | undefined>): ComputeEntry =>
  async (entry) => {
    const specification = await find(entry.source.dependencies.spec.ref.spec);
    return specification && computePages(entry, specification);
  };

const source = (spec: string, models = false): ComputedRecord['computed'] => ({
  type: 'builtin:openapi',
  props: { models },
  dependencies: { spec: { ref: { kind: 'openapi', spec } } },
});

const group = (id: string, parent: string | null): PageRecord => ({
  type: 'group',
  id,
  parent,
  title: id,
  slug: id,
});

const entry = (id: string, parent: string | null, title: string, spec = 'pets'): PageRecord => ({
  type: 'computed',
  id,
  parent,
  title,
  computed: source(spec),
});

const petStore: Specification = { version: 'v1', document: parse(PET_STORE) };

async function contentOf(
  records: readonly PageRecord[],
  options: { computed?: ComputedRecord['computed'] } = {},
) {
  const memory = new Memory();
  const children = Map.groupBy(records, ({ parent }) => parent);
  const plan = await planContent(
    null,
    {
      pages: new Map(records.map((record) => [record.id, record])),
      children: new Map([...children].map(([parent, list]) => [parent, list.map(({ id }) => id)])),
      ...options,
    },
    memory.load,
  );
  memory.keep(plan.objects);
  const requested: string[] = [];
  const content = withComputed(
    await contentAt(plan.root, memory.load),
    computeWith(async (spec) => {
      requested.push(spec);
      return spec === 'pets' ? petStore : undefined;
    }),
  );
  return { content, memory, requestedSpecs: requested, root: plan.root };
}

const pathsOf = async (content: Awaited<ReturnType<typeof contentOf>>['content']) =>
  [...walk(await content.readTree())].map(({ record, path }) => `${record.type} ${path}`);

describe('content with computed pages', () => {
  test('gives the pages of an entry unique paths', async () => {
    const { content } = await contentOf([
      group('pets', null),
      entry('page_a', null, 'Pets'),
      entry('page_b', null, 'Pets'),
    ]);
    expect(await pathsOf(content)).toEqual([
      'group pets',
      'document pets-1',
      'document pets-1/pets',
      'document pets-1/other-operations',
      'document pets-2',
      'document pets-2/pets',
      'document pets-2/other-operations',
    ]);
  });

  test('finds each page of the tree by its id and path, with its ancestors and descendants', async () => {
    const { content } = await contentOf(
      [group('guide', null), entry('page_a', 'guide', 'API'), entry('page_b', null, 'Pet store')],
      { computed: source('pets', true) },
    );
    const nodes = [...walk(await content.readTree())];
    expect(nodes.map(({ path }) => path)).toContain('pet-store-1/pets');
    for (const node of nodes) {
      expect(await content.readPage(node.record.id)).toEqual(node);
      expect((await content.findPage(node.path))?.record.id).toBe(node.record.id);
      expect((await content.readLocatedPages([node.record.id])).get(node.record.id)?.path).toBe(node.path);
      const below = await content.readChildren(node.record.id);
      expect(below.map(({ id }) => id)).toEqual(node.pages.map(({ record }) => record.id));
    }
    const top = await content.readChildren(null);
    expect(top.map(({ id }) => id)).toEqual(['computed', 'guide', 'page_b']);
  });

  test('keeps entries without a specification', async () => {
    const { content } = await contentOf([entry('page_a', null, 'API', 'gone')]);
    expect((await content.readTree()).map(({ record }) => record.type)).toEqual(['computed']);
    expect((await content.readPage('page_a'))?.record.type).toBe('computed');
    expect(await content.readPage('page_a-000000000000')).toBeUndefined();
  });

  test('keeps entries that other sources compute', async () => {
    const computed = { type: 'integration:acme:docs', props: {} } as const;
    const { content, requestedSpecs } = await contentOf(
      [{ ...entry('page_a', null, 'Docs'), computed } as PageRecord],
      {
        computed,
      },
    );
    expect((await content.readTree()).map(({ record }) => record.type)).toEqual(['computed']);
    expect(requestedSpecs).toEqual([]);
  });

  test('loads only the ancestors of one page, in a space of any size', async () => {
    const chapters = Array.from({ length: 100 }, (_, n) => `ch${n}`);
    const { content, memory, requestedSpecs, root } = await contentOf(
      chapters.flatMap((chapter) => [
        group(chapter, null),
        ...Array.from({ length: 99 }, (_, n) => group(`${chapter}-p${n}`, chapter)),
        entry(`page_${chapter}`, chapter, 'API'),
      ]),
    );
    const [child] = (await content.readPage('page_ch7'))?.pages ?? [];
    const other = withComputed(
      await contentAt(root, memory.load),
      computeWith(async () => petStore),
    );
    memory.loaded = 0;
    expect((await other.readPage(child?.record.id ?? ''))?.path).toBe('ch7/api/pets');
    // The entry, its siblings (for its slug), and their ancestors; not the other 9,900 pages.
    expect(memory.loaded).toBeLessThan(400);
    memory.loaded = 0;
    await withComputed(
      await contentAt(root, memory.load),
      computeWith(async () => petStore),
    ).readPage('ch3-p4');
    expect(memory.loaded).toBeLessThanOrEqual(18);
    expect(requestedSpecs).toEqual(['pets']);
  });
});
