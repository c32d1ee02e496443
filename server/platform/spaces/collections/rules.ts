import { sql } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import { type CopiedContent, copyAhead } from '../../../content/store/copy-ahead.ts';
import { transferSpaceContent } from '../../../content/store/organization-transfer.ts';
import type { Queries, Transaction } from '../../../database/database.ts';
import { collectionCycle } from '../../../errors/errors.ts';
import { loadAccess } from '../../../identity/access.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { requireInOrganization } from '../../../identity/membership.ts';
import { removeFromInstallations } from '../../kit/events/content-installations.ts';
import { enqueueIndexing } from '../../kit/indexing-jobs.ts';
import type { Context } from '../../kit/slice.ts';
import { recordAccessChange, recordMove, recordTransfer } from '../placements/audit.ts';
import { requireCreatePermission } from '../placements/permissions.ts';
import { positionAtEnd, requestedPosition } from '../placements/queries.ts';
import { removeAccess, requireSpaceQuota, spacesToTransfer, transferRows } from '../placements/transfer.ts';
import { raisingVisibilityEvents } from '../publications/visibility-events.ts';
import { accessToCollection, type CollectionWithAccess, collectionFor } from './queries.ts';

type Schemas = components['schemas'];

/** ID of a collection. */
interface CollectionName {
  id: string;
}

/** ID of a collection, and the organization to transfer it to. */
interface CollectionTransfer extends CollectionName {
  organization: string;
}

/** Creates a collection at the end of its parent. */
export async function createCollection(
  trx: Transaction,
  { caller, clock, createId }: Context,
  { organization, title = 'Untitled', ...body }: { organization: string } & Schemas['CollectionCreate'],
): Promise<CollectionWithAccess> {
  const parent = body.parent ?? null;
  const member = await requireCreatePermission(trx, caller.id, { organization, parent });
  const row = await trx
    .insertInto('collections')
    .values({
      id: createId('col'),
      organization,
      parent,
      title,
      description: null,
      defaultLevel: null,
      position: await positionAtEnd(trx, { organization, parent }),
      createdAt: clock().toISOString(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { row, access: await loadAccess(trx, member, { kind: 'collection', resources: [row] }) };
}

/** Updates the fields that the body contains. With a level of `null` or `inherit`, the parent's level applies. */
export async function updateCollection(
  trx: Transaction,
  { caller, audit }: Context,
  { id, defaultLevel, ...changes }: CollectionName & Schemas['CollectionPatch'],
): Promise<CollectionWithAccess> {
  const { row: before, access } = await collectionFor(trx, caller.id, id, 'admin');
  const row = await trx
    .updateTable('collections')
    // An empty body is valid, but SQL requires at least one column: the ID, unchanged.
    .set({
      id,
      ...changes,
      ...(defaultLevel !== undefined && { defaultLevel: defaultLevel === 'inherit' ? null : defaultLevel }),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAccessChange(trx, audit, { kind: 'collection', row: before, defaultLevel });
  return { row, access };
}

/** Deletes a collection. Its children move to its parent, at its end. */
export async function deleteCollection(
  trx: Transaction,
  ctx: Context,
  { id }: CollectionName,
): Promise<void> {
  const { caller, audit } = ctx;
  const collection = await unlessNotFound(collectionFor(trx, caller.id, id, 'admin'));
  if (!collection) {
    return;
  }
  const { organization, parent } = collection.row;
  const end = await positionAtEnd(trx, { organization, parent });
  const moveChildren = async () => {
    for (const table of ['collections', 'spaces'] as const) {
      await trx
        .updateTable(table)
        // A child at .b moves to .ab: after .a, and before everything that follows .a.
        .set({ parent, position: sql<string>`cast(${end} as text) || "position"` })
        .where('parent', '=', id)
        .execute();
    }
  };
  const childSpaces = async () => {
    const rows = await trx.selectFrom('spaces').select('id').where('parent', '=', id).execute();
    return rows.map((space) => space.id);
  };
  await raisingVisibilityEvents(trx, ctx, { organization, spaces: childSpaces }, moveChildren);
  await removeAccess(trx, 'collection', [id]);
  await trx.deleteFrom('collections').where('id', '=', id).execute();
  await audit(trx, { organization, action: 'collection.deleted', resource: { type: 'collection', id } });
}

/**
 * Moves a collection to another parent, another position, or both. Requires permission to create in both parents.
 * Changes nothing if the collection is already there.
 *
 * @throws ContractError 409 if the target is the collection itself or a descendant
 */
export async function moveCollection(
  trx: Transaction,
  { caller, audit }: Context,
  { id, parent, position: requested }: CollectionName & Schemas['MoveContent'],
): Promise<CollectionWithAccess> {
  const { row: before, access } = await collectionFor(trx, caller.id, id, 'view');
  const from = { organization: before.organization, parent: before.parent };
  const to = { ...from, ...(parent !== undefined && { parent }) };
  await requireCreatePermission(trx, caller.id, from);
  await requireCreatePermission(trx, caller.id, to);
  if (to.parent !== null && (await isWithin(trx, to.parent, id))) {
    throw collectionCycle();
  }
  const position = await requestedPosition(trx, { ...before, kind: 'collection' }, from, to, requested);
  if (position === undefined) {
    return { row: before, access };
  }
  await trx.updateTable('collections').set({ parent: to.parent, position }).where('id', '=', id).execute();
  await recordMove(trx, audit, { kind: 'collection', id }, from, to);
  const row = { ...before, parent: to.parent, position };
  // The levels of the new parent apply.
  return { row, access: await accessToCollection(trx, caller.id, row) };
}

/** Whether a collection is `ancestor` or one of its descendants. */
async function isWithin(queries: Queries, id: string, ancestor: string): Promise<boolean> {
  for (let next: string | null = id; next !== null; ) {
    if (next === ancestor) {
      return true;
    }
    const row: { parent: string | null } | undefined = await queries
      .selectFrom('collections')
      .select('parent')
      .where('id', '=', next)
      .executeTakeFirst();
    next = row?.parent ?? null;
  }
  return false;
}

/**
 * Copies the content of a collection's spaces to another organization, ahead of the transfer. Copies nothing if the
 * collection already belongs to the organization.
 *
 * @throws as {@link transferCollection}
 */
export async function copyCollectionAhead(
  ctx: Context,
  { id, organization }: CollectionTransfer,
): Promise<CopiedContent | undefined> {
  const { query } = ctx.database;
  const { row } = await transferableCollection(query, ctx.caller.id, { id, organization });
  if (row.organization === organization) {
    return undefined;
  }
  await requireSpaceQuota(query, ctx.quotas, { kind: 'collection', id }, organization);
  const spaces = await spacesToTransfer(query, { kind: 'collection', id });
  return await copyAhead(ctx, spaces, row.organization, organization);
}

/**
 * Transfers a collection with all its descendants to another organization, at the end of its root. Requires admin
 * permission for the collection and in the organization. Grants are not transferred. Changes nothing if the collection already
 * belongs to the organization.
 *
 * @param transfer `copied` is the content that {@link copyCollectionAhead} copied
 * @throws ContractError 403 or 404 if the caller lacks one of the permissions, 403 if the organization would exceed its
 *   quotas
 */
export async function transferCollection(
  trx: Transaction,
  ctx: Context,
  transfer: CollectionTransfer & { copied: CopiedContent | undefined },
): Promise<CollectionWithAccess> {
  const { id, organization } = transfer;
  const existing = await transferableCollection(trx, ctx.caller.id, transfer);
  const before = existing.row;
  if (before.organization === organization) {
    return existing;
  }
  const { spaces, changed } = await transferRows(trx, ctx.quotas, { kind: 'collection', id }, organization);
  await ctx.hooks.removeFromSites(trx, ctx, spaces);
  await removeFromInstallations(trx, ctx, spaces);
  await transferSpaceContent(trx, ctx.quotas, spaces, before.organization, organization, transfer.copied);
  await recordTransfer(trx, ctx.audit, { kind: 'collection', id }, before.organization, organization);
  // Content computed from specifications of the previous organization no longer exists.
  for (const space of spaces) {
    await enqueueIndexing(trx, ctx, { id: space, organization });
  }
  const row = { ...before, ...changed };
  return { row, access: await accessToCollection(trx, ctx.caller.id, row) };
}

async function transferableCollection(
  queries: Queries,
  caller: CallerId,
  { id, organization }: CollectionTransfer,
) {
  const collection = await collectionFor(queries, caller, id, 'admin');
  await requireInOrganization(queries, caller, organization, 'admin');
  return collection;
}
