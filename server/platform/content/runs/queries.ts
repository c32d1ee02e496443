import { type Selectable, sql } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import type { RunKind, RunsTable } from '../../../database/schema/content/runs.ts';
import { notFound } from '../../../errors/errors.ts';

/** A run as stored. */
export type RunRow = Selectable<RunsTable>;

/** The kinds of Git runs. */
export const GIT_RUNS: readonly RunKind[] = ['git-import', 'git-export'];
/** The kinds of content import runs. */
export const CONTENT_IMPORT_RUNS: readonly RunKind[] = ['content-import'];

/** Approximate size of a run in bytes, for lists. */
export const runBytes = sql<number>`octet_length(${sql.ref('runs.problems')})`;

/** Selects the runs of a space. */
export function runsOf(queries: Queries, space: string, kinds: readonly RunKind[]) {
  return queries
    .selectFrom('runs')
    .selectAll('runs')
    .where('runs.space', '=', space)
    .where('runs.kind', 'in', kinds);
}

/**
 * Finds a run of a space.
 *
 * @throws ContractError 404 if it does not exist, or is not retained any longer
 */
export async function findRun(
  queries: Queries,
  space: string,
  id: string,
  kinds: readonly RunKind[],
): Promise<RunRow> {
  const row = await runsOf(queries, space, kinds).where('runs.id', '=', id).executeTakeFirst();
  if (!row) {
    throw notFound('run');
  }
  return row;
}
