import type { Queries } from '../database/database.ts';
import type { QuotaName } from '../database/schema/quotas.ts';
import type { RowCountKind } from '../database/schema/row-counts.ts';
import { quotaExceeded } from '../errors/errors.ts';
import type { QuotaLimitsOf } from './quotas.ts';

/** The quotas of what an organization keeps. Jobs, which end by themselves, are counted by their queue. */
export type StoredQuota = Exclude<QuotaName, 'jobs'>;

/** All quotas of what an organization keeps. */
export const STORED_QUOTAS: readonly StoredQuota[] = ['spaces', 'pages', 'bytes', 'members', 'integrations'];

/** The numbers that quotas limit, which triggers maintain. */
export const COUNTED_KINDS = {
  spaces: 'spaces',
  pages: 'pages',
  bytes: 'bytes of files',
  members: 'members',
  integrations: 'integrations published',
} as const satisfies Record<StoredQuota, RowCountKind>;

/** Reads what an organization has of some resources. */
export async function readUse(
  queries: Queries,
  organization: string,
  quotas: readonly StoredQuota[],
): Promise<Record<StoredQuota, number>> {
  const rows = await queries
    .selectFrom('rowCounts')
    .select(['kind', ({ fn }) => fn.sum<number>('value').as('value')])
    .where('organization', '=', organization)
    .where('owner', '=', '')
    .where(
      'kind',
      'in',
      quotas.map((quota) => COUNTED_KINDS[quota]),
    )
    .groupBy('kind')
    .execute();
  const used = (quota: StoredQuota) => rows.find(({ kind }) => kind === COUNTED_KINDS[quota])?.value ?? 0;
  return {
    spaces: used('spaces'),
    pages: used('pages'),
    bytes: used('bytes'),
    members: used('members'),
    integrations: used('integrations'),
  };
}

/**
 * Requires that an organization can have more. Must be called in the transaction that adds it, before it is added: of
 * two transactions that add the last one, the second one fails or runs again. Executes no statement without a limit.
 *
 * @param added numbers of what is added
 * @throws ContractError 403
 */
export async function requireQuota(
  trx: Queries,
  quotas: QuotaLimitsOf,
  organization: string,
  added: Readonly<Partial<Record<StoredQuota, number>>>,
): Promise<void> {
  const limits = quotas.limitsOf(organization);
  const limited = STORED_QUOTAS.filter((quota) => limits[quota] !== undefined && (added[quota] ?? 0) > 0);
  if (limited.length === 0) {
    return;
  }
  const used = await readUse(trx, organization, limited);
  for (const quota of limited) {
    const limit = limits[quota] ?? Number.POSITIVE_INFINITY;
    if (used[quota] + (added[quota] ?? 0) > limit) {
      throw quotaExceeded({ name: quota, limit, used: used[quota] }, added[quota] ?? 0);
    }
  }
}

/** Maximum number of organizations that are read because they are near a quota. */
export const MAX_NEAR_ORGANIZATIONS = 10_000;

/** Reads the use of each organization with at least `least`, or with a quota of its own. */
export const readLargeUse = (
  queries: Queries,
  quota: StoredQuota,
  least: number,
): Promise<{ organization: string; used: number }[]> =>
  queries
    // Starts from the organizations, whose numbers the key of the counts finds among those of other owners.
    .selectFrom('organizations')
    .innerJoin('rowCounts', 'rowCounts.organization', 'organizations.id')
    .select(['organization', ({ fn }) => fn.sum<number>('value').as('used')])
    .where('kind', '=', COUNTED_KINDS[quota])
    .where('owner', '=', '')
    .groupBy('organization')
    .having((rows) =>
      rows.or([
        rows(rows.fn.sum<number>('value'), '>=', least),
        rows(
          'organization',
          'in',
          queries.selectFrom('quotas').select('organization').where('quota', '=', quota),
        ),
      ]),
    )
    .limit(MAX_NEAR_ORGANIZATIONS)
    .execute();
