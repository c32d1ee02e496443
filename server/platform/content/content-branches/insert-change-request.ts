import type { Selectable } from 'kysely';
import type { Transaction } from '../../../database/database.ts';
import type { ChangeRequestsTable } from '../../../database/schema/content/change-requests.ts';
import type { Clock } from '../../../database/seams.ts';

type Columns = Selectable<ChangeRequestsTable>;

/** A new change request, without comments and reviews. */
export type NewChangeRequest = Pick<
  Columns,
  'id' | 'organization' | 'space' | 'status' | 'subject' | 'createdBy' | 'revision' | 'revisionInitial'
> &
  Partial<Pick<Columns, 'agentTaskId'>>;

/** Inserts a change request with the next number of its space. */
export async function insertChangeRequest(
  trx: Transaction,
  { clock }: { clock: Clock },
  changeRequest: NewChangeRequest,
): Promise<Columns> {
  const now = clock().toISOString();
  return await trx
    .insertInto('changeRequests')
    .values({
      agentTaskId: null,
      ...changeRequest,
      number: await nextNumber(trx, changeRequest.space),
      createdAt: now,
      updatedAt: now,
      revisionMergedAncestor: null,
      revisionMerged: null,
    })
    // If two transactions insert the same number at once, PostgreSQL makes one of them retry with `DO NOTHING`,
    // and fail without it.
    .onConflict((conflict) => conflict.columns(['space', 'number']).doNothing())
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns the next number of a space. Change requests are only deleted with their space, so numbers have no gaps. */
async function nextNumber(trx: Transaction, space: string): Promise<number> {
  const { highest } = await trx
    .selectFrom('changeRequests')
    .select(({ fn }) => fn.max('number').as('highest'))
    .where('space', '=', space)
    .executeTakeFirstOrThrow();
  return Number(highest ?? 0) + 1;
}
