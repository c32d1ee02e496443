import type { Queries } from '../../../database/database.ts';
import { jobQuotaExceeded } from '../../../errors/errors.ts';
import { countUnfinished } from '../../../jobs/unfinished.ts';
import type { JOB_KINDS } from '../job-kinds.ts';
import type { Services } from '../slice.ts';

/** The kinds of jobs that members start, and that the quota limits. */
export const QUOTA_JOB_KINDS: ReadonlyArray<(typeof JOB_KINDS)[number]> = [
  'git-import',
  'git-export',
  'import',
  'openapi-processing',
  'translation-run',
];

/**
 * Requires that a member may start a job. Must be called in the transaction that enqueues it, before that. Executes no
 * statement without a limit.
 *
 * @throws ContractError 429
 */
export async function requireJobQuota(
  trx: Queries,
  { quotas }: Pick<Services, 'quotas'>,
  organization: string,
): Promise<void> {
  const limit = quotas.limitsOf(organization).jobs;
  if (limit === undefined) {
    return;
  }
  const used = await countUnfinished(trx, organization, QUOTA_JOB_KINDS);
  if (used >= limit) {
    throw jobQuotaExceeded({ name: 'jobs', limit, used });
  }
}
