import type { components } from '../../generated/schema.d.ts';
import { ContractError } from '../contract/errors.ts';
import { DEFINED_REASONS } from './define-errors.ts';

/* Errors of the quotas of organizations. Import them from errors.ts. */

type ExceededQuota = components['schemas']['ExceededQuota'];

/** Seconds until a request that was rejected for its quota of jobs should be repeated. */
const JOB_RETRY_AFTER_SECONDS = 10;

const REASON = 'quota_exceeded';
DEFINED_REASONS.add(REASON);

const RESOURCES: Readonly<Record<ExceededQuota['name'], string>> = {
  spaces: 'spaces',
  pages: 'pages',
  bytes: 'bytes of files',
  members: 'members',
  integrations: 'integrations',
  jobs: 'jobs',
};

const messageOf = ({ name, used, limit }: ExceededQuota, added: number, fix: string): string =>
  `The organization would exceed its quota of ${RESOURCES[name]}: it uses ${used} of ${limit}, and this adds ${added}. ${fix}`;

/** Creates a 403 for what the organization keeps. */
export function quotaExceeded(quota: ExceededQuota, added: number): ContractError {
  const fix = 'Delete what is no longer used, or ask the operator of the server for a larger quota.';
  return new ContractError(403, REASON, messageOf(quota, added, fix), { fields: { quota } });
}

/** Creates a 429 for jobs, which end by themselves. */
export function jobQuotaExceeded(quota: ExceededQuota): ContractError {
  return new ContractError(429, REASON, messageOf(quota, 1, 'Try again when one has ended.'), {
    headers: { 'Retry-After': String(JOB_RETRY_AFTER_SECONDS) },
    fields: { quota },
  });
}
