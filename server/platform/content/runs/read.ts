import type { Page } from '../../../database/lists/keyset.ts';
import type { RunKind } from '../../../database/schema/content/runs.ts';
import { answerList, type ListQuery } from '../../kit/list.ts';
import type { Context, OperationId } from '../../kit/slice.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';
import type { RunContext } from './present.ts';
import { findRun, type RunRow, runBytes, runsOf } from './queries.ts';

/** Kinds of runs that are retrieved and listed together, and their shape in the contract. */
interface RunType<Run> {
  kinds: readonly RunKind[];
  present: (row: RunRow, context: RunContext) => Run;
}

/**
 * Returns one page of the runs of a space, newest first.
 *
 * @param list the operation ID
 * @throws ContractError 404 if the caller cannot view the space
 */
export async function answerRuns<Run>(
  ctx: Context,
  { list, path, query }: { list: OperationId; path: { spaceId: string }; query: ListQuery },
  { kinds, present }: RunType<Run>,
): Promise<Page<Run>> {
  const { query: queries } = ctx.database;
  await spaceFor(queries, ctx.caller.id, path.spaceId, 'view');
  const context = runContext(ctx);
  return await answerList(ctx, runsOf(queries, path.spaceId, kinds), query, {
    list,
    filters: path,
    order: [
      { column: 'runs.createdAt', direction: 'desc' },
      { column: 'runs.id', direction: 'desc' },
    ],
    bytes: runBytes,
    present: (row) => present(row, context),
  });
}

/**
 * Returns a run of a space.
 *
 * @throws ContractError 404 if the caller cannot view the space, or the run does not exist
 */
export async function answerRun<Run>(
  ctx: Context,
  { space, run }: { space: string; run: string },
  { kinds, present }: RunType<Run>,
): Promise<Run> {
  await spaceFor(ctx.database.query, ctx.caller.id, space, 'view');
  return present(await findRun(ctx.database.query, space, run, kinds), runContext(ctx));
}

const runContext = ({ resourceUrls, clock }: Context): RunContext => ({ resourceUrls, now: clock() });
