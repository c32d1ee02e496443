import type { Log } from './log.ts';
import type { Handle } from './sqlite-handle.ts';

/*
 * SQLite writes what is committed to a log, and some time later, at a checkpoint, the pages of the log to the database
 * file. A checkpoint waits for the disk twice, and would be part of a commit on the thread of requests. So the process
 * for jobs makes those of the server as well: neither readers nor writers wait for it.
 *
 * The log starts over with the first commit that finds all of it in the database file. While commits follow each other
 * without a pause, another process never gets that far: then the server makes a checkpoint after all, once the log is
 * long, of the few pages that are left. Where there is no process for jobs that bounds the log as well.
 */

/** Who makes checkpoints: each process after its own commits, this one for all, or another one for this one. */
export type Checkpoints = 'own' | 'for all' | 'by another';

/** Pages of 4 kB in the log from which each commit of such a process makes a checkpoint. 1000 is SQLite's default. */
export const MAX_LOG_PAGES: Readonly<Record<Checkpoints, number>> = {
  own: 1000,
  'for all': 1000,
  'by another': 8192,
};

/** How often the process that makes checkpoints for all looks at the log, in milliseconds. */
export const CHECKPOINT_INTERVAL_MS = 250;

/** Pages of the log: all, and those that are in the database file. */
interface LogSize {
  log: number;
  checkpointed: number;
}

/**
 * Makes checkpoints of what all processes commit, until the returned function is called. Keeps no process alive.
 *
 * @param handle gives a connection that is in no transaction
 */
export function makeCheckpoints(handle: () => Handle, log: Log): () => void {
  const checkpoint = () => {
    try {
      const { rows } = handle().run<LogSize>({ sql: 'pragma wal_checkpoint(noop)', parameters: [] });
      const waiting = rows.reduce((sum, size) => sum + size.log - size.checkpointed, 0);
      if (waiting >= MAX_LOG_PAGES['for all']) handle().exec('pragma wal_checkpoint(passive)');
    } catch (err) {
      // Those who have something to write report an outage.
      log.debug({ err }, 'a checkpoint of the database is left to the next time');
    }
  };
  const timer = setInterval(checkpoint, CHECKPOINT_INTERVAL_MS).unref();
  return () => clearInterval(timer);
}
