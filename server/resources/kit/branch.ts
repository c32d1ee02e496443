import { planContent } from '../../content/plan.ts';
import { knownBlobs } from '../../content/store/blobs.ts';
import { openContent } from '../../content/store/content.ts';
import { storeBytes } from '../../content/store/files.ts';
import type { PendingFiles } from '../../content/store/pending-files.ts';
import {
  activateRevision,
  type RevisionFacts,
  type RevisionRow,
  requireRevision,
  storeAhead,
  storeRevision,
} from '../../content/store/revisions.ts';
import { addressFinder } from '../../content/threads/addresses.ts';
import type { ContentChange } from '../../content/tree/change.ts';
import type { Content } from '../../content/tree/content.ts';
import { conflict } from '../../contract/errors.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import { COLLIDED } from '../../database/locks.ts';
import type { SpacePermission } from '../../identity/permissions.ts';
import { type ChangeRequestRow, changeRequestFor } from '../../models/change-requests/queries.ts';
import { type FoundSpace, spaceFor } from '../../models/spaces/queries.ts';
import { enqueueIndexing } from './indexing.ts';
import { contentLock } from './locks.ts';
import type { Services } from './slice.ts';

/** What content is read from and written to: the primary content of a space, or that of a change request. */
export interface Base {
  space: FoundSpace['row'];
  access: FoundSpace['access'];
  /** Set when it is the content of a change request. */
  changeRequest?: ChangeRequestRow;
  /** The id of its current revision. */
  revision: string;
}

/** How the paths of the contract name a base. */
export interface BasePath {
  spaceId: string;
  /** Its id or its number. */
  changeRequestId?: string;
}

/**
 * The base that a user names, if they may do what `permission` says to the space.
 *
 * @throws AccessError `invisible` where it does not exist for them, `forbidden` where they lack the permission
 */
export async function baseFor(
  queries: Queries,
  user: string,
  { spaceId, changeRequestId }: BasePath,
  permission: SpacePermission,
): Promise<Base> {
  if (changeRequestId === undefined) {
    const { row, access } = await spaceFor(queries, user, spaceId, permission);
    return { space: row, access, revision: row.revision };
  }
  const path = { spaceId, changeRequestId };
  const { row, access, changeRequest } = await changeRequestFor(queries, user, path, permission);
  return { space: row, access, changeRequest, revision: changeRequest.revision };
}

/** The current revision of a base, opened for reading. */
export async function readBase(
  queries: Queries,
  base: Base,
): Promise<{ revision: RevisionRow; content: Content }> {
  const revision = await requireRevision(queries, base.space.id, base.revision);
  return { revision, content: await openContent(queries, revision) };
}

/** What to change in a base, with the bytes of new files that are not stored yet: they are stored before it. */
export type BaseChange = ContentChange & { bytes?: Iterable<Uint8Array> };

/**
 * Makes a new revision of a base. Writers of the same base take turns. What to change is worked out by `plan`
 * without a transaction, and again when a writer of another process came first; then all is stored in one
 * transaction, which also leaves the new primary content of a space to search. Where it answers that there is
 * nothing to change, the revision stays.
 *
 * @param target.files files that the change names; the new revision's transaction publishes them
 * @throws ContractError 409 for a merged change request, for the primary content of a locked space, and for a space
 *   that left the organization of `files`
 * @throws LockError when too many others write to the base
 */
export async function writeBase(
  services: Services,
  {
    user,
    path,
    permission,
    files,
  }: { user: string; path: BasePath; permission: SpacePermission; files?: PendingFiles },
  plan: (content: Content, base: Base, now: Date) => Promise<BaseChange | undefined>,
): Promise<{ base: Base; revision: RevisionRow }> {
  const { database, clock, makeId } = services;
  // Whoever may not write does not get to wait either.
  const named = await baseFor(database.query, user, path, permission);
  return await database.inTurn(contentLock(named), async () => {
    const base = await baseFor(database.query, user, path, permission);
    requireWritable(base);
    const { revision: before, content } = await readBase(database.query, base);
    if (files && files.organization !== before.organization)
      throw conflict('The space was moved to another organization while its files arrived. Send them again.');
    const now = clock();
    const change = await plan(content, base, now);
    if (!change) return { base, revision: before };
    const findAddresses = addressFinder(services, before.organization);
    const planned = await storeAhead(
      database,
      before.organization,
      await planContent(before.root, change, content.load, findAddresses),
    );
    // Ahead of the transaction and in small ones, so that no other writer waits for the bytes of files.
    const blobs = await storeBytes(services, before.organization, change.bytes ?? []);
    return await database.transaction(async (trx) => {
      const current = await baseFor(trx, user, path, permission);
      requireWritable(current);
      if (current.revision !== before.id || current.space.organization !== before.organization)
        return COLLIDED;
      // A sweep may have come in between.
      if ((await knownBlobs(trx, before.organization, blobs)).size < blobs.length) return COLLIDED;
      await files?.publish(trx);
      const facts = { id: makeId('rev'), type: 'edits' as const, parents: [before.id], createdBy: user, now };
      const revision = await advance(trx, services, current, (common) =>
        storeRevision(trx, { ...common, ...facts }, planned),
      );
      return { base, revision };
    });
  });
}

/**
 * Stores a revision and makes it the current one of a base that was read in the same transaction.
 *
 * @param store makes the revision; it is given what the base says of it
 */
export async function advance(
  trx: Transaction,
  services: Services,
  base: Base,
  store: (common: Pick<RevisionFacts, 'organization' | 'space' | 'changeRequest'>) => Promise<RevisionRow>,
): Promise<RevisionRow> {
  const { space, changeRequest } = base;
  const revision = await store({
    organization: space.organization,
    space: space.id,
    changeRequest: changeRequest?.id,
  });
  if (changeRequest) {
    await trx
      .updateTable('changeRequests')
      .set({ revision: revision.id, updatedAt: revision.createdAt })
      .where('id', '=', changeRequest.id)
      .execute();
    return revision;
  }
  if (!(await activateRevision(trx, { revision, expected: base.revision })))
    throw new Error(`The space ${space.id} changed within the transaction that wrote to it.`);
  await enqueueIndexing(trx, services, space);
  return revision;
}

/** @throws ContractError 409 where the state of the base forbids to write to it */
export function requireWritable({ space, changeRequest }: Base): void {
  if (changeRequest?.status === 'merged')
    throw conflict(
      'The change request is merged: what it holds does not change any more. Start another one.',
    );
  if (!changeRequest && space.editMode === 'locked')
    throw conflict('The space is locked: set its editMode to live, or write to a change request.');
}
