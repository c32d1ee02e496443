import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { changeRequestMerged } from '../../../errors/errors.ts';
import type { Context } from '../../kit/slice.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';
import { insertChangeRequest } from '../content-branches/insert-change-request.ts';
import { type ChangeRequestPath, type ChangeRequestRow, changeRequestFor } from './queries.ts';

type Schemas = components['schemas'];

/** Creates a draft change request from the main content of a space. */
export async function createChangeRequest(
  trx: Transaction,
  { caller, clock, createId }: Context,
  { spaceId, subject = '', agentTaskId }: { spaceId: string } & Schemas['ChangeRequestCreate'],
): Promise<ChangeRequestRow> {
  const { row: space } = await spaceFor(trx, caller.id, spaceId, 'edit');
  const row = await insertChangeRequest(
    trx,
    { clock },
    {
      id: createId('cr'),
      organization: space.organization,
      space: space.id,
      status: 'draft',
      subject,
      createdBy: caller.id,
      revision: space.revision,
      revisionInitial: space.revision,
      agentTaskId: agentTaskId ?? null,
    },
  );
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
