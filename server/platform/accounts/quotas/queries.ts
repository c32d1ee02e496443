import type { Queries } from '../../../database/database.ts';
import type { QuotaName } from '../../../database/schema/quotas.ts';
import { countUnfinished, unfinishedByOrganization } from '../../../jobs/unfinished.ts';
import { QUOTAS } from '../../../quotas/names.ts';
import type { Quotas } from '../../../quotas/quotas.ts';
import { readLargeUse, readUse, STORED_QUOTAS } from '../../../quotas/use.ts';
import { QUOTA_JOB_KINDS } from '../../kit/jobs/job-quota.ts';

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

/** Share of a quota from which an organization is near it. */
const NEAR_QUOTA_SHARE = 0.9;

/** The numbers of organizations near a quota. */
export interface NearQuota {
  quota: QuotaName;
  /** Those that use at least {@link NEAR_QUOTA_SHARE} of it. */
  near: number;
  /** Of these, those that use all of it. */
  full: number;
}

/** Counts the organizations near each quota that limits any. */
export async function readNearQuotas(queries: Queries, quotas: Quotas): Promise<NearQuota[]> {
  const { defaults, ofOrganizations } = quotas.all();
  const counted: NearQuota[] = [];
  for (const quota of QUOTAS) {
    const isLimited = [defaults, ...ofOrganizations.values()].some((limits) => limits[quota] !== undefined);
    if (!isLimited) {
      continue;
    }
    const least = Math.ceil((defaults[quota] ?? Number.MAX_SAFE_INTEGER) * NEAR_QUOTA_SHARE);
    const large =
      quota === 'jobs'
        ? await unfinishedByOrganization(queries, QUOTA_JOB_KINDS, least)
        : await readLargeUse(queries, quota, least);
    const shares = large.flatMap(({ organization, used }) => {
      const limit = quotas.limitsOf(organization)[quota];
      return limit === undefined ? [] : [used / limit];
    });
    counted.push({
      quota,
      near: shares.filter((share) => share >= NEAR_QUOTA_SHARE).length,
      full: shares.filter((share) => share >= 1).length,
    });
  }
  return counted;
}
