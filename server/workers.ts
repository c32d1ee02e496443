import { registerAuditPruning } from './resources/audit-events/jobs.ts';
import { registerGitExport } from './resources/git/jobs/export.ts';
import { registerGitImport } from './resources/git/jobs/import.ts';
import { registerImports } from './resources/imports/runs/jobs.ts';
import { registerEventDelivery } from './resources/integration-events/jobs.ts';
import { registerIntegrationJobs } from './resources/integrations/jobs.ts';
import { registerIndexing } from './resources/kit/indexing.ts';
import type { Services } from './resources/kit/slice.ts';
import { registerSpecProcessing } from './resources/openapi-specs/jobs.ts';
import { registerFileSweeps } from './resources/organization-files/rules.ts';
import { registerSpaceJobs } from './resources/spaces/jobs.ts';
import { registerTranslations } from './resources/translations/jobs/run.ts';

/** Registers the workers of all kinds of jobs. */
export function registerWorkers(services: Services): void {
  registerSpaceJobs(services);
  registerIndexing(services);
  registerSpecProcessing(services);
  registerGitImport(services);
  registerGitExport(services);
  registerImports(services);
  registerAuditPruning(services);
  registerFileSweeps(services);
  registerTranslations(services);
  registerIntegrationJobs(services);
  registerEventDelivery(services);
}
