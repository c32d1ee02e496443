import { flushCompileCache } from 'node:module';
import { getHeapStatistics } from 'node:v8';
import { RequestTimes } from '../app/request-times.ts';
import { collectGarbage } from '../threads/garbage.ts';

/** Interval of the checks. */
const CHECK_MS = 5000;
/** Maximum processor share of an idle process. */
const IDLE_SHARE = 0.05;
/** Idle checks in a row before memory is released, which takes a few tenths of a second. */
const IDLE_CHECKS = 2;
/** Minimum time since the start of the last request. Earlier, another request is likely to wait for the release. */
const QUIET_MS = 500;
/** Growth of the heap that is worth a release. */
const MIN_GROWTH_BYTES = 33_554_432;

/**
 * Collects the garbage of this process while it is idle and receives no requests, and returns the memory to the system.
 * V8 does so only as it allocates, so that an idle process keeps what its last work used.
 *
 * @param options override the defaults
 * @returns a function that ends this
 */
export function releaseMemoryWhenIdle({
  checkMs = CHECK_MS,
  idleShare = IDLE_SHARE,
  quietMs = QUIET_MS,
} = {}): () => void {
  let usage = process.cpuUsage();
  let idleChecks = 0;
  // The first release frees what the start of the process used.
  let released = 0;
  const requests = new RequestTimes();
  const check = async () => {
    const { user, system } = process.cpuUsage(usage);
    usage = process.cpuUsage();
    idleChecks = user + system < idleShare * checkMs * 1000 ? idleChecks + 1 : 0;
    const isQuiet = requests.quietMs() > quietMs;
    if (isQuiet && idleChecks >= IDLE_CHECKS && heapBytes() > released + MIN_GROWTH_BYTES) {
      await collectGarbage();
      // Otherwise, Node writes the cache when the process ends, unless it is killed.
      flushCompileCache();
      released = heapBytes();
      usage = process.cpuUsage();
    }
  };
  const timer = setInterval(check, checkMs).unref();
  return () => {
    clearInterval(timer);
    requests.close();
  };
}

const heapBytes = (): number => getHeapStatistics().total_physical_size;
