import type { Queries, Transaction } from '../../../../database/database.ts';
import type { StoredFailureReason } from '../../../../database/schema/content/runs.ts';
import { JobFailure } from '../../../../jobs/queue.ts';
import type { RunFailure } from '../../../content/runs/record.ts';
import type { Services } from '../../../kit/slice.ts';
import type { TranslationRow } from '../queries.ts';
import type { RunPart } from '../rules.ts';

/** A run cannot be completed, and another attempt would fail, too. The message states how to fix it. */
export class TranslationFailure extends JobFailure {
  readonly reason: StoredFailureReason;

  constructor(reason: StoredFailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Creates the failure of a run whose source does not exist. */
export const sourceMissing = () =>
  new TranslationFailure(
    'not_found',
    'The source space does not exist in the organization. Create a translation of another space.',
  );

/** Finds the translation of a run that has not ended. */
export const findRun = (queries: Queries, { translation, run }: Pick<RunPart, 'translation' | 'run'>) =>
  queries
    .selectFrom('translations')
    .selectAll()
    .where('id', '=', translation)
    .where('run', '=', run)
    .where('running', '=', 1)
    .executeTakeFirst();

/** Finds a space of the organization that is not deleted. */
export const findSpace = (queries: Queries, organization: string, id: string) =>
  queries
    .selectFrom('spaces')
    .selectAll()
    .where('id', '=', id)
    .where('organization', '=', organization)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();

/**
 * Starts a run, or continues one that started. The run translates the current revision of the source, with the current
 * instructions. If the source does not exist, the run ends, and its `runSource` is null.
 *
 * @returns undefined if the run has ended or the translation was deleted
 */
export async function startRun(
  trx: Transaction,
  { clock }: Services,
  part: RunPart,
): Promise<TranslationRow | undefined> {
  const row = await trx
    .selectFrom('translations')
    .selectAll()
    .where('id', '=', part.translation)
    .executeTakeFirst();
  if (!row || row.run > part.run) {
    return undefined;
  }
  if (row.run === part.run) {
    return row.running ? row : undefined;
  }
  const source = await findSpace(trx, row.organization, row.sourceSpace);
  const result =
    row.resultSpace === null ? undefined : await findSpace(trx, row.organization, row.resultSpace);
  const now = clock().toISOString();
  const failure = source ? undefined : sourceMissing();
  const started = await trx
    .updateTable('translations')
    .set({
      status: source ? 'running' : 'pending',
      run: part.run,
      running: source ? 1 : 0,
      runStartedAt: now,
      runSource: source?.revision ?? null,
      runInstructions: row.instructions,
      runs: row.runs + 1,
      latestDuration: 0,
      latestPages: 0,
      latestWords: 0,
      // A result that was deleted is created again, with all pages.
      ...(source && !result && { resultSpace: null, resultRevision: null, translatedSource: null }),
      failureReason: failure?.reason ?? null,
      failureMessage: failure?.message ?? null,
      updatedAt: now,
    })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return started;
}

/** Ends a run that cannot be completed. The translated segments remain for the next run. */
export async function endFailedRun(
  trx: Transaction,
  { clock }: Services,
  part: RunPart,
  { reason, message }: RunFailure,
): Promise<void> {
  const row = await findRun(trx, part);
  if (row) {
    await trx
      .updateTable('translations')
      .set({
        status: 'pending',
        failureReason: reason,
        failureMessage: message,
        ...endOfRun(row, clock()),
      })
      .where('id', '=', row.id)
      .execute();
  }
}

/** The columns that change with the end of a run. */
export function endOfRun({ runStartedAt, totalDuration }: TranslationRow, now: Date) {
  const duration = Math.max(0, now.getTime() - Date.parse(runStartedAt ?? now.toISOString()));
  return {
    running: 0,
    latestDuration: duration,
    totalDuration: totalDuration + duration,
    updatedAt: now.toISOString(),
  };
}
