import { expect } from 'vitest';
import { planContent } from '../../../server/content/edit/plan-content.ts';
import type { MergeOptions } from '../../../server/content/merge/lines.ts';
import { type MergeConflict, mergeContent } from '../../../server/content/merge/merge.ts';
import { asIds, asPage, type Content, contentAt } from '../../../server/content/tree/content.ts';
import type { ComputedSource } from '../../../server/content/tree/content-root.ts';
import { textObject } from '../../../server/content/tree/objects.ts';
import type {
  DocumentRecord,
  FileRecord,
  PageNode,
  PageRecord,
  Variables,
} from '../../../server/content/tree/records.ts';
import { entries } from '../../../server/content/tree/trie.ts';
import { Memory } from '../store/memory.ts';

/** A space in plain maps, with the edits of people. */
export class Space {
  pages = new Map<string, PageRecord>();
  children = new Map<string | null, string[]>();
  texts = new Set<string>();
  files = new Map<string, FileRecord>();
  reusable: Array<{ id: string; title: string; text: string }> = [];
  variables: Variables = {};
  computed: ComputedSource | undefined;

  copy(): Space {
    return Object.assign(new Space(), structuredClone({ ...this }));
  }

  /** Adds a page after the last child of another page, or at a position among its children. */
  add(id: string, { into = null, at, ...fields }: NewPage = {}): this {
    const text = fields.text ?? `Text of ${id}.\n`;
    this.texts.add(text);
    this.pages.set(id, {
      type: 'document',
      id,
      parent: into,
      title: fields.title ?? id.toUpperCase(),
      slug: fields.slug ?? id,
      documentId: `doc_${id}`,
      body: textObject(text).hash,
    });
    this.#insert(id, into, at);
    return this;
  }

  addGroup(id: string, into: string | null = null): this {
    this.pages.set(id, { type: 'group', id, parent: into, title: id, slug: id });
    this.#insert(id, into);
    return this;
  }

  /** Sets fields of a page; undefined removes one. */
  set(id: string, fields: { [Name in keyof DocumentRecord]?: DocumentRecord[Name] | undefined }): this {
    const merged = Object.entries({ ...this.page(id), ...fields }).filter(([, value]) => value !== undefined);
    // Tests set fields of the page's type.
    this.pages.set(id, Object.fromEntries(merged) as unknown as PageRecord);
    return this;
  }

  write(id: string, text: string): this {
    this.texts.add(text);
    return this.set(id, { body: textObject(text).hash });
  }

  /** Returns the markdown of a page; '' for one without. */
  text(id: string): string {
    const page = this.page(id);
    const hash = page.type === 'document' ? page.body : undefined;
    return [...this.texts].find((text) => textObject(text).hash === hash) ?? '';
  }

  move(id: string, into: string | null, at?: number): this {
    this.#take(id);
    // Only the position changes.
    this.pages.set(id, { ...this.page(id), parent: into } as PageRecord);
    this.#insert(id, into, at);
    return this;
  }

  /** Removes a page and its descendants. */
  remove(id: string): this {
    this.#take(id);
    for (const below of this.below(id)) {
      this.pages.delete(below);
      this.children.delete(below);
    }
    return this;
  }

  /** Returns a page and its descendants. */
  below(id: string): string[] {
    return [id, ...(this.children.get(id) ?? []).flatMap((child) => this.below(child))];
  }

  page(id: string): PageRecord {
    const page = this.pages.get(id);
    if (!page) {
      throw new Error(`The space has no page ${id}.`);
    }
    return page;
  }

  addFile(id: string, fields: Partial<FileRecord> = {}): this {
    const facts = { name: `${id}.png`, contentType: 'image/png', size: 5, blob: `blob of ${id}` };
    this.files.set(id, { id, ...facts, createdAt: '2026-01-01T00:00:00.000Z', ...fields });
    return this;
  }

  async store(memory: Memory): Promise<{ root: string; content: Content }> {
    const plan = await planContent(
      null,
      {
        pages: this.pages,
        children: this.children,
        files: this.files,
        reusableContents: this.reusable.map(({ text, ...facts }) => ({
          ...facts,
          body: textObject(text).hash,
        })),
        variables: this.variables,
        ...(this.computed && { computed: this.computed }),
        texts: [...this.texts, ...this.reusable.map(({ text }) => text)].map(textObject),
      },
      memory.load,
    );
    memory.keep(plan.objects);
    return { root: plan.root, content: await contentAt(plan.root, memory.load) };
  }

  #insert(id: string, into: string | null, at = Number.POSITIVE_INFINITY): void {
    const list = this.children.get(into) ?? [];
    list.splice(at, 0, id);
    this.children.set(into, list);
  }

  #take(id: string): void {
    const { parent } = this.page(id);
    const left = (this.children.get(parent) ?? []).filter((other) => other !== id);
    if (left.length > 0) {
      this.children.set(parent, left);
    } else {
      this.children.delete(parent);
    }
  }
}

interface NewPage {
  into?: string | null;
  at?: number;
  title?: string;
  slug?: string;
  text?: string;
}

/** Result of a merge. */
export interface MergeResult {
  root: string;
  conflicts: MergeConflict[];
  content: Content;
  /** Number of objects that the merge loaded. */
  loaded: number;
  /** The tree in one line: `a(b c) d`. */
  outline: string;
  text(id: string): Promise<string>;
  page(id: string): Promise<PageRecord>;
  /** Conflicts of a page. */
  conflictsOf(page: string): string[];
}

/** Merges the edits of two sides of a space. Checks that the result is a well-formed tree. */
export async function merge(
  ancestor: Space,
  primary: Space | ((space: Space) => unknown),
  branch: Space | ((space: Space) => unknown),
  options: MergeOptions = {},
): Promise<MergeResult> {
  const memory = new Memory();
  const [was, ours, theirs] = [ancestor, edited(ancestor, primary), edited(ancestor, branch)];
  const a = await was.store(memory);
  const p = await ours.store(memory);
  const b = await theirs.store(memory);
  memory.loaded = 0;
  const sides = { ancestor: a.content, primary: p.content, branch: b.content };
  const { change, conflicts } = await mergeContent(sides, options);
  const { loaded } = memory;
  const plan = await planContent(p.root, change, memory.load);
  memory.keep(plan.objects);
  const content = await contentAt(plan.root, memory.load);
  await expectWellFormed(content);
  return {
    root: plan.root,
    conflicts,
    content,
    loaded,
    outline: outline(await content.readTree()),
    text: async (id) => content.readBody(await pageOf(content, id)),
    page: (id) => pageOf(content, id),
    conflictsOf: (page) => conflicts.flatMap((conflict) => (conflict.page === page ? conflict.part : [])),
  };
}

function edited(ancestor: Space, side: Space | ((space: Space) => unknown)): Space {
  if (side instanceof Space) {
    return side;
  }
  const copy = ancestor.copy();
  side(copy);
  return copy;
}

async function pageOf(content: Content, id: string): Promise<PageRecord> {
  const page = (await content.readPages([id])).get(id);
  if (!page) {
    throw new Error(`The merged content has no page ${id}.`);
  }
  return page;
}

function outline(nodes: readonly PageNode[]): string {
  return nodes
    .map(({ record, pages }) => record.id + (pages.length > 0 ? `(${outline(pages)})` : ''))
    .join(' ');
}

/** Expects every page in exactly one list, that of its parent, with a path to the root. */
async function expectWellFormed(content: Content): Promise<void> {
  const all = await entries(content.roots.pages, content.load);
  const listed = new Map<string, string | null>();
  for (const [key, value] of all) {
    if (!key.startsWith('c:')) {
      continue;
    }
    expect(asIds(value)).not.toEqual([]);
    for (const id of asIds(value)) {
      expect(listed.has(id), `${id} is listed twice`).toBe(false);
      listed.set(id, key === 'c:' ? null : key.slice(2));
    }
  }
  const parents = new Map<string, string | null>();
  for (const [key, value] of all) {
    if (!key.startsWith('p:')) {
      continue;
    }
    const record = asPage(value);
    parents.set(record.id, record.parent);
  }
  expect(new Map([...listed].sort())).toEqual(new Map([...parents].sort()));
  const reached: string[] = [];
  const reach = (nodes: readonly PageNode[]) => {
    for (const { record, pages } of nodes) {
      reached.push(record.id);
      reach(pages);
    }
  };
  reach(await content.readTree());
  expect(reached.sort()).toEqual([...parents.keys()].sort());
}

/** a, b(b1 b2 b3), c(c1). */
export const chapters = new Space()
  .add('a')
  .add('b')
  .add('b1', { into: 'b' })
  .add('b2', { into: 'b' })
  .add('b3', { into: 'b' })
  .add('c')
  .add('c1', { into: 'c' });

/** The lines around the sides of a conflict. */
export const markers = {
  branch: '<<<<<<< change request',
  between: '=======',
  primary: '>>>>>>> primary content',
};
