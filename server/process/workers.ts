import { registerEventDelivery } from '../platform/integrations/events/jobs.ts';
import type { Services } from '../platform/kit/slice.ts';

/** Registers the workers of all kinds of jobs. The modules of most of them are loaded with the first job. */
export function registerWorkers(services: Services): void {
  const { queue } = services;
  queue.registerLater(['purge-space', 'space-sweep'], async () => {
    const { registerSpaceJobs } = await import('../platform/spaces/spaces/jobs.ts');
    registerSpaceJobs(services);
  });
  queue.registerLater(['prune-revisions'], async () => {
    const { registerRevisionPruning } = await import('../platform/spaces/spaces/jobs/revision-retention.ts');
    registerRevisionPruning(services);
  });
  queue.registerLater(['index-space', 'index-dependents'], async () => {
    const { registerIndexing } = await import('../platform/content/indexing/indexing.ts');
    registerIndexing(services);
  });
  queue.registerLater(['openapi-processing'], async () => {
    const { registerSpecProcessing } = await import('../platform/content/openapi-specs/jobs.ts');
    registerSpecProcessing(services);
  });
  queue.registerLater(['git-import'], async () => {
    const { registerGitImport } = await import('../platform/content/git/jobs/import.ts');
    registerGitImport(services);
  });
  queue.registerLater(['git-export'], async () => {
    const { registerGitExport } = await import('../platform/content/git/jobs/export.ts');
    registerGitExport(services);
  });
  queue.registerLater(['import'], async () => {
    const { registerImports } = await import('../platform/content/import-runs/jobs.ts');
    registerImports(services);
  });
  queue.registerLater(['prune-audit-events'], async () => {
    const { registerAuditPruning } = await import('../platform/accounts/audit-events/jobs.ts');
    const { pruneVisitorSessions } = await import('../platform/sites/visitors/sessions.ts');
    registerAuditPruning(services, pruneVisitorSessions);
  });
  queue.registerLater(['organization-files-sweep'], async () => {
    const { registerFileSweeps } = await import('../platform/accounts/organization-files/rules.ts');
    registerFileSweeps(services);
  });
  queue.registerLater(['translation-run', 'translation-removal'], async () => {
    const { registerTranslations } = await import('../platform/translations/translations/jobs/run.ts');
    registerTranslations(services);
  });
  queue.registerLater(['integration-sweep'], async () => {
    const { registerIntegrationJobs } = await import('../platform/integrations/integrations/jobs.ts');
    registerIntegrationJobs(services);
  });
  queue.registerLater(['stored-files'], async () => {
    const { registerStoredFiles } = await import('../platform/content/files/jobs.ts');
    registerStoredFiles(services);
  });
  registerEventDelivery(services);
}
