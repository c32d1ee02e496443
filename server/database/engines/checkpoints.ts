import type { Log } from '../log.ts';
import type { Handle } from './sqlite-handle.ts';

/*
 * SQLite writes commits to a write-ahead log. A checkpoint later copies the pages of the log to the database file. It
 * waits for the disk twice and would run as part of a commit on the main thread. Therefore the job process also runs
 * the checkpoints of the server, without blocking readers or writers.
 *
 * The log restarts with the first commit after all of it was copied. During continuous commits another process cannot
 * reach that point: once the log is long, the server runs a checkpoint of the few remaining pages. Without a job
 * process this also bounds the log.
 */

/**
 * The checkpoints that a process runs: after its own commits, for the commits of all processes, or only if the log
 * becomes long because the process that runs them for all does not.
 */
export type Checkpoints = 'own' | 'all' | 'fallback';

/** Minimum log size, in pages of 4 kB, for a commit to run a checkpoint. SQLite's default is 1000. */
export const MAX_LOG_PAGES: Readonly<Record<Checkpoints, number>> = {
  own: 1000,
  all: 1000,
  fallback: 8192,
};

/** Interval between log checks by the process that runs all checkpoints, while there are commits. */
export const CHECKPOINT_INTERVAL_MS = 250;
/** Interval between these checks while there are no commits. Only at 16 MB a second, a log becomes too long meanwhile. */
export const IDLE_CHECKPOINT_INTERVAL_MS = 2000;

/** Number of pages of the log, and of those already copied to the database file. */
interface LogSize {
  log: number;
  checkpointed: number;
}

/**
 * Runs checkpoints for all processes until the returned function is called. Does not keep the process alive.
 *
 * @param handle returns a connection without an open transaction
 */
export function startCheckpoints(handle: () => Handle, log: Log): () => void {
  let intervalMs = CHECKPOINT_INTERVAL_MS;
  let lastPages: number | undefined;
  const checkpoint = () => {
    try {
      const { rows } = handle().run<LogSize>({ sql: 'pragma wal_checkpoint(noop)', parameters: [] });
      const pages = rows.reduce((sum, size) => sum + size.log, 0);
      const waiting = rows.reduce((sum, size) => sum + size.log - size.checkpointed, 0);
      if (waiting >= MAX_LOG_PAGES.all) {
        handle().exec('pragma wal_checkpoint(passive)');
      }
      intervalMs =
        pages === lastPages ? Math.min(intervalMs * 2, IDLE_CHECKPOINT_INTERVAL_MS) : CHECKPOINT_INTERVAL_MS;
      lastPages = pages;
    } catch (err) {
      // Writers report outages.
      log.debug({ err }, 'database checkpoint failed and will be retried');
    }
    timer = setTimeout(checkpoint, intervalMs).unref();
  };
  let timer = setTimeout(checkpoint, intervalMs).unref();
  return () => clearTimeout(timer);
}
