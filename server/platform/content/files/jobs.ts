import { removeExpiredUploads } from '../../../content/store/expired-uploads.ts';
import { moveFiles } from '../../../content/store/move-files.ts';
import { expiredOwners, removeExpiredObjects } from '../../../content/store/stored-objects.ts';
import { jobKind } from '../../../jobs/queue.ts';
import { ObjectStorageError } from '../../../outgoing/object-storage/errors.ts';
import { type PeriodicJob, startPeriodicJob } from '../../kit/periodic-jobs.ts';
import type { Services } from '../../kit/slice.ts';

/** Time between two moves of new files to the object storage. */
export const FILE_MAINTENANCE_INTERVAL_MS = 10 * 60 * 1000;
/** Time limit of a maintenance of files: the next one continues. */
export const FILE_MAINTENANCE_TIMEOUT_MS = 5 * 60 * 1000;
/** Interval for a process to check whether the maintenance of files is due. */
const MAINTENANCE_CHECK_INTERVAL_MS = 60 * 1000;
/** Key of the setting that stores when the maintenance was last requested. */
const SETTING_KEY = 'fileMaintenanceRequestedAt';

/** Moves files from the database to the object storage, and deletes the bytes that no file uses any more. */
export const maintainFiles = jobKind<Record<string, never>>('stored-files');

/** Registers the worker of the maintenance of files. */
export function registerStoredFiles(services: Services): void {
  const { queue, database, clock, log, objectStorage } = services;
  queue.register(maintainFiles, async (_, stopped) => {
    if (!objectStorage) {
      return;
    }
    const timeout = AbortSignal.timeout(FILE_MAINTENANCE_TIMEOUT_MS);
    const signal = AbortSignal.any([stopped, timeout]);
    try {
      for (const organization of await expiredOwners(database.query, clock())) {
        await removeExpiredUploads(database, organization, clock(), signal);
      }
      await removeExpiredObjects(database, objectStorage, clock(), signal);
      if (objectStorage.receivesFiles) {
        const { damaged } = await moveFiles({ database, clock, objectStorage }, 's3', { signal });
        for (const file of damaged) {
          log.error(file, 'a file is damaged, and cannot be moved to the object storage');
        }
      }
    } catch (error) {
      // The next job continues. Failures of the storage were logged.
      const isExpected = error instanceof ObjectStorageError || (timeout.aborted && !stopped.aborted);
      if (!isExpected) {
        throw error;
      }
    }
  });
}

const maintenance = (queue: Services['queue']): PeriodicJob => ({
  setting: SETTING_KEY,
  intervalMs: FILE_MAINTENANCE_INTERVAL_MS,
  description: 'the maintenance of files',
  enqueue: async (trx) => {
    // The job covers every organization and belongs to none.
    await queue.enqueue(trx, { kind: maintainFiles, organization: '', key: SETTING_KEY, payload: {} });
  },
});

/** Requests the maintenance of files while the server runs. Returns a function that stops it. */
export const startFileMaintenance = (services: Services): Promise<() => Promise<void>> =>
  startPeriodicJob(services, maintenance(services.queue), MAINTENANCE_CHECK_INTERVAL_MS);
