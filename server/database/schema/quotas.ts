/** What an organization has that a quota limits. */
export type QuotaName = 'spaces' | 'pages' | 'bytes' | 'members' | 'integrations' | 'jobs';

/** The quotas of single organizations, which replace the default ones. */
export interface QuotasTable {
  organization: string;
  quota: QuotaName;
  /** null for no limit. */
  limit: number | null;
}
