import { planEdits } from '../../../server/content/edit/edit.ts';
import { planContent } from '../../../server/content/edit/plan-content.ts';
import type { Edit, InsertPage, PlannedEdits } from '../../../server/content/edit/types.ts';
import type { ContentChange } from '../../../server/content/tree/change.ts';
import { type Content, contentAt } from '../../../server/content/tree/content.ts';
import { hashOf } from '../../../server/content/tree/hash.ts';
import { textObject } from '../../../server/content/tree/objects.ts';
import type { PageNode, PageRecord } from '../../../server/content/tree/records.ts';
import { Memory } from '../store/memory.ts';

export const memory = new Memory();
const created = '2026-01-01T00:00:00.000Z';
export const now = '2026-02-02T00:00:00.000Z';

export const page = (id: string, parent: string | null = null): PageRecord => ({
  type: 'document',
  id,
  parent,
  title: id.toUpperCase(),
  slug: id,
  documentId: `doc_${id}`,
  body: hashOf(`Text of ${id}.`),
  createdAt: created,
});

/** Content of a revision, and its hash. */
export interface Version {
  root: string;
  content: Content;
}

async function store(before: Version | null, change: ContentChange): Promise<Version> {
  const { root, objects } = await planContent(before?.root ?? null, change, memory.load);
  memory.keep(objects);
  return { root, content: await contentAt(root, memory.load) };
}

/** Builds content of documents from a tree, before other top-level entries. */
export async function versionOf(tree: Record<string, string[]>, others: PageRecord[] = []): Promise<Version> {
  const parents = Object.keys(tree).map((id) => (id === '' ? null : id));
  const records = parents.flatMap((parent) => (tree[parent ?? ''] ?? []).map((id) => page(id, parent)));
  const top = [...(tree[''] ?? []), ...others.map(({ id }) => id)];
  return await store(null, {
    pages: new Map([...records, ...others].map((record) => [record.id, record])),
    children: new Map(parents.map((parent) => [parent, parent === null ? top : (tree[parent] ?? [])])),
    texts: records.map(({ id }) => textObject(`Text of ${id}.`)),
  });
}

export const guide = () => versionOf({ '': ['a', 'b', 'c'], b: ['b1', 'b2'], b2: ['deep'] });
export const link: PageRecord = {
  type: 'link',
  id: 'l',
  parent: null,
  title: 'L',
  target: { kind: 'url', url: 'https://example.com' },
};

/** Plans edits; ids are numbered in the order of their creation. */
export async function plan(
  before: Version,
  edits: Edit[],
  then?: Version,
): Promise<PlannedEdits | undefined> {
  let created = 0;
  return await planEdits(before.content, edits, {
    now: new Date(now),
    createId: (prefix) => `${prefix}_${++created}`,
    revision: async (id) => (id === 'nowhere' ? undefined : then?.content),
  });
}

export async function apply(before: Version, edits: Edit[], then?: Version): Promise<Version> {
  const change = await plan(before, edits, then);
  return change ? await store(before, change) : before;
}

export const insert = (title: string, more: Partial<InsertPage> = {}): Edit => ({
  operation: 'insert_page',
  title,
  markdown: `About ${title}.`,
  ...more,
});

/** Formats the tree in one line: `a b(b1 b2(deep)) c`, by slugs. */
export const outline = async ({ content }: Version) => drawn(await content.readTree());
const drawn = (nodes: PageNode[]): string =>
  nodes
    .map(({ record, pages }) => {
      const name = 'slug' in record ? record.slug : record.id;
      return pages.length > 0 ? `${name}(${drawn(pages)})` : name;
    })
    .join(' ');

export async function read({ content }: Version, id: string) {
  const [record] = (await content.readPages([id])).values();
  return { record, markdown: record && (await content.readBody(record)) };
}
