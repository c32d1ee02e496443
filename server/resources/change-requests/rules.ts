import type { components } from '../../../generated/schema.d.ts';
import type { Transaction } from '../../database/database.ts';
import { changeRequestMerged } from '../../errors.ts';
import type { CallerId } from '../../identity/caller.ts';
import { changeRequestFor } from '../../models/change-requests/queries.ts';
import { spaceFor } from '../../models/spaces/queries.ts';
import type { Services } from '../kit/slice.ts';

type Schemas = components['schemas'];

/** Starts a change request from the primary content of a space, as a draft, and answers its id. */
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
    // Of two that take the same number at once, PostgreSQL has one start again where it may do nothing, and
    // fails it where it may not.
    .onConflict((conflict) => conflict.columns(['space', 'number']).doNothing())
    .execute();
  return id;
}

/** Change requests are never deleted by themselves, so the highest number is also how many there were. */
async function nextNumber(trx: Transaction, space: string): Promise<number> {
  const { highest } = await trx
    .selectFrom('changeRequests')
    .select(({ fn }) => fn.max('number').as('highest'))
    .where('space', '=', space)
    .executeTakeFirstOrThrow();
  return Number(highest ?? 0) + 1;
}

/**
 * Changes the subject or the status of a change request, and answers its id.
 *
 * @throws ContractError 409 once it is merged
 */
export async function updateChangeRequest(
  trx: Transaction,
  { clock }: Services,
  user: CallerId,
  path: { spaceId: string; changeRequestId: string },
  { subject, status }: Schemas['ChangeRequestPatch'],
): Promise<string> {
  const { changeRequest } = await changeRequestFor(trx, user, path, 'edit');
  if (changeRequest.status === 'merged') throw changeRequestMerged();
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
