import { sweepObjects } from '../../../content/store/sweep.ts';
import type { Transaction } from '../../../database/database.ts';
import { removeFromSpace } from '../../../database/search/writes.ts';
import { jobKind } from '../../../jobs/queue.ts';
import { auditorOf } from '../../kit/audit/record.ts';
import { raiseContentRemovals } from '../../kit/events/content-installations.ts';
import { contentSweep } from '../../kit/jobs/content-sweep.ts';
import type { Services } from '../../kit/slice.ts';
import { removeAccess } from '../placements/transfer.ts';

/** A deleted space, and the time of the deletion that requested its removal. */
interface DeletedSpace {
  space: string;
  deletedAt: string;
}

/** Removes a space permanently, unless it was restored since the deletion that requested it. */
export const purgeSpace = jobKind<DeletedSpace>('purge-space');

/** Registers the workers of the jobs of spaces. */
export function registerSpaceJobs(services: Services): void {
  const { queue, database, clock } = services;
  queue.register(purgeSpace, async ({ payload }, signal) => {
    do {
      signal.throwIfAborted();
    } while (await database.transaction((trx) => purgePart(trx, services, payload)));
  });
  queue.register(contentSweep, async ({ payload }, signal) => {
    await sweepObjects(database, payload.organization, clock, signal);
  });
}

/**
 * Removes some of the search sections of a space, which may be many, and with the last ones the space.
 *
 * @returns whether the space remains, with more sections
 */
async function purgePart(trx: Transaction, services: Services, deleted: DeletedSpace): Promise<boolean> {
  const { space: id } = deleted;
  const space = await findDeleted(trx, deleted);
  if (!space) {
    return false;
  }
  const { organization } = space;
  if (!(await removeFromSpace(trx, { organization, space: id }))) {
    return true;
  }
  await removeAccess(trx, 'space', [id]);
  await trx.deleteFrom('revisions').where('space', '=', id).execute();
  await raiseContentRemovals(trx, services, { column: 'space', id });
  await trx.deleteFrom('spaces').where('id', '=', id).execute();
  const audit = auditorOf(services, { actor: 'system' });
  await audit(trx, { organization, action: 'space.purged', resource: { type: 'space', id } });
  // A job of its own, so that it is repeated after the purge of the space.
  await services.queue.enqueue(trx, { kind: contentSweep, organization, payload: { organization } });
  return false;
}

function findDeleted(
  trx: Transaction,
  { space, deletedAt }: DeletedSpace,
): Promise<{ organization: string } | undefined> {
  return trx
    .selectFrom('spaces')
    .select('organization')
    .where('id', '=', space)
    .where('deletedAt', '=', deletedAt)
    .executeTakeFirst();
}
