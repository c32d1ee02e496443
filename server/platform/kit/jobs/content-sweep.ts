import { ContractError } from '../../../contract/errors.ts';
import { jobKind } from '../../../jobs/queue.ts';
import type { Services } from '../slice.ts';

/** Deletes the texts and files of an organization that nothing refers to, such as those of a purged space. */
export const contentSweep = jobKind<{ organization: string }>('space-sweep');

/** Deletes what was stored ahead of a commit that a quota rejected: it counts as well. */
export async function sweepRejected(
  { database, queue }: Pick<Services, 'database' | 'queue'>,
  organization: string,
  error: unknown,
): Promise<void> {
  if (error instanceof ContractError && error.reason === 'quota_exceeded') {
    await database.transaction((trx) =>
      queue.enqueue(trx, { kind: contentSweep, organization, payload: { organization } }),
    );
  }
}
