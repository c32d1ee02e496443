import { sweepObjects } from '../../content/store/sweep.ts';
import type { Transaction } from '../../database/database.ts';
import { removeFromSpace } from '../../database/search/writes.ts';
import { jobKind } from '../../jobs/queue.ts';
import { auditorOf } from '../../models/audit-events/record.ts';
import { raiseContentRemovals } from '../../models/integration-events/content-installations.ts';
import { removeAccess } from '../../models/placements/transfer.ts';
import type { Services } from '../kit/slice.ts';

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
  const audit = auditorOf(services, { actor: 'system' });
  queue.register(purgeSpace, async ({ payload }) => {
    // In separate transactions, because there may be many sections.
    while (!(await database.transaction((trx) => removeSearchSections(trx, payload)))) {}
    const organization = await database.transaction(async (trx) => {
      const space = await findDeleted(trx, payload);
      if (!space) {
        return undefined;
      }
      // Sections that were indexed meanwhile.
      while (!(await removeFromSpace(trx, { organization: space.organization, space: payload.space }))) {}
      await removeAccess(trx, 'space', [payload.space]);
      await trx.deleteFrom('revisions').where('space', '=', payload.space).execute();
      await raiseContentRemovals(trx, services, { column: 'space', id: payload.space });
      await trx.deleteFrom('spaces').where('id', '=', payload.space).execute();
      await audit(trx, {
        organization: space.organization,
        action: 'space.purged',
        resource: { type: 'space', id: payload.space },
      });
      return space.organization;
    });
    if (organization !== undefined) {
      await sweepObjects(database, organization, clock);
    }
  });
}

/** Removes some of the search sections of a space. Returns whether none are left. */
async function removeSearchSections(trx: Transaction, deleted: DeletedSpace): Promise<boolean> {
  const space = await findDeleted(trx, deleted);
  return !space || removeFromSpace(trx, { organization: space.organization, space: deleted.space });
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
