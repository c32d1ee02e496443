/**
 * Kills its process when the parent has ended. Runs in a separate thread, since a job may block the event loop.
 */
import { Socket } from 'node:net';

/** Standard input: a pipe whose other end the parent holds open until it ends, and writes nothing to. */
const PARENT_DESCRIPTOR = 0;

new Socket({ fd: PARENT_DESCRIPTOR, readable: true, writable: false })
  .on('error', () => undefined)
  .on('close', () => process.kill(process.pid, 'SIGKILL'))
  .resume();
