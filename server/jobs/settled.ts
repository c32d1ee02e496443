import { setTimeout as delay } from 'node:timers/promises';

/** Waits until all running jobs have ended, up to `limit` milliseconds. */
export async function settled(
  running: ReadonlySet<{ readonly done: Promise<void> }>,
  limit: number,
): Promise<void> {
  if (running.size === 0) {
    return;
  }
  const timeout = new AbortController();
  const ended = Promise.all([...running].map(({ done }) => done));
  await Promise.race([ended, delay(limit, undefined, { signal: timeout.signal }).catch(() => {})]);
  timeout.abort();
}
