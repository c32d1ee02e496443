import { beforeAll, expect, test } from 'vitest';
import { planContent } from '../../../server/content/edit/plan-content.ts';
import type { ContentChange } from '../../../server/content/tree/change.ts';
import { type Content, Content as Contents, contentAt } from '../../../server/content/tree/content.ts';
import { EMPTY } from '../../../server/content/tree/content-root.ts';
import { MAX_PAGE_DEPTH, requireWithinLimits } from '../../../server/content/tree/limits.ts';
import type { PageRecord } from '../../../server/content/tree/records.ts';
import { Memory } from './memory.ts';

const memory = new Memory();

const group = (id: string, parent: string | null): PageRecord => ({
  type: 'group',
  id,
  parent,
  title: id,
  slug: id,
});

/** Returns the change that adds pages, each with its parent, to an empty tree. */
function treeOf(parents: Record<string, string | null>): Required<Pick<ContentChange, 'pages' | 'children'>> {
  const pages = new Map(Object.entries(parents).map(([id, parent]) => [id, group(id, parent)]));
  const children = Map.groupBy(pages.values(), ({ parent }) => parent);
  return {
    pages,
    children: new Map([...children].map(([parent, records]) => [parent, records.map(({ id }) => id)])),
  };
}

/** A chain of pages, each the child of the previous one. */
const chain = (name: string, length: number, below: string | null = null) =>
  Object.fromEntries(
    Array.from({ length }, (_, at) => [`${name}${at}`, at === 0 ? below : `${name}${at - 1}`]),
  );

const empty = new Contents(EMPTY, memory.load);

async function rootOf(
  change: ContentChange,
  base: string | null = null,
): Promise<{ root: string; content: Content }> {
  const plan = await planContent(base, change, memory.load);
  memory.keep(plan.objects);
  return { root: plan.root, content: await contentAt(plan.root, memory.load) };
}

const WIDE = { treeEntries: 1_000, pageDepth: 1_000, files: 1_000 };

let chains: Awaited<ReturnType<typeof rootOf>>;
beforeAll(async () => {
  chains = await rootOf(treeOf({ ...chain('a', 30), ...chain('b', 30), c: null }));
});

test('content is rejected with too many levels, in one change or in several', async () => {
  await rootOf(treeOf(chain('d', MAX_PAGE_DEPTH)));
  await expect(rootOf(treeOf(chain('d', MAX_PAGE_DEPTH + 1)))).rejects.toMatchObject({
    reason: 'page_depth_exceeded',
  });
  await expect(rootOf({ ...treeOf(chain('d', 21, 'a29')) }, chains.root)).rejects.toThrow('50 levels');
  await rootOf({ ...treeOf(chain('d', 20, 'a29')) }, chains.root);
});

test('content is rejected if a page with descendants moves too deep', async () => {
  const moveTo = (parent: string) => ({
    pages: new Map([['b0', group('b0', parent)]]),
    children: new Map([
      [null, ['a0', 'c']],
      ['a20', ['a21', 'b0']],
      ['a19', ['a20', ...(parent === 'a19' ? ['b0'] : [])]],
    ]),
  });
  await expect(rootOf(moveTo('a20'), chains.root)).rejects.toMatchObject({ reason: 'page_depth_exceeded' });
  await rootOf(moveTo('a19'), chains.root);
});

test('content that exceeds a limit can be changed if it does not grow', async () => {
  const { pages } = treeOf(chain('a', 30));
  const narrow = { treeEntries: 10, pageDepth: 10, files: 10 };
  await requireWithinLimits(chains.content, chains.content, pages, narrow);
  await expect(requireWithinLimits(empty, chains.content, pages, WIDE)).resolves.toBeUndefined();
  await expect(requireWithinLimits(empty, chains.content, pages, narrow)).rejects.toThrow(
    'more than 10 entries',
  );
});

test('content is rejected with too many files', async () => {
  const file = {
    name: 'a',
    contentType: 'text/plain',
    size: 1,
    blob: 'hash',
    createdAt: '2026-01-01T00:00:00.000Z',
  };
  const files = new Map(Array.from({ length: 3 }, (_, at) => [`f${at}`, { ...file, id: `f${at}` }]));
  const { content } = await rootOf({ files });
  await requireWithinLimits(empty, content, new Map(), { ...WIDE, files: 3 });
  await expect(requireWithinLimits(empty, content, new Map(), { ...WIDE, files: 2 })).rejects.toThrow(
    'more than 2 files',
  );
});
