import { sweepObjects } from '../../content/store/sweep.ts';
import { removeSpace } from '../../database/search.ts';
import { jobKind } from '../../jobs/queue.ts';
import { auditorOf } from '../../models/audit-events/record.ts';
import { removeAccess } from '../../models/placements/transfer.ts';
import type { Services } from '../kit/slice.ts';

/** Removes a space for good, if it is still deleted by the deletion that asked for it. */
export const purgeSpace = jobKind<{ space: string; deletedAt: string }>('purge-space');

/** Names the worker of what spaces leave to the background. */
export function registerSpaceJobs(services: Services): void {
  const { queue, database, clock } = services;
  const audit = auditorOf(services, { actor: 'system' });
  queue.register(purgeSpace, async ({ payload }) => {
    const organization = await database.transaction(async (trx) => {
      const space = await trx
        .selectFrom('spaces')
        .select(['organization', 'deletedAt'])
        .where('id', '=', payload.space)
        .executeTakeFirst();
      if (!space || space.deletedAt !== payload.deletedAt) return undefined;
      await removeSpace(trx, { organization: space.organization, space: payload.space });
      await removeAccess(trx, 'space', [payload.space]);
      await trx.deleteFrom('revisions').where('space', '=', payload.space).execute();
      await trx.deleteFrom('spaces').where('id', '=', payload.space).execute();
      await audit(trx, {
        organization: space.organization,
        action: 'space.purged',
        resource: { type: 'space', id: payload.space },
      });
      return space.organization;
    });
    if (organization !== undefined) await sweepObjects(database, organization, clock);
  });
}
