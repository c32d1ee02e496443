import { addToCounter } from '../../database/counters.ts';
import type { Database, Queries, Transaction } from '../../database/database.ts';
import type { Clock } from '../../database/seams.ts';
import { addReachable, ReachableSet } from '../tree/reachable.ts';
import { detachBlobs, removeExpiredUploads } from './expired-uploads.ts';
import { readObjectTexts } from './objects.ts';
import { removeUnownedPdfs } from './printed-pdfs.ts';
import { SWEEP_COUNTER } from './revisions.ts';

/** Hashes listed, or deleted by one transaction. */
const BATCH_HASHES = 1000;

/** Numbers of texts and files that a sweep removed. */
export interface SweepResult {
  objects: number;
  blobs: number;
}

/**
 * Deletes the objects and blobs of an organization that no revision, integration or image refers to, for example after a
 * space was purged or an import was aborted. May run while others read and write: the long traversal happens outside
 * any transaction, and each small deletion checks the revisions created since. Also deletes the remains of incomplete
 * uploads, and cached PDFs of purged spaces.
 *
 * @param signal Stops the sweep between two steps. Another one continues with what is left.
 */
export async function sweepObjects(
  database: Database,
  organization: string,
  clock: Clock,
  signal?: AbortSignal,
): Promise<SweepResult> {
  const reachable = new ReachableSet();
  await addAllReachable(database.query, organization, reachable, signal);
  const swept: SweepResult = { objects: 0, blobs: 0 };
  for (const table of ['objects', 'blobs'] as const) {
    for await (const hashes of listHashes(database.query, table, organization)) {
      signal?.throwIfAborted();
      const idle = hashes.filter((hash) => !reachable[table].has(hash));
      if (idle.length === 0) {
        continue;
      }
      swept[table] += await database.transaction((trx) =>
        remove(trx, { table, organization, now: clock(), signal }, idle, reachable),
      );
    }
  }
  signal?.throwIfAborted();
  await database.transaction((trx) => removeUnownedPdfs(trx, organization, clock()));
  await removeExpiredUploads(database, organization, clock(), signal);
  return swept;
}

async function remove(
  trx: Transaction,
  {
    table,
    organization,
    now,
    signal,
  }: { table: keyof SweepResult; organization: string; now: Date; signal: AbortSignal | undefined },
  hashes: readonly string[],
  reachable: ReachableSet,
): Promise<number> {
  // Conflicts with each concurrent writer of a revision, see countSweeps.
  await addToCounter(trx, organization, SWEEP_COUNTER, 1);
  await addAllReachable(trx, organization, reachable, signal);
  const idle = hashes.filter((hash) => !reachable[table].has(hash));
  if (idle.length === 0) {
    return 0;
  }
  if (table === 'blobs') {
    return await detachBlobs(trx, organization, idle, now);
  }
  const { numDeletedRows } = await trx
    .deleteFrom(table)
    .where('organization', '=', organization)
    .where('hash', 'in', idle)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

async function addAllReachable(
  queries: Queries,
  organization: string,
  reachable: ReachableSet,
  signal: AbortSignal | undefined,
): Promise<void> {
  const rows = await queries
    .selectFrom('revisions')
    .select('root')
    .distinct()
    .where('organization', '=', organization)
    .execute();
  const load = async (hashes: readonly string[]) => {
    signal?.throwIfAborted();
    return await readObjectTexts(queries, organization, hashes);
  };
  for (const hash of await otherBlobs(queries, organization)) {
    reachable.blobs.add(hash);
  }
  await addReachable(
    rows.map(({ root }) => root),
    load,
    reachable,
  );
}

/** Returns the hashes of the images of an organization, and of the scripts and images of its integrations. */
export async function otherBlobs(queries: Queries, organization: string): Promise<string[]> {
  const rows = await queries
    .selectFrom('integrationVersions')
    .select('script as hash')
    .where('organization', '=', organization)
    .union(queries.selectFrom('integrationAssets').select('hash').where('organization', '=', organization))
    .union(queries.selectFrom('organizationFiles').select('hash').where('organization', '=', organization))
    .execute();
  return rows.map(({ hash }) => hash);
}

/** Lists the hashes of all objects or files of an organization, in batches. */
export async function* listHashes(
  queries: Queries,
  table: keyof SweepResult,
  organization: string,
): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const rows = await queries
      .selectFrom(table)
      .select('hash')
      .where('organization', '=', organization)
      .where('hash', '>', after)
      .orderBy('hash')
      .limit(BATCH_HASHES)
      .execute();
    const last = rows.at(-1);
    if (!last) {
      return;
    }
    yield rows.map(({ hash }) => hash);
    after = last.hash;
  }
}
