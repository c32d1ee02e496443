/** Plans the changes of translated content from those of its source. */
import { ContentDraft } from '../edit/draft.ts';
import { isMarkdown } from '../repository/files.ts';
import type { ContentChange } from '../tree/change.ts';
import { changedPages } from '../tree/changes.ts';
import { asFile, asIds, type Content } from '../tree/content.ts';
import { isSameRecord } from '../tree/dates.ts';
import { type FileRecord, type PageRecord, type ReusableRecord, walk } from '../tree/records.ts';
import { diff } from '../tree/trie-diff.ts';
import type { PageTexts } from './page.ts';

/** A source of texts: a page or a reusable content of the source. */
export type TextSource = { kind: 'page'; record: PageRecord } | { kind: 'reusable'; record: ReusableRecord };

/** The source of a translation now, and when it was last translated. */
export interface SourceVersions {
  /** Null before the first translation. */
  before: Content | null;
  after: Content;
}

/**
 * Lists the pages and reusable contents of a source that changed since it was last translated, each page after its
 * parent; all of them if `isComplete`.
 */
export async function textSources(
  { before, after }: SourceVersions,
  { isComplete }: { isComplete: boolean },
): Promise<TextSource[]> {
  const { added, changed } = await changedPages(before, after);
  const listed = new Set([...added, ...changed]);
  const sources: TextSource[] = [];
  for (const { record } of walk(await after.readTree())) {
    if (isComplete || listed.has(record.id)) {
      sources.push({ kind: 'page', record });
    }
  }
  if (isComplete || !isSame(before?.roots.reusableContents, after.roots.reusableContents)) {
    for (const record of await after.readReusableContents()) {
      sources.push({ kind: 'reusable', record });
    }
  }
  return sources;
}

/** Returns the texts of a page or reusable content to translate. */
export async function textsOf({ kind, record }: TextSource, content: Content): Promise<PageTexts> {
  // Pages also include code.
  const isText = record.git === undefined || isMarkdown(record.git.path);
  const markdown = isText ? (await content.readBodies([record])).get(record.id) : undefined;
  return {
    title: record.title,
    ...(kind === 'page' && record.type === 'document' && { description: record.description }),
    ...(markdown !== undefined && { markdown }),
  };
}

/**
 * Returns a page or reusable content with translated texts.
 *
 * @param body hash of the translated Markdown, if it has one
 */
export function withTexts(
  source: TextSource,
  { title, description }: PageTexts,
  body: string | undefined,
): TextSource {
  const texts = { title, ...(body !== undefined && { body }) };
  if (source.kind === 'reusable') {
    return { kind: 'reusable', record: { ...source.record, ...texts } };
  }
  const { record } = source;
  return {
    kind: 'page',
    record:
      record.type === 'document'
        ? { ...record, ...texts, ...(description !== undefined && { description }) }
        : { ...record, title },
  };
}

/** The contents that a translation is planned from. */
interface ResultContents {
  source: SourceVersions;
  /** The current content of the result, which people may have edited. */
  current: Content;
  /** The content that the last run created. */
  created: Content;
  /** The pages and reusable contents with translated texts, which are stored. */
  translated: readonly TextSource[];
  now: string;
}

/**
 * Plans the changes of the result: the changes of the source since the last translation, with translated texts. Manual
 * edits of the result remain, except in pages that changed in the source or got a changed translation. Returns
 * undefined if there is nothing to change.
 */
export async function planResult(contents: ResultContents): Promise<ContentChange | undefined> {
  const { source, now } = contents;
  const draft = new ContentDraft(contents.current);
  const { added, changed, removed } = await changedPages(source.before, source.after);
  const reusableContents = await addTranslations(draft, contents, new Set([...added, ...changed]));
  for (const id of removed) {
    const record = await draft.page(id);
    if (record) {
      await draft.remove(record);
    }
  }
  await orderChildren(draft, source);
  const files = new Map<string, FileRecord | undefined>();
  const { before, after } = source;
  for (const [key, file] of await diff(before?.roots.files ?? null, after.roots.files, after.load)) {
    files.set(key.slice('f:'.length), file.after === undefined ? undefined : asFile(file.after));
  }
  const change: ContentChange = {
    ...draft.changes(now),
    ...(files.size > 0 && { files }),
    ...(reusableContents && { reusableContents: reusableContents.records }),
    ...(!isSame(before?.roots.variables, after.roots.variables) && {
      variables: await after.readVariables(),
    }),
    ...(!isSame(before?.roots.redirects, after.roots.redirects) && {
      redirects: await after.readRedirects(),
    }),
    ...(!isSame(before?.roots.computed, after.roots.computed) && {
      computed: (await after.readComputed()) ?? null,
    }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

/** Adds translated pages to the draft. Returns the reusable contents if they change. */
async function addTranslations(
  draft: ContentDraft,
  { created, translated }: ResultContents,
  changed: ReadonlySet<string>,
): Promise<{ records: ReusableRecord[] } | undefined> {
  const earlier = await created.readPages(translated.map(({ record }) => record.id));
  const reusable: ReusableRecord[] = [];
  for (const { kind, record: page } of translated) {
    if (kind === 'reusable') {
      reusable.push(page);
      continue;
    }
    const isUnchanged = !changed.has(page.id) && hasSameTexts(earlier.get(page.id), page);
    // A page returns when it changes in the source if people deleted it or its parent.
    const isDeleted = !changed.has(page.id) && !(await draft.page(page.id));
    const hasParent = page.parent === null || (await draft.page(page.parent)) !== undefined;
    if (!isUnchanged && !isDeleted && hasParent) {
      await draft.put(page);
    }
  }
  return reusable.length > 0 ? { records: reusable } : undefined;
}

function hasSameTexts(before: PageRecord | undefined, after: PageRecord): boolean {
  const textsIn = (record: PageRecord) => ({
    title: record.title,
    ...(record.type === 'document' && { description: record.description ?? '', body: record.body ?? '' }),
  });
  return before !== undefined && isSameRecord(textsIn(before), textsIn(after));
}

/** Orders the children of pages with a changed order in the source. Pages that people added are last. */
async function orderChildren(draft: ContentDraft, { before, after }: SourceVersions): Promise<void> {
  const differences = await diff(before?.roots.pages ?? null, after.roots.pages, after.load);
  for (const [key, order] of differences) {
    if (!key.startsWith('c:')) {
      continue;
    }
    const parent = key === 'c:' ? null : key.slice('c:'.length);
    const existing = await draft.childrenOf(parent);
    const remaining = new Set(existing);
    const ordered = asIds(order.after).filter((id) => remaining.has(id));
    const listed = new Set(ordered);
    const next = [...ordered, ...existing.filter((id) => !listed.has(id))];
    for (const [at, id] of next.entries()) {
      const record = (await draft.childrenOf(parent))[at] === id ? undefined : await draft.page(id);
      if (record) {
        await draft.put(record, at);
      }
    }
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
