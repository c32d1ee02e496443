import type { Database } from '../../database/database.ts';
import type { CreateId } from '../../database/seams.ts';
import { planContent } from '../edit/plan-content.ts';
import type { FindAddresses } from '../links/text-links.ts';
import {
  addRecordedTexts,
  assignIds,
  bodyOf,
  byOrigin,
  type DateOfFile,
  type ImportedBodies,
  importedTexts,
  TreeImport,
} from '../repository/read/records.ts';
import type {
  ContentProblem,
  GitOrigin,
  ImportedContent,
  ImportedReusableContent,
} from '../repository/types.ts';
import { MAX_FILE_BYTES } from '../store/blobs.ts';
import { openContent } from '../store/content.ts';
import { objectBatches, storedObjects, storeNewTexts } from '../store/objects.ts';
import { countSweeps, storeAhead } from '../store/revisions.ts';
import type { ContentChange, PlannedContent } from '../tree/change.ts';
import { asFile, asIds, asPage, type Content } from '../tree/content.ts';
import { isSameRecord } from '../tree/dates.ts';
import type { ContentObject } from '../tree/objects.ts';
import type { FileRecord, PageRecord, ReusableRecord, StoredFile } from '../tree/records.ts';
import { entries } from '../tree/trie.ts';
import { assignFileIds, fileRecords, filesByPath } from './import-files.ts';
import { type GitOrigins, relocated } from './origins.ts';
import { withRenames } from './renames.ts';

/** An import that is ready to be stored. Its texts are stored already. */
export interface PreparedImport {
  planned: PlannedContent;
  /** Hashes of the bytes that its files need. */
  blobs: string[];
  /** Number of sweeps before the first text was stored. */
  sweeps: number;
  /** Content that could not be imported, described for the author, after the problems of reading. */
  problems: ContentProblem[];
  /** Hashes of its texts. */
  bodies: ImportedBodies;
}

/**
 * Prepares a revision of the content of a repository, outside a transaction. It replaces all content of the previous
 * revision. An entity with the same path as before keeps its ID, and its dates if unchanged, and is not stored again.
 * Texts are stored while they are read, in small transactions.
 *
 * @param previous the revision to take IDs and dates from
 * @param files the bytes of files, see storeFiles
 * @param findAddresses reads new texts
 * @param origins of the content in the repository; by default those of the last synchronization
 * @param loadTexts makes texts available by path that were not needed to read the repository
 * @param dateOf the dates of the files of pages; by default the current time
 */
export async function prepareImport(
  database: Database,
  {
    previous,
    imported,
    files,
    createId,
    now,
    findAddresses,
    origins,
    loadTexts,
    dateOf,
  }: {
    previous: { organization: string; root: string };
    imported: ImportedContent;
    files: ReadonlyMap<string, StoredFile>;
    createId: CreateId;
    now: Date;
    findAddresses?: FindAddresses;
    origins?: GitOrigins;
    loadTexts?: (paths: Iterable<string>) => Promise<void>;
    dateOf?: DateOfFile;
  },
): Promise<PreparedImport> {
  const { organization } = previous;
  const sweeps = await countSweeps(database.query, organization);
  const before = await openContent(database.query, previous);
  const findStored = (hashes: readonly string[]) => storedObjects(database.query, organization, hashes);
  const store = (texts: readonly ContentObject[]) => storeNewTexts(database, organization, texts);
  const { change, problems, bodies } = await planImport(before, imported, files, {
    createId,
    now,
    store,
    findStored,
    loadTexts,
    origins,
    dateOf,
  });
  const planned = await storeAhead(
    database,
    organization,
    await planContent(previous.root, change, before.load, findAddresses),
  );
  return {
    // Stored texts are not needed again: after a sweep, the number of sweeps causes the import to be planned again.
    planned: planned.storedAfterSweeps === undefined ? planned : { ...planned, objects: [] },
    blobs: [...(change.files?.values() ?? [])].flatMap((file) => (file ? [file.blob] : [])),
    sweeps,
    problems: [...imported.problems, ...problems],
    bodies,
  };
}

/**
 * Plans the changes of an import to the previous content.
 *
 * @param store stores texts in batches: only one batch is in memory
 * @param findStored returns the hashes of stored texts
 * @param loadTexts makes texts available by path that were not needed to read the repository
 * @param origins of the previous content in the repository; by default those of the last synchronization
 */
export async function planImport(
  before: Content,
  imported: ImportedContent,
  stored: ReadonlyMap<string, StoredFile>,
  {
    createId,
    now,
    store,
    findStored,
    loadTexts,
    origins: gitOrigins,
    dateOf,
  }: {
    createId: CreateId;
    now: Date;
    store: (texts: readonly ContentObject[]) => Promise<void>;
    findStored: (hashes: readonly string[]) => Promise<ReadonlySet<string>>;
    loadTexts?: ((paths: Iterable<string>) => Promise<void>) | undefined;
    origins?: GitOrigins | undefined;
    dateOf?: DateOfFile | undefined;
  },
): Promise<{ change: ContentChange } & Pick<PreparedImport, 'problems' | 'bodies'>> {
  const [existing, reusableBefore] = await Promise.all([readAll(before), before.readReusableContents()]);
  const pagesBefore = [...existing.pages.values()].map((page) => locatedPage(page, gitOrigins));
  const origins = await withRenames(byOrigin(pagesBefore), imported, before, loadTexts);
  const filesBefore = filesByPath(
    [...existing.files.values()].map((file) => located(file, gitOrigins?.files)),
  );
  const fileIds = assignFileIds(imported.files, filesBefore, createId);
  const files = fileRecords(imported.files, fileIds, filesBefore, stored, now);
  const ids = {
    pages: assignIds(imported.pages, origins, createId),
    files: new Map([...fileIds].filter(([, id]) => files.has(id))),
  };
  const bodies: ImportedBodies = new Map();
  const current = new Set(
    [...existing.pages.values()].map((page) => ('body' in page ? page.body : undefined)),
  );
  const unknown = await addRecordedTexts(imported, bodies, async (hashes) => {
    // The current revision refers to its texts, so that they are stored.
    const others = hashes.filter((hash) => !current.has(hash));
    const stored = others.length > 0 ? await findStored(others) : new Set<string>();
    return new Set(hashes.filter((hash) => current.has(hash) || stored.has(hash)));
  });
  await loadTexts?.(unknown.map(({ git }) => git.path));
  for (const batch of objectBatches(importedTexts(unknown, bodies))) {
    await store(batch);
  }
  const tree = new TreeImport(imported, origins, ids, { createId, now, bodies, dateOf });
  return {
    change: {
      pages: differing(existing.pages, tree.records, isSameRecord),
      children: differing(existing.children, tree.children, isSameRecord),
      files: differing(existing.files, files, isSameRecord),
      reusableContents: reusableContents(
        imported.reusableContents,
        reusableBefore.map((reusable) => located(reusable, gitOrigins?.reusableContents)),
        { createId, bodies },
      ),
      redirects: imported.redirects.flatMap(({ page: path, ...redirect }) => {
        const page = ids.pages.get(path);
        return page === undefined ? [] : [{ ...redirect, page }];
      }),
      variables: imported.variables,
      computed: null,
    },
    bodies,
    problems: problemsOf(imported, tree, ids.files),
  };
}

/** Lists the pages and files of an import that are skipped. */
function problemsOf(
  imported: ImportedContent,
  tree: TreeImport,
  files: ReadonlyMap<string, string>,
): PreparedImport['problems'] {
  return [
    ...tree.dropped.map(({ key, title }) => ({
      path: key,
      reason: 'unsupported' as const,
      message: `"${title}" was skipped: its source is not supported. Correct the source and import again.`,
    })),
    ...imported.files
      .filter(({ git }) => !files.has(git.path))
      .map(({ git, size }) => ({
        path: git.path,
        reason: size > MAX_FILE_BYTES ? ('too_large' as const) : ('unreadable' as const),
        message:
          size > MAX_FILE_BYTES
            ? `The file was skipped: it exceeds ${MAX_FILE_BYTES} bytes. Reduce it, or link to a copy elsewhere.`
            : 'The file was skipped: its content could not be read. Import again.',
      })),
  ];
}

/** Returns a record with its origin in the repository of an import. */
function located<Located extends { id: string; git?: GitOrigin }>(
  record: Located,
  origins: ReadonlyMap<string, GitOrigin> | undefined,
): Located {
  if (!origins) {
    return record;
  }
  const { git: _, ...rest } = record;
  const git = relocated(record.git, origins, record.id);
  // The type without its origin is the same: it is optional.
  return { ...rest, ...(git && { git }) } as Located;
}

function locatedPage(page: PageRecord, origins: GitOrigins | undefined): PageRecord {
  if (page.type === 'document' || origins === undefined) {
    return located(page, origins?.pages);
  }
  const { origin: _, ...rest } = page;
  const origin = origins.origins.get(page.id);
  return { ...rest, ...(origin !== undefined && { origin }) };
}

interface ImportedParts {
  pages: Map<string, PageRecord>;
  children: Map<string | null, string[]>;
  files: Map<string, FileRecord>;
}

async function readAll(content: Content): Promise<ImportedParts> {
  const result: ImportedParts = { pages: new Map(), children: new Map(), files: new Map() };
  for (const [key, value] of await entries(content.roots.pages, content.load)) {
    const id = key.slice(2);
    if (key.startsWith('p:')) {
      result.pages.set(id, asPage(value));
    } else {
      result.children.set(id === '' ? null : id, asIds(value));
    }
  }
  for (const value of (await entries(content.roots.files, content.load)).values()) {
    const file = asFile(value);
    result.files.set(file.id, file);
  }
  return result;
}

/** Returns the entries of `after` that are new or different, and undefined for those only in `before`. */
function differing<Key, Value>(
  before: ReadonlyMap<Key, Value>,
  after: ReadonlyMap<Key, Value>,
  same: (a: Value, b: Value) => boolean,
): Map<Key, Value | undefined> {
  const changes = new Map<Key, Value | undefined>();
  for (const [key, value] of after) {
    const previous = before.get(key);
    if (previous === undefined || !same(previous, value)) {
      changes.set(key, value);
    }
  }
  for (const key of before.keys()) {
    if (!after.has(key)) {
      changes.set(key, undefined);
    }
  }
  return changes;
}

function reusableContents(
  imported: readonly ImportedReusableContent[],
  before: readonly ReusableRecord[],
  { createId, bodies }: { createId: CreateId; bodies: ImportedBodies },
): ReusableRecord[] {
  const ids = new Map(before.map(({ id, git }) => [git?.path, id]));
  return imported.map((reusable) => ({
    id: ids.get(reusable.git.path) ?? createId('reusable'),
    title: reusable.title,
    body: bodyOf(bodies, reusable),
    ...(reusable.linksFrom !== undefined && { linksFrom: reusable.linksFrom }),
    ...(reusable.linksRoot !== undefined && { linksRoot: reusable.linksRoot }),
    git: reusable.git,
  }));
}
