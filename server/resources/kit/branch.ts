import { contentLock, openBranch } from '../../content/branch.ts';
import { planContent } from '../../content/plan.ts';
import { knownBlobs } from '../../content/store/blobs.ts';
import { storeBytes } from '../../content/store/files.ts';
import type { PendingFiles } from '../../content/store/pending-files.ts';
import {
  activateRevision,
  type RevisionFacts,
  type RevisionRow,
  storeAhead,
  storeRevision,
} from '../../content/store/revisions.ts';
import { addressFinder } from '../../content/threads/addresses.ts';
import type { ContentChange } from '../../content/tree/change.ts';
import type { Content } from '../../content/tree/content.ts';
import { conflict } from '../../contract/errors.ts';
import type { Transaction } from '../../database/database.ts';
import { COLLIDED } from '../../database/locks.ts';
import type { SpacePermission } from '../../identity/permissions.ts';
import {
  type BranchPath,
  branchFor,
  type FoundBranch,
  writableBranchFor,
} from '../../models/content-branches/queries.ts';
import { enqueueIndexing } from './indexing.ts';
import type { Services } from './slice.ts';

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
  }: { user: string; path: BranchPath; permission: SpacePermission; files?: PendingFiles },
  plan: (content: Content, base: FoundBranch, now: Date) => Promise<BaseChange | undefined>,
): Promise<{ base: FoundBranch; revision: RevisionRow }> {
  const { database, clock, makeId } = services;
  // Whoever may not write does not get to wait either.
  const named = await branchFor(database.query, user, path, permission);
  return await database.inTurn(contentLock(named), async () => {
    const base = await writableBranchFor(database.query, user, path, permission);
    const { revision: before, content } = await openBranch(database.query, base);
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
      const current = await writableBranchFor(trx, user, path, permission);
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
  base: FoundBranch,
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
