/**
 * Kills its process when the parent has ended. Runs in a separate thread, since a job may block the event loop.
 */
import { workerData } from 'node:worker_threads';

const INTERVAL_MS = 500;

setInterval(() => {
  if (process.ppid !== workerData) {
    process.kill(process.pid, 'SIGKILL');
  }
}, INTERVAL_MS);
