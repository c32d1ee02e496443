import { databaseLocation, readConfig } from '../app/config.ts';
import { createLog } from '../app/log.ts';
import { closeServices, createServices, outgoingFolders } from '../app/services.ts';
import { START_COMMAND } from '../commands/command-lines.ts';
import { createContentThreads } from '../content/threads/threads.ts';
import { openDatabase } from '../database/database.ts';
import { createId } from '../database/seams.ts';
import { exitWithServer, exitWithStuckJob, runQueue, runSingleJob } from '../jobs/host.ts';
import { type ChildMode, LOG_DESCRIPTOR } from '../jobs/messages.ts';
import { createQueue, type Queue } from '../jobs/queue.ts';
import { createScratchFolder } from '../jobs/scratch.ts';
import { removeUnusedCopies } from '../outgoing/git/copy-cache.ts';
import type { Services } from '../platform/kit/slice.ts';
import { QUOTA_REFRESH_MS } from '../quotas/quotas.ts';
import { releaseMemoryWhenIdle } from './idle-memory.ts';

/**
 * Runs jobs in this process, which was forked by the server: those of the queue, or a single one.
 *
 * @param register registers the workers
 */
export async function runJobProcess(register: (services: Services) => void): Promise<void> {
  const [mode, owner = ''] = process.argv.slice(2);
  const config = readConfig(process.env);
  const { secretKey, publicUrl } = config;
  if (!process.connected || secretKey === undefined || publicUrl === undefined) {
    throw new Error(`Job processes are started by the server only. Run: ${START_COMMAND}`);
  }
  const tracing = config.isTraced
    ? (await import('../telemetry/traces/tracing.ts')).startTracing('jobs', process.env)
    : undefined;
  const log = createLog(config, { descriptor: LOG_DESCRIPTOR, fields: tracing?.logFields });
  exitWithServer(log);
  const folders = outgoingFolders(config.dataFolder);
  const folder = await createScratchFolder(folders.folder, owner);
  const database = await openDatabase(
    databaseLocation(config),
    // Already migrated by the server, so that a process can start during an outage.
    { log, migrated: true, checkpoints: mode === ('queue' satisfies ChildMode) ? 'all' : 'own' },
  );
  await removeUnusedCopies(folders.copies);
  const clock = () => new Date();
  const queue: Queue = createQueue({
    database,
    clock,
    createId,
    log,
    owner,
    lane: 'unsuspected',
    onStuck: () => void exitWithStuckJob({ queue }),
  });
  const services = createServices(config, {
    database,
    clock,
    createId,
    queue,
    threads: createContentThreads(),
    secretKey,
    log,
    publicUrl,
    folder,
  });
  // The database may be unavailable when this process starts: the quotas are then read later.
  const stopQuotas = services.quotas.watch(QUOTA_REFRESH_MS, log);
  register(services);
  const metrics = config.metricsAddress === undefined ? undefined : await countJobs();
  const jobProcess = {
    queue,
    log,
    metrics,
    close: async () => {
      stopQuotas();
      await closeServices(services).finally(() => tracing?.stop());
    },
  };
  if (('queue' satisfies ChildMode) === mode) {
    releaseMemoryWhenIdle();
    runQueue(jobProcess);
  } else {
    runSingleJob(jobProcess);
  }
}

/** Counts what this process does. Returns a function that reads it. */
async function countJobs(): Promise<() => Promise<unknown>> {
  const { ProcessMetrics } = await import('../telemetry/metrics/process-metrics.ts');
  const metrics = new ProcessMetrics('jobs');
  return () => metrics.snapshot();
}
