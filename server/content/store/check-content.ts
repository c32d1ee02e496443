import { batches } from '../../database/batches.ts';
import type { CheckContext, Findings } from '../../database/checks/findings.ts';
import type { Queries } from '../../database/database.ts';
import { hashOf } from '../tree/hash.ts';
import { addReachable, ReachableSet } from '../tree/reachable.ts';
import { readObjectTexts, storedHashes } from './objects.ts';
import { findRevision } from './revisions.ts';
import { listHashes, otherBlobs, sweepObjects } from './sweep.ts';

/** Number of objects whose texts are read at a time, to compare them with their hashes. */
const BATCH_TEXTS = 64;
/** Hashes or revisions that are read at a time. */
const BATCH_ROWS = 1000;

/** Objects and files that an organization refers to. */
export interface Referenced {
  reachable: ReachableSet;
  /** Whether all trees could be read. */
  isComplete: boolean;
}

/** Reads the trees of all revisions of an organization. Reports those that cannot be read. */
export async function referencedContent(
  { database: { query } }: CheckContext,
  organization: string,
  findings: Findings,
): Promise<Referenced> {
  const reachable = new ReachableSet();
  let isComplete = true;
  for await (const { id, space, root } of listRevisions(query, organization)) {
    findings.examined++;
    try {
      await addReachable([root], (hashes) => readObjectTexts(query, organization, hashes), reachable);
    } catch (error) {
      if (!(await findRevision(query, space, id))) {
        // Purged since it was listed.
        continue;
      }
      isComplete = false;
      const cause = error instanceof Error ? error.message : String(error);
      findings.add(
        `The content of the revision ${id} of the space ${space} (${organization}) cannot be read: ${cause} ` +
          'Reading it fails, and so does exporting it. Restore a backup.',
      );
    }
  }
  for (const hash of await otherBlobs(query, organization)) {
    reachable.blobs.add(hash);
  }
  return { reachable, isComplete };
}

/** Reports objects that revisions refer to and that are missing, and those whose text is not that of their hash. */
export async function checkObjects(
  { database: { query } }: CheckContext,
  organization: string,
  { reachable, isComplete }: Referenced,
  findings: Findings,
): Promise<void> {
  const missing = await missingHashes(query, 'objects', organization, reachable.objects);
  // Those of trees that cannot be read are reported with their revisions.
  if (missing.length > 0 && isComplete) {
    for (const [hash, revision] of await revisionsWith(query, organization, 'objects', missing)) {
      findings.add(
        `The text ${hash} of a page in the revision ${revision} (${organization}) is missing. ` +
          'Reading that page fails. Restore a backup, or delete the page.',
      );
    }
  }
  for await (const hashes of listHashes(query, 'objects', organization)) {
    for (const batch of batches(hashes, BATCH_TEXTS)) {
      findings.examined += batch.length;
      const rows = await query
        .selectFrom('objects')
        .select(['hash', 'data'])
        .where('organization', '=', organization)
        .where('hash', 'in', batch)
        .execute();
      for (const { hash } of rows.filter(({ hash, data }) => hashOf(data) !== hash)) {
        findings.add(
          `The object ${hash} of ${organization} is damaged: its text was changed. Restore a backup.`,
        );
      }
    }
  }
}

/** Returns the files that are referred to and missing, with a resource that refers to each. */
export async function missingFiles(
  { database: { query } }: CheckContext,
  organization: string,
  { reachable, isComplete }: Referenced,
): Promise<Map<string, string>> {
  const missing = await missingHashes(query, 'blobs', organization, reachable.blobs);
  if (missing.length === 0) {
    return new Map();
  }
  const others = new Set(await otherBlobs(query, organization));
  const ofOthers = missing
    .filter((hash) => others.has(hash))
    .map((hash) => [hash, 'an integration or an image of the organization'] as const);
  const ofRevisions = isComplete ? await revisionsWith(query, organization, 'blobs', missing) : [];
  return new Map([
    ...[...ofRevisions].map(([hash, id]) => [hash, `the revision ${id}`] as const),
    ...ofOthers,
  ]);
}

/** Counts the objects and files to which nothing refers, and deletes them on request. */
export async function checkUnused(
  { database, now, repair }: CheckContext,
  organization: string,
  { reachable, isComplete }: Referenced,
  findings: Findings,
): Promise<void> {
  let unused = 0;
  for (const table of ['objects', 'blobs'] as const) {
    for await (const hashes of listHashes(database.query, table, organization)) {
      unused += hashes.filter((hash) => !reachable[table].has(hash)).length;
    }
  }
  // What an unreadable tree refers to is unknown.
  if (unused === 0 || !isComplete) {
    return;
  }
  if (repair) {
    const { objects, blobs } = await sweepObjects(database, organization, () => now);
    findings.notes.push(
      `Deleted ${objects} objects and ${blobs} files of ${organization} that nothing refers to.`,
    );
  } else {
    findings.notes.push(
      `${unused} objects and files of ${organization} are not referred to, for example after an aborted import. ` +
        'They are deleted with --repair.',
    );
  }
}

async function missingHashes(
  queries: Queries,
  table: 'objects' | 'blobs',
  organization: string,
  hashes: Iterable<string>,
): Promise<string[]> {
  const missing: string[] = [];
  for (const batch of batches(hashes, BATCH_ROWS)) {
    const stored = await storedHashes(queries, table, organization, batch);
    missing.push(...batch.filter((hash) => !stored.has(hash)));
  }
  return missing;
}

/** Finds a revision for each object or file, by reading the trees of all revisions again. */
async function revisionsWith(
  queries: Queries,
  organization: string,
  kind: 'objects' | 'blobs',
  requested: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { id, root } of listRevisions(queries, organization)) {
    const reachable = new ReachableSet();
    await addReachable([root], (hashes) => readObjectTexts(queries, organization, hashes), reachable);
    for (const hash of requested.filter((hash) => reachable[kind].has(hash) && !found.has(hash))) {
      found.set(hash, id);
    }
    if (found.size === requested.length) {
      break;
    }
  }
  return found;
}

async function* listRevisions(queries: Queries, organization: string) {
  for (let after = ''; ; ) {
    const rows = await queries
      .selectFrom('revisions')
      .select(['id', 'space', 'root'])
      .where('organization', '=', organization)
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH_ROWS)
      .execute();
    yield* rows;
    const last = rows.at(-1);
    if (!last) {
      return;
    }
    after = last.id;
  }
}
