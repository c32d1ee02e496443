import type { QuotaLimitsOf } from '../../server/quotas/quotas.ts';

/** No organization has a quota. */
export const NO_QUOTAS: QuotaLimitsOf = { limitsOf: () => ({}) };
