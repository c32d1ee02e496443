import type { Queries } from '../../../database/database.ts';
import type { QuotaName } from '../../../database/schema/quotas.ts';
import { countUnfinished } from '../../../jobs/unfinished.ts';
import type { Quotas } from '../../../quotas/quotas.ts';
import { readUse, STORED_QUOTAS } from '../../../quotas/use.ts';
import { QUOTA_JOB_KINDS } from '../../kit/job-quota.ts';

/** What an organization has of what a quota limits, and the limit if there is one. */
export interface QuotaUse {
  used: number;
  limit?: number;
}

/** Reads the quotas of an organization as they are enforced. */
export async function quotasOf(
  queries: Queries,
  quotas: Quotas,
  organization: string,
): Promise<Record<QuotaName, QuotaUse>> {
  await quotas.refresh();
  const limits = quotas.limitsOf(organization);
  const stored = await readUse(queries, organization, STORED_QUOTAS);
  const jobs = await countUnfinished(queries, organization, QUOTA_JOB_KINDS);
  const use = (name: QuotaName, used: number): QuotaUse => {
    const limit = limits[name];
    return { used, ...(limit !== undefined && { limit }) };
  };
  return {
    spaces: use('spaces', stored.spaces),
    pages: use('pages', stored.pages),
    bytes: use('bytes', stored.bytes),
    members: use('members', stored.members),
    integrations: use('integrations', stored.integrations),
    jobs: use('jobs', jobs),
  };
}
