import { ContractError } from '../../../contract/errors.ts';
import { jobKind } from '../../../jobs/queue.ts';
import type { Services } from '../slice.ts';

/** Deletes the texts and files of an organization that nothing refers to, such as those of a purged space. */
export const contentSweep = jobKind<{ organization: string }>('space-sweep');

/** Deletes the files that were stored ahead of a commit that was rejected, if a quota counts them. */
export async function sweepRejected(
  { database, queue, quotas }: Pick<Services, 'database' | 'queue' | 'quotas'>,
  organization: string,
  error: unknown,
): Promise<void> {
  if (error instanceof ContractError && quotas.limitsOf(organization).bytes !== undefined) {
    await database.transaction((trx) =>
      queue.enqueue(trx, { kind: contentSweep, organization, payload: { organization } }),
    );
  }
}
