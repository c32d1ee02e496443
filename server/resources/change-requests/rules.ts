import type { components } from '../../../generated/schema.d.ts';
import type { Transaction } from '../../database/database.ts';
import { changeRequestMerged } from '../../errors.ts';
import {
  type ChangeRequestPath,
  type ChangeRequestRow,
  changeRequestFor,
} from '../../models/change-requests/queries.ts';
import { spaceFor } from '../../models/spaces/queries.ts';
import type { Context } from '../kit/slice.ts';

type Schemas = components['schemas'];

/** Creates a draft change request from the main content of a space. */
export async function createChangeRequest(
  trx: Transaction,
  { caller, clock, createId }: Context,
  { spaceId, subject = '', agentTaskId }: { spaceId: string } & Schemas['ChangeRequestCreate'],
): Promise<ChangeRequestRow> {
  const { row: space } = await spaceFor(trx, caller.id, spaceId, 'edit');
  const now = clock().toISOString();
  const row = await trx
    .insertInto('changeRequests')
    .values({
      id: createId('cr'),
      organization: space.organization,
      space: space.id,
      number: await nextNumber(trx, space.id),
      status: 'draft',
      subject,
      createdBy: caller.id,
      createdAt: now,
      updatedAt: now,
      revision: space.revision,
      revisionInitial: space.revision,
      revisionMergedAncestor: null,
      revisionMerged: null,
      agentTaskId: agentTaskId ?? null,
    })
    // If two transactions insert the same number at once, PostgreSQL makes one of them retry with `DO NOTHING`,
    // and fail without it.
    .onConflict((conflict) => conflict.columns(['space', 'number']).doNothing())
    .returningAll()
    .executeTakeFirstOrThrow();
  const { email, displayName, photoURL, createdAt } = caller.user;
  return {
    ...row,
    creatorEmail: email,
    creatorDisplayName: displayName,
    creatorPhotoURL: photoURL,
    creatorCreatedAt: createdAt,
    spaceRevision: space.revision,
    comments: 0,
  };
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
 * Updates the subject or the status of a change request.
 *
 * @throws ContractError 409 if it is already merged
 */
export async function updateChangeRequest(
  trx: Transaction,
  { caller, clock }: Context,
  { subject, status, ...path }: ChangeRequestPath & Schemas['ChangeRequestPatch'],
): Promise<ChangeRequestRow> {
  const { changeRequest } = await changeRequestFor(trx, caller.id, path, 'edit');
  if (changeRequest.status === 'merged') {
    throw changeRequestMerged();
  }
  const updated = {
    updatedAt: clock().toISOString(),
    ...(subject !== undefined && { subject }),
    ...(status !== undefined && { status }),
  };
  await trx.updateTable('changeRequests').set(updated).where('id', '=', changeRequest.id).execute();
  return { ...changeRequest, ...updated };
}
