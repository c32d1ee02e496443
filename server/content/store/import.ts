import type { Transaction } from '../../database/database.ts';
import type { MakeId } from '../../database/seams.ts';
import type { ContentProblem, ImportedContent, ImportedReusableContent } from '../repository/types.ts';
import { MAX_FILE_BYTES, requireBlobs } from './blobs.ts';
import { changedPages, type PageChanges } from './changes.ts';
import { asFile, asIds, asPage, Content, contentAt } from './content.ts';
import { keepableText } from './hash.ts';
import { assignFileIds, fileRecords, filesByPath, type StoredFile } from './import-files.ts';
import { assignIds, byOrigin, sameRecord, TreeImport } from './import-pages.ts';
import { type ContentObject, objectLoader } from './objects.ts';
import type { FileRecord, PageRecord, ReusableRecord } from './records.ts';
import { type RevisionFacts, type RevisionRow, storeRevision } from './revisions.ts';
import { type ContentChange, EMPTY, planContent, textObject } from './root.ts';
import { entries } from './trie.ts';
import type { Load } from './values.ts';

/** What an import made. */
export interface ImportResult {
  revision: RevisionRow;
  /** Reads from the new revision; what the import wrote is at hand without the database. */
  content: Content;
  changes: PageChanges;
  /** Entries that could not be taken over, in words for the author, after those of the reading. */
  problems: ContentProblem[];
}

/**
 * Makes a revision of what a repository says. It replaces all that the previous revision had; what comes from the
 * same path as before keeps its id, its dates when it did not change, and costs nothing to store again.
 *
 * @param facts `parents` names the previous revision where there is one
 * @param previous the revision to keep ids and dates from; null for none
 * @param files the bytes of files, see storeFiles
 * @throws MissingObjectError when bytes were swept away since they were stored: store them again
 */
export async function importContent(
  trx: Transaction,
  facts: Omit<RevisionFacts, 'type'>,
  {
    previous,
    imported,
    files,
    makeId,
  }: {
    previous: { root: string } | null;
    imported: ImportedContent;
    files: ReadonlyMap<string, StoredFile>;
    makeId: MakeId;
  },
): Promise<ImportResult> {
  const load = objectLoader(trx, facts.organization);
  const before = previous ? await contentAt(previous.root, load) : new Content(EMPTY, load);
  const { change, problems } = await planImport(before, imported, files, { makeId, now: facts.now });
  const plan = await planContent(previous?.root ?? null, change, load);
  const revision = await storeRevision(trx, { ...facts, type: 'edits' }, plan);
  await requireBlobs(
    trx,
    facts.organization,
    [...(change.files?.values() ?? [])].flatMap((file) => (file ? [file.blob] : [])),
  );
  const content = await contentAt(plan.root, withAtHand(plan.objects, load));
  const changes = await changedPages(previous ? before : null, content);
  return { revision, content, changes, problems: [...imported.problems, ...problems] };
}

/** Works out what an import changes in the previous content. Stores nothing. */
export async function planImport(
  before: Content,
  imported: ImportedContent,
  stored: ReadonlyMap<string, StoredFile>,
  { makeId, now }: { makeId: MakeId; now: Date },
): Promise<{ change: ContentChange; problems: ContentProblem[] }> {
  const [was, reusableBefore] = await Promise.all([readAll(before), before.readReusableContents()]);
  const origins = byOrigin(was.pages.values());
  const filesBefore = filesByPath(was.files.values());
  const fileIds = assignFileIds(imported.files, filesBefore, makeId);
  const files = fileRecords(imported.files, fileIds, filesBefore, stored, now);
  const places = {
    pages: assignIds(imported.pages, origins, makeId),
    files: new Map([...fileIds].filter(([, id]) => files.has(id))),
  };
  const tree = new TreeImport(imported, origins, places, { makeId, now });
  const reusable = reusableContents(imported.reusableContents, reusableBefore, makeId);
  return {
    change: {
      pages: differing(was.pages, tree.records, sameRecord),
      children: differing(was.children, tree.children, sameRecord),
      files: differing(was.files, files, sameRecord),
      reusableContents: reusable.records,
      variables: imported.variables,
      computed: null,
      texts: [...tree.texts, ...reusable.texts],
    },
    problems: [
      ...tree.dropped.map(({ key, title }) => ({
        path: key,
        message: `"${title}" was left out: nothing here can compute its pages. Correct its source and import again.`,
      })),
      ...imported.files
        .filter(({ git }) => !places.files.has(git.path))
        .map(({ git, size }) => ({
          path: git.path,
          message:
            size > MAX_FILE_BYTES
              ? `The file was left out: it has more than ${MAX_FILE_BYTES} bytes. Make it smaller, or link to a copy elsewhere.`
              : 'The file was left out: its content could not be read. Import again.',
        })),
    ],
  };
}

interface Everything {
  pages: Map<string, PageRecord>;
  children: Map<string | null, string[]>;
  files: Map<string, FileRecord>;
}

async function readAll(content: Content): Promise<Everything> {
  const result: Everything = { pages: new Map(), children: new Map(), files: new Map() };
  for (const [key, value] of await entries(content.roots.pages, content.load)) {
    const id = key.slice(2);
    if (key.startsWith('p:')) result.pages.set(id, asPage(value));
    else result.children.set(id === '' ? null : id, asIds(value));
  }
  for (const value of (await entries(content.roots.files, content.load)).values()) {
    const file = asFile(value);
    result.files.set(file.id, file);
  }
  return result;
}

/** The entries of `after` that `before` has not, or not the same, and undefined for those only `before` has. */
function differing<Key, Value>(
  before: ReadonlyMap<Key, Value>,
  after: ReadonlyMap<Key, Value>,
  same: (a: Value, b: Value) => boolean,
): Map<Key, Value | undefined> {
  const changes = new Map<Key, Value | undefined>();
  for (const [key, value] of after) {
    const was = before.get(key);
    if (was === undefined || !same(was, value)) changes.set(key, value);
  }
  for (const key of before.keys()) if (!after.has(key)) changes.set(key, undefined);
  return changes;
}

function reusableContents(
  imported: readonly ImportedReusableContent[],
  before: readonly ReusableRecord[],
  makeId: MakeId,
): { records: ReusableRecord[]; texts: ContentObject[] } {
  const ids = new Map(before.map(({ id, git }) => [git?.path, id]));
  const texts = imported.map(({ markdown }) => textObject(keepableText(markdown)));
  const records = imported.map(({ title, git }, at) => ({
    id: ids.get(git.path) ?? makeId('reusable'),
    title,
    body: texts[at]?.hash ?? '',
    git,
  }));
  return { records, texts };
}

/** Reads what was just written without asking the database for it. */
function withAtHand(objects: readonly ContentObject[], load: Load): Load {
  const atHand = new Map(objects.map(({ hash, data }) => [hash, data]));
  return async (hashes) => {
    const missing = hashes.filter((hash) => !atHand.has(hash));
    if (missing.length > 0) {
      const loaded = await load(missing);
      for (const hash of missing) {
        const text = loaded.get(hash);
        if (text !== undefined) atHand.set(hash, text);
      }
    }
    return atHand;
  };
}
