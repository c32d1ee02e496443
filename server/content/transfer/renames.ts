import { listImported } from '../repository/read/records.ts';
import type { ImportedContent, ImportedDocument } from '../repository/types.ts';
import type { Content } from '../tree/content.ts';
import type { DocumentRecord, PageRecord } from '../tree/records.ts';
import { similarTexts } from './similarity.ts';

/** Maximum number of new files, and of removed files, for comparing their contents, as in Git. */
export const MAX_COMPARED_PAGES = 1000;
/** Maximum number of characters of the compared new files, and of the removed files. */
export const MAX_COMPARED_CHARACTERS = 16_777_216;

/** The new files of an import, and the pages without existing files. */
interface Replaced {
  added: readonly ImportedDocument[];
  removed: readonly DocumentRecord[];
}

/**
 * Adds the pages of renamed files to the pages by origin: a new file counts as renamed if it has the content of exactly
 * one page without an existing file, and of no other new file; or else if it shares at least half of its content with
 * one such page.
 *
 * @param before the content with the pages
 * @param loadTexts makes texts available by path if they were not needed to read the repository
 */
export async function withRenames(
  origins: ReadonlyMap<string, PageRecord>,
  imported: Pick<ImportedContent, 'pages'>,
  before: Content,
  loadTexts: (paths: Iterable<string>) => Promise<void> = async () => {},
): Promise<ReadonlyMap<string, PageRecord>> {
  const { added, removed } = replacedIn(origins, imported);
  if (added.length === 0 || removed.length === 0) {
    return origins;
  }
  const result = new Map(origins);
  const exact = exactRenames({ added, removed });
  for (const [key, record] of exact) {
    result.set(key, record);
  }
  const found = new Set([...exact.values()].map(({ id }) => id));
  const rest = {
    added: added.filter(({ key }) => !exact.has(key)),
    removed: removed.filter(({ id }) => !found.has(id)),
  };
  for (const [key, record] of await similarRenames(rest, before, loadTexts)) {
    result.set(key, record);
  }
  return result;
}

function replacedIn(
  origins: ReadonlyMap<string, PageRecord>,
  imported: Pick<ImportedContent, 'pages'>,
): Replaced {
  const added = new Map<string, ImportedDocument>();
  const keys = new Set<string>();
  for (const page of listImported(imported.pages)) {
    keys.add(page.key);
    if (page.type === 'document' && !origins.has(page.key)) {
      added.set(page.key, page);
    }
  }
  const removed = [...origins].flatMap(([key, record]) =>
    keys.has(key) || record.type !== 'document' ? [] : [record],
  );
  return { added: [...added.values()], removed };
}

/** Finds the files with the content of exactly one page, and of no other file. */
function exactRenames({ added, removed }: Replaced): Map<string, DocumentRecord> {
  const removedByOid = Map.groupBy(removed, ({ git }) => git?.oid);
  const renames = new Map<string, DocumentRecord>();
  for (const [oid, pages] of Map.groupBy(added, ({ git }) => git.oid)) {
    const [page, records] = [pages[0], removedByOid.get(oid) ?? []];
    const [record] = records;
    if (page && record && pages.length === 1 && records.length === 1) {
      renames.set(page.key, record);
    }
  }
  return renames;
}

/** Finds the files that were renamed and edited. */
async function similarRenames(
  { added, removed }: Replaced,
  before: Content,
  loadTexts: (paths: Iterable<string>) => Promise<void>,
): Promise<Map<string, DocumentRecord>> {
  if (
    Math.max(added.length, removed.length) > MAX_COMPARED_PAGES ||
    Math.min(added.length, removed.length) === 0
  ) {
    return new Map();
  }
  await loadTexts(added.map(({ git }) => git.path));
  const bodies = await before.readBodies(removed);
  const originals = removed.map((record) => ({
    key: record.id,
    names: namesOf(record.git?.path ?? record.slug, record.title),
    text: `${record.title}\n${bodies.get(record.id) ?? ''}`,
  }));
  const texts = added.map(({ key, git, title, markdown }) => ({
    key,
    names: namesOf(git.path, title),
    text: `${title}\n${markdown}`,
  }));
  if (Math.max(lengthOf(originals), lengthOf(texts)) > MAX_COMPARED_CHARACTERS) {
    return new Map();
  }
  const byId = new Map(removed.map((record) => [record.id, record]));
  const renames = new Map<string, DocumentRecord>();
  for (const [key, id] of await similarTexts(originals, texts)) {
    const record = byId.get(id);
    if (record) {
      renames.set(key, record);
    }
  }
  return renames;
}

const namesOf = (path: string, title: string): string[] => [
  `file ${path.slice(path.lastIndexOf('/') + 1)}`,
  `title ${title}`,
];

const lengthOf = (texts: ReadonlyArray<{ text: string }>): number =>
  texts.reduce((length, { text }) => length + text.length, 0);
