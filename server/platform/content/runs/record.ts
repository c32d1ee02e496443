import type { Insertable, Updateable } from 'kysely';
import type { Queries, Transaction } from '../../../database/database.ts';
import { writeJson } from '../../../database/json.ts';
import type { RunsTable, StoredFailureReason, StoredProblem } from '../../../database/schema/content/runs.ts';
import type { Clock } from '../../../database/seams.ts';

/** Number of ended runs that are retained per space. Creating a run deletes older ones. */
export const MAX_RETAINED_RUNS = 100;
/** Maximum number of problems that a run lists. */
export const MAX_RUN_PROBLEMS = 100;
/** Maximum length of the path and of the message of a problem, and of the message of a failure. */
export const MAX_RUN_TEXT_CHARACTERS = 1024;

/** The cause of a failed run, described for the caller. */
export interface RunFailure {
  reason: StoredFailureReason;
  message: string;
}

/** A problem of a source, before it is shortened. */
export interface ReportedProblem extends Omit<StoredProblem, 'file'> {
  path: string;
}

/** The result of a run so far. Omitted values are unchanged. */
export interface RunResult {
  /** In percent. */
  progress?: number;
  /** Numbers of pages and files. */
  counts?: { pages: number; files: number };
  problems?: readonly ReportedProblem[];
  oid?: string;
  revision?: string;
  changeRequest?: string;
}

type NewRun = Pick<Insertable<RunsTable>, 'id' | 'organization' | 'space' | 'kind' | 'url'> &
  Partial<
    Pick<
      Insertable<RunsTable>,
      'changeRequest' | 'source' | 'ref' | 'startedAt' | 'expiresAt' | 'request' | 'createdBy'
    >
  >;

/** Returns the ID of the run of a job. */
export function runOfJob(job: { id: string }): string {
  return job.id.replace(/^[^_]*/, 'run');
}

/** Creates a run, pending unless it has started, and deletes the oldest ended runs of its space. */
export async function createRun(trx: Transaction, { clock }: { clock: Clock }, run: NewRun): Promise<void> {
  const now = clock().toISOString();
  await trx
    .insertInto('runs')
    .values({
      status: run.startedAt ? 'running' : 'pending',
      progress: 0,
      pages: 0,
      files: 0,
      problemCount: 0,
      problems: writeJson<StoredProblem[]>([]),
      createdAt: now,
      ...run,
    })
    .execute();
  await deleteOldRuns(trx, run.space, now);
}

async function deleteOldRuns(trx: Transaction, space: string, now: string): Promise<void> {
  const old = await trx
    .selectFrom('runs')
    .select('id')
    .where('space', '=', space)
    .where((run) => run.or([run('endedAt', 'is not', null), run('expiresAt', '<=', now)]))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    // Leaves room for the run that was just created.
    .offset(MAX_RETAINED_RUNS - 1)
    .limit(MAX_RETAINED_RUNS)
    .execute();
  if (old.length > 0) {
    const ids = old.map(({ id }) => id);
    await trx.deleteFrom('runs').where('id', 'in', ids).execute();
  }
}

/** Records that an attempt of a run starts. Has no effect on a run that has ended. */
export async function startRun(queries: Queries, { clock }: { clock: Clock }, id: string): Promise<void> {
  const now = clock().toISOString();
  await open(queries, id)
    .set((run) => ({
      status: 'running',
      startedAt: run.fn.coalesce('startedAt', run.val(now)),
      failureReason: null,
      failureMessage: null,
    }))
    .execute();
}

/** Records the result of a run so far. Has no effect on a run that has ended. */
export async function updateRun(queries: Queries, id: string, result: RunResult): Promise<void> {
  await open(queries, id).set(columnsOf(result)).execute();
}

/** Records that a run was completed, in the transaction that makes its result visible or after it. */
export async function completeRun(
  queries: Queries,
  { clock }: { clock: Clock },
  id: string,
  result: RunResult = {},
): Promise<void> {
  await queries
    .updateTable('runs')
    .set({
      ...columnsOf(result),
      status: 'completed',
      progress: 100,
      failureReason: null,
      failureMessage: null,
      endedAt: clock().toISOString(),
    })
    .where('id', '=', id)
    .execute();
}

/** Records why an attempt of a run failed, for the case that it was the last one: see {@link failRun}. */
export async function recordFailure(queries: Queries, id: string, failure: RunFailure): Promise<void> {
  await open(queries, id).set(failureColumns(failure)).execute();
}

/**
 * Records that a run failed, with the cause that its last attempt recorded, otherwise with the specified one. Has no
 * effect on a run that has ended.
 */
export async function failRun(
  queries: Queries,
  { clock }: { clock: Clock },
  id: string,
  { reason, message }: RunFailure,
): Promise<void> {
  await open(queries, id)
    .set((run) => ({
      status: 'failed',
      failureReason: run.fn.coalesce('failureReason', run.val(reason)),
      failureMessage: run.fn.coalesce('failureMessage', run.val(shorten(message))),
      endedAt: clock().toISOString(),
    }))
    .execute();
}

const open = (queries: Queries, id: string) =>
  queries.updateTable('runs').where('id', '=', id).where('endedAt', 'is', null);

function columnsOf({
  progress,
  counts,
  problems,
  oid,
  revision,
  changeRequest,
}: RunResult): Updateable<RunsTable> {
  return {
    ...(progress !== undefined && { progress }),
    ...counts,
    ...(problems && {
      problemCount: problems.length,
      problems: writeJson(problems.slice(0, MAX_RUN_PROBLEMS).map(storedProblem)),
    }),
    ...(oid !== undefined && { oid }),
    ...(revision !== undefined && { revision }),
    ...(changeRequest !== undefined && { changeRequest }),
  };
}

function storedProblem({ path, line, reason, message }: ReportedProblem): StoredProblem {
  return {
    file: shorten(path),
    ...(line !== undefined && { line }),
    reason,
    message: shorten(message),
  };
}

const failureColumns = ({ reason, message }: RunFailure) => ({
  failureReason: reason,
  failureMessage: shorten(message),
});

function shorten(text: string): string {
  return text.length <= MAX_RUN_TEXT_CHARACTERS
    ? text
    : `${text.slice(0, MAX_RUN_TEXT_CHARACTERS - 1).toWellFormed()}…`;
}
