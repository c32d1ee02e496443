import type { components } from '../../../generated/schema.d.ts';
import {
  type CopiedContent,
  copyAhead,
  transferSpaceContent,
} from '../../content/store/organization-transfer.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import { alreadyInOrganization, spaceNotDeleted } from '../../errors.ts';
import { requireInOrganization } from '../../identity/access.ts';
import type { CallerId } from '../../identity/caller.ts';
import { unlessNotFound } from '../../identity/errors.ts';
import { recordAccessChange, recordMove, recordTransfer } from '../../models/placements/audit.ts';
import { containerFor } from '../../models/placements/container.ts';
import { placeFor } from '../../models/placements/queries.ts';
import { transferRows } from '../../models/placements/transfer.ts';
import { SPACE_RETENTION_MS, spaceFor } from '../../models/spaces/queries.ts';
import { enqueueIndexing } from '../kit/indexing.ts';
import type { Context, Services } from '../kit/slice.ts';
import { purgeSpace } from './jobs.ts';

type Schemas = components['schemas'];

/**
 * Updates the fields that the body contains, and returns the ID. An emoji replaces an icon and vice versa. With a level
 * of `null` or `inherit`, the parent's level applies.
 */
export async function updateSpace(
  trx: Transaction,
  { clock }: Services,
  { caller, audit }: Context,
  id: string,
  { defaultLevel, emoji, icon, ...changes }: Schemas['SpacePatch'],
): Promise<string> {
  const { row } = await spaceFor(trx, caller.id, id, 'admin');
  await trx
    .updateTable('spaces')
    .set({
      ...changes,
      ...(emoji !== undefined && { emoji, ...(emoji !== null && { icon: null }) }),
      ...(icon !== undefined && { icon, ...(icon !== null && { emoji: null }) }),
      ...(defaultLevel !== undefined && { defaultLevel: defaultLevel === 'inherit' ? null : defaultLevel }),
      updatedAt: clock().toISOString(),
    })
    .where('id', '=', id)
    .execute();
  await recordAccessChange(trx, audit, { kind: 'space', row, defaultLevel });
  return id;
}

/** Deletes a space. It can be restored for 7 days, then it is purged with all its content. */
export async function deleteSpace(
  trx: Transaction,
  { clock, queue }: Services,
  { caller, audit }: Context,
  id: string,
): Promise<void> {
  const found = await unlessNotFound(spaceFor(trx, caller.id, id, 'admin'));
  if (!found) {
    return;
  }
  const { organization } = found.row;
  const now = clock();
  await trx
    .updateTable('spaces')
    .set({ deletedAt: now.toISOString(), deletedBy: caller.id })
    .where('id', '=', id)
    .execute();
  await queue.enqueue(trx, {
    kind: purgeSpace,
    organization,
    key: `space ${id}`,
    payload: { space: id, deletedAt: now.toISOString() },
    runAt: new Date(now.getTime() + SPACE_RETENTION_MS),
  });
  await audit(trx, { organization, action: 'space.deleted', resource: { type: 'space', id } });
}

/**
 * Restores a deleted space, and returns its ID.
 *
 * @throws ContractError 404 after 7 days, 409 if the space is not deleted
 */
export async function restoreSpace(
  trx: Transaction,
  { clock }: Services,
  { caller, audit }: Context,
  id: string,
): Promise<string> {
  const { row } = await spaceFor(trx, caller.id, id, 'admin', { deletedAsOf: clock() });
  if (row.deletedAt === null) {
    throw spaceNotDeleted();
  }
  await trx.updateTable('spaces').set({ deletedAt: null, deletedBy: null }).where('id', '=', id).execute();
  const { organization } = row;
  await audit(trx, { organization, action: 'space.restored', resource: { type: 'space', id } });
  return id;
}

/**
 * Moves a space to another parent, another position, or both, and returns its ID. Requires permission to create in both
 * parents.
 *
 * @throws ContractError 400 if the position does not exist, 409 if the move changes nothing
 */
export async function moveSpace(
  trx: Transaction,
  { caller, audit }: Context,
  id: string,
  body: Schemas['MoveContent'],
): Promise<string> {
  const user = caller.id;
  const { row } = await spaceFor(trx, user, id, 'view');
  const from = { organization: row.organization, parent: row.parent };
  const to = { ...from, ...(body.parent !== undefined && { parent: body.parent }) };
  await containerFor(trx, user, from);
  await containerFor(trx, user, to);
  const position = await placeFor(trx, { ...row, kind: 'space' }, from, to, body.position);
  await trx.updateTable('spaces').set({ parent: to.parent, position }).where('id', '=', id).execute();
  await recordMove(trx, audit, { kind: 'space', id }, from, to);
  return id;
}

/**
 * Copies the content of a space to another organization, ahead of the transfer.
 *
 * @throws as {@link transferSpace}
 */
export async function copySpaceAhead(
  services: Services,
  { caller }: Context,
  id: string,
  organization: string,
): Promise<CopiedContent | undefined> {
  const row = await transferableSpace(services.database.query, caller.id, id, organization);
  return await copyAhead(services, [id], row.organization, organization);
}

/**
 * Transfers a space to another organization, at the end of its root, and returns its ID. Requires admin permission for
 * the space and in the organization. Grants are not transferred.
 *
 * @throws ContractError 409 if the space already belongs to the organization
 */
export async function transferSpace(
  trx: Transaction,
  services: Services,
  { caller, audit }: Context,
  id: string,
  organization: string,
  copied: CopiedContent | undefined,
): Promise<string> {
  const row = await transferableSpace(trx, caller.id, id, organization);
  await transferRows(trx, { kind: 'space', id }, organization);
  await transferSpaceContent(trx, [id], row.organization, organization, copied);
  await recordTransfer(trx, audit, { kind: 'space', id }, row.organization, organization);
  // Content computed from specifications of the previous organization no longer exists.
  await enqueueIndexing(trx, services, { id, organization });
  return id;
}

async function transferableSpace(queries: Queries, user: CallerId, id: string, organization: string) {
  const { row } = await spaceFor(queries, user, id, 'admin');
  await requireInOrganization(queries, user, organization, 'admin');
  if (row.organization === organization) {
    throw alreadyInOrganization('space');
  }
  return row;
}
