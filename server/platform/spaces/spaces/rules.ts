import type { components } from '../../../../generated/schema.d.ts';
import { type CopiedContent, copyAhead } from '../../../content/store/copy-ahead.ts';
import { transferSpaceContent } from '../../../content/store/organization-transfer.ts';
import type { Queries, Transaction } from '../../../database/database.ts';
import { permissionMissing } from '../../../errors/errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { requireInOrganization } from '../../../identity/membership.ts';
import { requireQuota } from '../../../quotas/use.ts';
import { removeFromInstallations } from '../../kit/events/content-installations.ts';
import { enqueueIndexing } from '../../kit/indexing-jobs.ts';
import type { Context } from '../../kit/slice.ts';
import { recordAccessChange, recordMove, recordTransfer } from '../placements/audit.ts';
import { requireCreatePermission } from '../placements/permissions.ts';
import { requestedPosition } from '../placements/queries.ts';
import { requireSpaceQuota, transferRows } from '../placements/transfer.ts';
import { raisingVisibilityEvents } from '../publications/visibility-events.ts';
import { purgeSpace } from './jobs.ts';
import { accessToSpace, SPACE_RETENTION_MS, type SpaceWithAccess, spaceFor } from './queries.ts';

type Schemas = components['schemas'];

/** ID of a space. */
export interface SpaceName {
  id: string;
}

/** ID of a space, and the organization to transfer it to. */
interface SpaceTransfer extends SpaceName {
  organization: string;
}

/**
 * Updates the fields that the body contains. An emoji replaces an icon and vice versa. With a level
 * of `null` or `inherit`, the parent's level applies. With another language, the space is indexed
 * again, because words have other forms.
 */
export async function updateSpace(
  trx: Transaction,
  ctx: Context,
  { id, defaultLevel, emoji, icon, ...changes }: SpaceName & Schemas['SpacePatch'],
): Promise<SpaceWithAccess> {
  const { caller, audit, clock } = ctx;
  const { row: before, access } = await spaceFor(trx, caller.id, id, 'admin');
  // The default level grants permissions to members, which no scope of an integration includes.
  if (caller.installation && defaultLevel !== undefined) {
    throw permissionMissing('space', 'admin');
  }
  const hasNewLanguage = changes.language !== undefined && changes.language !== before.language;
  const row = await trx
    .updateTable('spaces')
    .set({
      ...changes,
      ...(emoji !== undefined && { emoji, ...(emoji !== null && { icon: null }) }),
      ...(icon !== undefined && { icon, ...(icon !== null && { emoji: null }) }),
      ...(defaultLevel !== undefined && { defaultLevel: defaultLevel === 'inherit' ? null : defaultLevel }),
      ...(hasNewLanguage && { searchedRevision: null, searchedEntries: null }),
      updatedAt: clock().toISOString(),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (hasNewLanguage) {
    await enqueueIndexing(trx, ctx, row);
  }
  await recordAccessChange(trx, audit, { kind: 'space', row: before, defaultLevel });
  return { row, access };
}

/**
 * Deletes a space, and removes it from its sites. It can be restored for 7 days, then it is purged with all its content.
 */
export async function deleteSpace(trx: Transaction, ctx: Context, { id }: SpaceName): Promise<void> {
  const { caller, audit, clock, queue } = ctx;
  const space = await unlessNotFound(spaceFor(trx, caller.id, id, 'admin'));
  if (!space) {
    return;
  }
  const { organization } = space.row;
  const now = clock();
  await ctx.hooks.removeFromSites(trx, ctx, [id]);
  await trx
    .updateTable('spaces')
    .set({ deletedAt: now.toISOString(), deletedBy: caller.id })
    .where('id', '=', id)
    .execute();
  await queue.enqueue(trx, {
    kind: purgeSpace,
    organization,
    // Not the key of other jobs of the space, which would wait for this one after a restoration.
    key: `purge ${id}`,
    payload: { space: id, deletedAt: now.toISOString() },
    runAt: new Date(now.getTime() + SPACE_RETENTION_MS),
  });
  await audit(trx, { organization, action: 'space.deleted', resource: { type: 'space', id } });
}

/**
 * Restores a deleted space. Changes nothing if it is not deleted.
 *
 * @throws ContractError 404 after 7 days, 403 if the organization would have too many spaces or pages
 */
export async function restoreSpace(
  trx: Transaction,
  { caller, audit, clock, quotas }: Context,
  { id }: SpaceName,
): Promise<SpaceWithAccess> {
  const { row, access } = await spaceFor(trx, caller.id, id, 'admin', { deletedAsOf: clock() });
  if (row.deletedAt === null) {
    return { row, access };
  }
  await requireQuota(trx, quotas, row.organization, { spaces: 1, pages: row.pageCount });
  const restored = { deletedAt: null, deletedBy: null };
  await trx.updateTable('spaces').set(restored).where('id', '=', id).execute();
  const { organization } = row;
  await audit(trx, { organization, action: 'space.restored', resource: { type: 'space', id } });
  return { row: { ...row, ...restored }, access };
}

/**
 * Moves a space to another parent, another position, or both. Requires permission to create in both parents.
 * Changes nothing if the space is already there.
 *
 * @throws ContractError 400 if the position does not exist
 */
export async function moveSpace(
  trx: Transaction,
  ctx: Context,
  { id, parent, position: requested }: SpaceName & Schemas['MoveContent'],
): Promise<SpaceWithAccess> {
  const { caller, audit } = ctx;
  const { row: before, access } = await spaceFor(trx, caller.id, id, 'view');
  const from = { organization: before.organization, parent: before.parent };
  const to = { ...from, ...(parent !== undefined && { parent }) };
  await requireCreatePermission(trx, caller.id, from);
  await requireCreatePermission(trx, caller.id, to);
  const position = await requestedPosition(trx, { ...before, kind: 'space' }, from, to, requested);
  if (position === undefined) {
    return { row: before, access };
  }
  const { organization } = before;
  await raisingVisibilityEvents(trx, ctx, { organization, spaces: () => [id] }, () =>
    trx.updateTable('spaces').set({ parent: to.parent, position }).where('id', '=', id).execute(),
  );
  await recordMove(trx, audit, { kind: 'space', id }, from, to);
  const row = { ...before, parent: to.parent, position };
  // The levels of the new parent apply.
  return { row, access: await accessToSpace(trx, caller.id, row) };
}

/**
 * Copies the content of a space to another organization, ahead of the transfer. Copies nothing if the space already
 * belongs to the organization.
 *
 * @throws as {@link transferSpace}
 */
export async function copySpaceAhead(
  ctx: Context,
  { id, organization }: SpaceTransfer,
): Promise<CopiedContent | undefined> {
  const { row } = await transferableSpace(ctx.database.query, ctx.caller.id, { id, organization });
  if (row.organization === organization) {
    return undefined;
  }
  await requireSpaceQuota(ctx.database.query, ctx.quotas, { kind: 'space', id }, organization);
  return await copyAhead(ctx, [id], row.organization, organization);
}

/**
 * Transfers a space to another organization, at the end of its root. Requires admin permission for the space and in
 * the organization. Grants are not transferred. Changes nothing if the space already belongs to the organization.
 *
 * @param transfer `copied` is the content that {@link copySpaceAhead} copied
 * @throws ContractError 403 or 404 if the caller lacks one of the permissions, 403 if the organization would exceed its
 *   quotas
 */
export async function transferSpace(
  trx: Transaction,
  ctx: Context,
  transfer: SpaceTransfer & { copied: CopiedContent | undefined },
): Promise<SpaceWithAccess> {
  const { id, organization } = transfer;
  const existing = await transferableSpace(trx, ctx.caller.id, transfer);
  const before = existing.row;
  if (before.organization === organization) {
    return existing;
  }
  await ctx.hooks.removeFromSites(trx, ctx, [id]);
  await removeFromInstallations(trx, ctx, [id]);
  const { changed } = await transferRows(trx, ctx.quotas, { kind: 'space', id }, organization);
  await transferSpaceContent(trx, ctx.quotas, [id], before.organization, organization, transfer.copied);
  await recordTransfer(trx, ctx.audit, { kind: 'space', id }, before.organization, organization);
  // Content computed from specifications of the previous organization no longer exists.
  await enqueueIndexing(trx, ctx, { id, organization });
  const row = { ...before, ...changed };
  return { row, access: await accessToSpace(trx, ctx.caller.id, row) };
}

async function transferableSpace(queries: Queries, caller: CallerId, { id, organization }: SpaceTransfer) {
  const space = await spaceFor(queries, caller, id, 'admin');
  await requireInOrganization(queries, caller, organization, 'admin');
  return space;
}
