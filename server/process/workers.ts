import { registerAuditPruning } from '../platform/accounts/audit-events/jobs.ts';
import { registerFileSweeps } from '../platform/accounts/organization-files/rules.ts';
import { registerGitExport } from '../platform/content/git/jobs/export.ts';
import { registerGitImport } from '../platform/content/git/jobs/import.ts';
import { registerImports } from '../platform/content/import-runs/jobs.ts';
import { registerIndexing } from '../platform/content/indexing/indexing.ts';
import { registerSpecProcessing } from '../platform/content/openapi-specs/jobs.ts';
import { registerEventDelivery } from '../platform/integrations/events/jobs.ts';
import { registerIntegrationJobs } from '../platform/integrations/integrations/jobs.ts';
import type { Services } from '../platform/kit/slice.ts';
import { pruneVisitorSessions } from '../platform/sites/visitors/sessions.ts';
import { registerSpaceJobs } from '../platform/spaces/spaces/jobs.ts';
import { registerTranslations } from '../platform/translations/translations/jobs/run.ts';

/** Registers the workers of all kinds of jobs. */
export function registerWorkers(services: Services): void {
  registerSpaceJobs(services);
  registerIndexing(services);
  registerSpecProcessing(services);
  registerGitImport(services);
  registerGitExport(services);
  registerImports(services);
  registerAuditPruning(services, pruneVisitorSessions);
  registerFileSweeps(services);
  registerTranslations(services);
  registerIntegrationJobs(services);
  registerEventDelivery(services);
}
