import { sql } from 'kysely';
import type { components } from '../../../generated/schema.d.ts';
import {
  type CopiedContent,
  copyAhead,
  transferSpaceContent,
} from '../../content/store/organization-transfer.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import { alreadyInOrganization, collectionCycle } from '../../errors.ts';
import { requireInOrganization } from '../../identity/access.ts';
import type { CallerId } from '../../identity/caller.ts';
import { unlessNotFound } from '../../identity/errors.ts';
import { collectionFor } from '../../models/collections/queries.ts';
import { recordAccessChange, recordMove, recordTransfer } from '../../models/placements/audit.ts';
import { containerFor } from '../../models/placements/container.ts';
import { endOf, placeFor } from '../../models/placements/queries.ts';
import { removeAccess, spacesToTransfer, transferRows } from '../../models/placements/transfer.ts';
import { enqueueIndexing } from '../kit/indexing.ts';
import type { Context, Services } from '../kit/slice.ts';

type Schemas = components['schemas'];

/** Creates a collection at the end of its parent, and returns its ID. */
export async function createCollection(
  trx: Transaction,
  { clock, makeId }: Services,
  user: CallerId,
  organization: string,
  { title = 'Untitled', parent = null }: { title?: string; parent?: string | null },
): Promise<string> {
  await containerFor(trx, user, { organization, parent });
  const id = makeId('col');
  await trx
    .insertInto('collections')
    .values({
      id,
      organization,
      parent,
      title,
      description: null,
      defaultLevel: null,
      position: await endOf(trx, { organization, parent }),
      createdAt: clock().toISOString(),
    })
    .execute();
  return id;
}

/** Updates the fields that the body contains. With a level of `null` or `inherit`, the parent's level applies. */
export async function updateCollection(
  trx: Transaction,
  { caller, audit }: Context,
  id: string,
  { defaultLevel, ...changes }: Schemas['CollectionPatch'],
): Promise<string> {
  const { row } = await collectionFor(trx, caller.id, id, 'admin');
  await trx
    .updateTable('collections')
    // An empty body is valid, but SQL requires at least one column: the ID, unchanged.
    .set({
      id,
      ...changes,
      ...(defaultLevel !== undefined && { defaultLevel: defaultLevel === 'inherit' ? null : defaultLevel }),
    })
    .where('id', '=', id)
    .execute();
  await recordAccessChange(trx, audit, { kind: 'collection', row, defaultLevel });
  return id;
}

/** Deletes a collection. Its children move to its parent, at its end. */
export async function deleteCollection(
  trx: Transaction,
  { caller, audit }: Context,
  id: string,
): Promise<void> {
  const found = await unlessNotFound(collectionFor(trx, caller.id, id, 'admin'));
  if (!found) {
    return;
  }
  const { organization, parent } = found.row;
  const end = await endOf(trx, { organization, parent });
  for (const table of ['collections', 'spaces'] as const) {
    await trx
      .updateTable(table)
      // A child at .b moves to .ab: after .a, and before everything that follows .a.
      .set({ parent, position: sql<string>`cast(${end} as text) || "position"` })
      .where('parent', '=', id)
      .execute();
  }
  await removeAccess(trx, 'collection', [id]);
  await trx.deleteFrom('collections').where('id', '=', id).execute();
  await audit(trx, { organization, action: 'collection.deleted', resource: { type: 'collection', id } });
}

/**
 * Moves a collection to another parent, another position, or both. Requires permission to create in both parents.
 *
 * @throws ContractError 409 if the target is the collection itself, a descendant, or its current position
 */
export async function moveCollection(
  trx: Transaction,
  { caller, audit }: Context,
  id: string,
  body: Schemas['MoveContent'],
): Promise<string> {
  const user = caller.id;
  const { row } = await collectionFor(trx, user, id, 'view');
  const from = { organization: row.organization, parent: row.parent };
  const to = { ...from, ...(body.parent !== undefined && { parent: body.parent }) };
  await containerFor(trx, user, from);
  await containerFor(trx, user, to);
  if (to.parent !== null && (await isWithin(trx, to.parent, id))) {
    throw collectionCycle();
  }
  const position = await placeFor(trx, { ...row, kind: 'collection' }, from, to, body.position);
  await trx.updateTable('collections').set({ parent: to.parent, position }).where('id', '=', id).execute();
  await recordMove(trx, audit, { kind: 'collection', id }, from, to);
  return id;
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
 * Copies the content of a collection's spaces to another organization, ahead of the transfer.
 *
 * @throws as {@link transferCollection}
 */
export async function copyCollectionAhead(
  services: Services,
  { caller }: Context,
  id: string,
  organization: string,
): Promise<CopiedContent | undefined> {
  const { query } = services.database;
  const row = await transferableCollection(query, caller.id, id, organization);
  const spaces = await spacesToTransfer(query, { kind: 'collection', id });
  return await copyAhead(services, spaces, row.organization, organization);
}

/**
 * Transfers a collection with all its descendants to another organization, at the end of its root. Requires admin
 * permission for the collection and in the organization. Grants are not transferred.
 *
 * @throws ContractError 409 if the collection already belongs to the organization
 */
export async function transferCollection(
  trx: Transaction,
  services: Services,
  { caller, audit }: Context,
  id: string,
  organization: string,
  copied: CopiedContent | undefined,
): Promise<string> {
  const row = await transferableCollection(trx, caller.id, id, organization);
  const spaces = await transferRows(trx, { kind: 'collection', id }, organization);
  await transferSpaceContent(trx, spaces, row.organization, organization, copied);
  await recordTransfer(trx, audit, { kind: 'collection', id }, row.organization, organization);
  // Content computed from specifications of the previous organization no longer exists.
  for (const space of spaces) {
    await enqueueIndexing(trx, services, { id: space, organization });
  }
  return id;
}

async function transferableCollection(queries: Queries, user: CallerId, id: string, organization: string) {
  const { row } = await collectionFor(queries, user, id, 'admin');
  await requireInOrganization(queries, user, organization, 'admin');
  if (row.organization === organization) {
    throw alreadyInOrganization('collection');
  }
  return row;
}
