/**
 * Ends its process when the parent is gone. In a thread of its own: a job that never returns to the event loop
 * would keep the process from noticing.
 */
import { workerData } from 'node:worker_threads';

const INTERVAL_MS = 500;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, INTERVAL_MS);
