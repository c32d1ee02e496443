import { registerAuditPruning } from './resources/audit-events/jobs.ts';
import { registerGitExport } from './resources/git/export-worker.ts';
import { registerGitImport } from './resources/git/import-worker.ts';
import { registerIndexing } from './resources/indexing.ts';
import { registerSpecProcessing } from './resources/openapi-specs/processing.ts';
import type { Services } from './resources/slice.ts';
import { registerSpaceJobs } from './resources/spaces/jobs.ts';

/** Puts together who does what requests leave to the background. */
export function registerWorkers(services: Services): void {
  registerSpaceJobs(services);
  registerIndexing(services);
  registerSpecProcessing(services);
  registerGitImport(services);
  registerGitExport(services);
  registerAuditPruning(services);
}
