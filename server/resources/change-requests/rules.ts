import type { components } from '../../../generated/schema.d.ts';
import type { Transaction } from '../../database/database.ts';
import { changeRequestMerged } from '../../errors.ts';
import type { CallerId } from '../../identity/caller.ts';
import { changeRequestFor } from '../../models/change-requests/queries.ts';
import { spaceFor } from '../../models/spaces/queries.ts';
import type { Services } from '../kit/slice.ts';

type Schemas = components['schemas'];

/** Creates a draft change request from the main content of a space, and returns its ID. */
export async function createChangeRequest(
  trx: Transaction,
  { clock, makeId }: Services,
  user: CallerId,
  space: string,
  { subject = '', agentTaskId }: Schemas['ChangeRequestCreate'],
): Promise<string> {
  const { row } = await spaceFor(trx, user, space, 'edit');
  const id = makeId('cr');
  const now = clock().toISOString();
  await trx
    .insertInto('changeRequests')
    .values({
      id,
      organization: row.organization,
      space,
      number: await nextNumber(trx, space),
      status: 'draft',
      subject,
      createdBy: user,
      createdAt: now,
      updatedAt: now,
      revision: row.revision,
      revisionInitial: row.revision,
      revisionMergedAncestor: null,
      revisionMerged: null,
      agentTaskId: agentTaskId ?? null,
    })
    // If two transactions insert the same number at once, PostgreSQL makes one of them retry with `DO NOTHING`,
    // and fail without it.
    .onConflict((conflict) => conflict.columns(['space', 'number']).doNothing())
    .execute();
  return id;
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

/**
 * Updates the subject or the status of a change request, and returns its ID.
 *
 * @throws ContractError 409 if it is already merged
 */
export async function updateChangeRequest(
  trx: Transaction,
  { clock }: Services,
  user: CallerId,
  path: { spaceId: string; changeRequestId: string },
  { subject, status }: Schemas['ChangeRequestPatch'],
): Promise<string> {
  const { changeRequest } = await changeRequestFor(trx, user, path, 'edit');
  if (changeRequest.status === 'merged') {
    throw changeRequestMerged();
  }
  await trx
    .updateTable('changeRequests')
    .set({
      updatedAt: clock().toISOString(),
      ...(subject !== undefined && { subject }),
      ...(status !== undefined && { status }),
    })
    .where('id', '=', changeRequest.id)
    .execute();
  return changeRequest.id;
}
