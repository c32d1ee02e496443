import type { Database, Queries, Transaction } from '../../../../database/database.ts';
import { readJson } from '../../../../database/json.ts';
import type { SpaceGit } from '../../../../database/schema/spaces/spaces.ts';
import { jobKind } from '../../../../jobs/queue.ts';
import { contentSweep } from '../../../kit/jobs/content-sweep.ts';
import { startPeriodicJob } from '../../../kit/periodic-jobs.ts';
import type { Services } from '../../../kit/slice.ts';

/** Number of the latest revisions of the main content of a space that are retained in any case. */
export const MIN_RETAINED_REVISIONS = 100;
/** Number of revisions that one transaction deletes, so that other writers do not wait long. */
const REVISION_BATCH_SIZE = 500;
/** Delay of the sweep of an organization: the time limit of the job, which has deleted all its revisions by then. */
const SWEEP_DELAY_MS = 15 * 60 * 1000;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Interval for a process to check whether the deletion is due. */
const RETENTION_CHECK_INTERVAL_MS = 60 * 60 * 1000;
/** Key of the setting that stores when the deletion was last requested. */
const SETTING_KEY = 'revisionPruningRequestedAt';

/** Deletes the revisions of all spaces that were replaced before a time, and that nothing refers to. */
export const pruneRevisions = jobKind<{ before: string }>('prune-revisions');

/** Requests the deletion each day while the server runs. Returns a function that stops it. */
export const startRevisionPruning = (
  services: Services,
  retentionDays: number,
): Promise<() => Promise<void>> => {
  const enqueue = async (trx: Transaction, now: Date) => {
    const before = new Date(now);
    before.setUTCDate(before.getUTCDate() - retentionDays);
    // The job covers every organization and belongs to none.
    const payload = { before: before.toISOString() };
    await services.queue.enqueue(trx, { kind: pruneRevisions, organization: '', key: SETTING_KEY, payload });
  };
  const description = 'the deletion of old revisions';
  const job = { setting: SETTING_KEY, intervalMs: DAY_MS, description, enqueue };
  return startPeriodicJob(services, job, RETENTION_CHECK_INTERVAL_MS);
};

/** Registers the worker of the job. */
export function registerRevisionPruning(services: RetentionServices): void {
  services.queue.register(pruneRevisions, async ({ payload }, signal) => {
    await deleteReplacedRevisions(services, payload.before, signal);
  });
}

type RetentionServices = Pick<Services, 'queue' | 'database' | 'clock'>;

/** Deletes the revisions of all spaces that were replaced before a time, and that nothing refers to. */
export async function deleteReplacedRevisions(
  services: RetentionServices,
  before: string,
  signal: AbortSignal,
): Promise<void> {
  const swept = new Set<string>();
  for (let after = ''; ; ) {
    const spaces = await services.database.query
      .selectFrom('spaces')
      .select(['id', 'organization'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(REVISION_BATCH_SIZE)
      .execute();
    const last = spaces.at(-1);
    if (!last) {
      return;
    }
    for (const space of spaces) {
      await pruneSpace(services, space, { before, swept, signal });
    }
    after = last.id;
  }
}

interface PrunedSpace {
  id: string;
  organization: string;
}

/** Deletes revisions of a space, and with the first ones of an organization requests the sweep of their content. */
async function pruneSpace(
  { database, queue, clock }: RetentionServices,
  { id: space, organization }: PrunedSpace,
  { before, swept, signal }: { before: string; swept: Set<string>; signal: AbortSignal },
): Promise<void> {
  let retained: ReadonlySet<string> | undefined;
  for await (const replaced of replacedRevisions(database.query, space, before)) {
    signal.throwIfAborted();
    // What is referred to later was current at that time, so that it was not replaced before.
    retained ??= await referredRevisions(database, space);
    const deleted = replaced.filter((id) => !retained?.has(id));
    if (deleted.length === 0) {
      continue;
    }
    await database.transaction(async (trx) => {
      await trx.deleteFrom('revisions').where('space', '=', space).where('id', 'in', deleted).execute();
      if (!swept.has(organization)) {
        const runAt = new Date(clock().getTime() + SWEEP_DELAY_MS);
        await queue.enqueue(trx, { kind: contentSweep, organization, runAt, payload: { organization } });
      }
    });
    swept.add(organization);
  }
}

/** Lists the revisions that another one of the same main content or change request replaced before a time, in batches. */
async function* replacedRevisions(queries: Queries, space: string, before: string): AsyncGenerator<string[]> {
  /** The latest revision so far by change request; null for the main content. */
  const latest = new Map<string | null, string>();
  for (let after = { createdAt: '', id: '' }; ; ) {
    const rows = await queries
      .selectFrom('revisions')
      .select(['id', 'createdAt', 'changeRequest'])
      .where('space', '=', space)
      .where('createdAt', '<', before)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('createdAt', 'id'), '>', tuple(after.createdAt, after.id)),
      )
      .orderBy('createdAt')
      .orderBy('id')
      .limit(REVISION_BATCH_SIZE)
      .execute();
    const last = rows.at(-1);
    if (!last) {
      return;
    }
    yield rows.flatMap(({ id, changeRequest }) => {
      const replaced = latest.get(changeRequest);
      latest.set(changeRequest, id);
      return replaced ?? [];
    });
    after = last;
  }
}

/** Returns the revisions of a space that something refers to, or that show who contributed to a change request. */
async function referredRevisions({ query }: Database, space: string): Promise<ReadonlySet<string>> {
  const inTable = (table: 'comments' | 'reviews' | 'requestedReviewers' | 'runs') =>
    query.selectFrom(table).select('revision as id').where('space', '=', space);
  const ofRequests = (column: 'revision' | 'revisionInitial' | 'revisionMergedAncestor' | 'revisionMerged') =>
    query.selectFrom('changeRequests').select(`${column} as id`).where('space', '=', space);
  const ofSpace = (column: 'revision' | 'searchedRevision') =>
    query.selectFrom('spaces').select(`${column} as id`).where('id', '=', space);
  const ofSource = (column: 'runSource' | 'translatedSource') =>
    query.selectFrom('translations').select(`${column} as id`).where('sourceSpace', '=', space);
  const referring = [
    inTable('comments'),
    inTable('reviews'),
    inTable('requestedReviewers'),
    inTable('runs'),
    ofRequests('revision'),
    ofRequests('revisionInitial'),
    ofRequests('revisionMergedAncestor'),
    ofRequests('revisionMerged'),
    ofSpace('revision'),
    ofSpace('searchedRevision'),
    ofSource('runSource'),
    ofSource('translatedSource'),
    query.selectFrom('translations').select('resultRevision as id').where('resultSpace', '=', space),
    query
      .selectFrom('revisions')
      .select(({ fn }) => fn.min('id').as('id'))
      .where('space', '=', space)
      .where('changeRequest', 'is not', null)
      .groupBy(['createdBy', 'changeRequest']),
    query
      .selectFrom('revisions')
      .select('id')
      .where('space', '=', space)
      .where('changeRequest', 'is', null)
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(MIN_RETAINED_REVISIONS),
  ];
  const retained = new Set<string>();
  for (const rows of referring) {
    for (const { id } of await rows.execute()) {
      retained.add(id ?? '');
    }
  }
  for (const git of await synchronizations(query, space)) {
    retained.add(git.revision).add(git.imported ?? '');
  }
  return retained;
}

async function synchronizations(queries: Queries, space: string): Promise<SpaceGit[]> {
  const current = await queries.selectFrom('spaces').select('git').where('id', '=', space).execute();
  const branches = await queries
    .selectFrom('syncedBranches')
    .select('git')
    .where('space', '=', space)
    .execute();
  return [...current, ...branches].flatMap(({ git }) => (git === null ? [] : [readJson(git)]));
}
