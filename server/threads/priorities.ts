import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Priority of worker threads relative to the main thread (nice(1)). */
const THREAD_NICENESS = 10;
/**
 * Priority of the helper threads of V8 relative to the main thread. They compile code and collect the garbage of all
 * threads, so that a worker thread occupies several processors. Higher than that of worker threads, since the main
 * thread waits for them when it collects its own garbage.
 */
const HELPER_NICENESS = 5;
/** Name of the helper threads of V8. */
const HELPER_NAME = 'V8Worker';

/** Lowers the priority of the current thread, which is a worker thread. */
export function lowerThreadPriority(): void {
  // On other systems the priority applies to the whole process.
  if (process.platform === 'linux') {
    lower(0, getPriority() + THREAD_NICENESS);
  }
}

/** Lowers the priority of the helper threads of this process. Called by the main thread. */
export function lowerHelperPriority(): void {
  if (process.platform !== 'linux') {
    return;
  }
  const niceness = getPriority() + HELPER_NICENESS;
  for (const id of helperThreads()) {
    lower(id, niceness);
  }
}

/** Returns the IDs of the helper threads of this process; none if the system does not list them. */
export function helperThreads(): number[] {
  const folder = '/proc/self/task';
  try {
    return readdirSync(folder)
      .filter((id) => readFileSync(`${folder}/${id}/comm`, 'utf8').trim() === HELPER_NAME)
      .map(Number);
  } catch {
    return [];
  }
}

function lower(id: number, niceness: number): void {
  try {
    setPriority(id, Math.min(constants.priority.PRIORITY_LOW, niceness));
  } catch {
    // Not permitted, or the thread has ended: it keeps its priority.
  }
}
