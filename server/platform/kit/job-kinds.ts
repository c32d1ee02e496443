/** The names of all kinds of jobs, whose workers process/workers.ts registers. */
export const JOB_KINDS = [
  'purge-space',
  'space-sweep',
  'prune-revisions',
  'index-space',
  'index-dependents',
  'openapi-processing',
  'git-import',
  'git-export',
  'import',
  'prune-audit-events',
  'organization-files-sweep',
  'translation-run',
  'translation-removal',
  'integration-sweep',
  'stored-files',
] as const;
