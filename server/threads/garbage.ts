import { Session } from 'node:inspector/promises';

/** Collects the garbage of this thread at once, and returns the memory to the system. */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
