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

/** Creates a collection at the end of its parent and answers its id. */
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

/** Changes what the body names; `null` and `inherit` leave the level to the parent. */
export async function updateCollection(
  trx: Transaction,
  { caller, audit }: Context,
  id: string,
  { defaultLevel, ...changes }: Schemas['CollectionPatch'],
): Promise<string> {
  const { row } = await collectionFor(trx, caller.id, id, 'admin');
  await trx
    .updateTable('collections')
    // A change of nothing is still a good request: the id stands for it.
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

/** Deletes a collection; what it holds moves to its parent, in its place. */
export async function deleteCollection(
  trx: Transaction,
  { caller, audit }: Context,
  id: string,
): Promise<void> {
  const found = await unlessNotFound(collectionFor(trx, caller.id, id, 'admin'));
  if (!found) return;
  const { organization, parent } = found.row;
  const end = await endOf(trx, { organization, parent });
  for (const table of ['collections', 'spaces'] as const)
    await trx
      .updateTable(table)
      // What stood at .b stands at .ab then: behind .a, and before all that comes after .a.
      .set({ parent, position: sql<string>`cast(${end} as text) || "position"` })
      .where('parent', '=', id)
      .execute();
  await removeAccess(trx, 'collection', [id]);
  await trx.deleteFrom('collections').where('id', '=', id).execute();
  await audit(trx, { organization, action: 'collection.deleted', resource: { type: 'collection', id } });
}

/**
 * Moves a collection to another parent, another place, or both. It needs the right to create at both ends.
 *
 * @throws ContractError 409 for a move into itself, below itself, or to where it stands
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
  if (to.parent !== null && (await isWithin(trx, to.parent, id))) throw collectionCycle();
  const position = await placeFor(trx, { ...row, kind: 'collection' }, from, to, body.position);
  await trx.updateTable('collections').set({ parent: to.parent, position }).where('id', '=', id).execute();
  await recordMove(trx, audit, { kind: 'collection', id }, from, to);
  return id;
}

/** Whether a collection is `ancestor` or stands somewhere below it. */
async function isWithin(queries: Queries, id: string, ancestor: string): Promise<boolean> {
  for (let next: string | null = id; next !== null; ) {
    if (next === ancestor) return true;
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
 * Copies the content of a collection's spaces to the organization that it is about to be given to.
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
 * Gives a collection with all it holds to another organization, at the end of its root. It needs admin at
 * both ends; grants stay behind with the people they name.
 *
 * @throws ContractError 409 where it belongs there already
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
  // What is computed from the specifications of the old organization is no more.
  for (const space of spaces) await enqueueIndexing(trx, services, { id: space, organization });
  return id;
}

async function transferableCollection(queries: Queries, user: CallerId, id: string, organization: string) {
  const { row } = await collectionFor(queries, user, id, 'admin');
  await requireInOrganization(queries, user, organization, 'admin');
  if (row.organization === organization) throw alreadyInOrganization('collection');
  return row;
}
