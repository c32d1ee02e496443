/** Rounds for comparing two costs. */
const ROUNDS = 5;
/** Added to the cost of the smaller amount of work: some kernels count processor time in ticks of 4 ms. */
const RESOLUTION_MS = 5;

/**
 * Returns a function that returns the processor time of this thread since the call, in milliseconds. Unlike time, it
 * does not depend on other work of the machine.
 */
export function startProcessorClock(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    // Only the sum is exact: samples divide it between user and system.
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}

/** Returns the processor time of work in this thread, in milliseconds. */
function processorMs(work: () => void): number {
  const elapsedMs = startProcessorClock();
  work();
  return elapsedMs();
}

/**
 * Returns how many times the processor time of the short work the long work takes: the first ratio of at most `enough`,
 * or the least of some rounds. Garbage collection, compilation and a busy machine spoil single rounds; a cost that grows
 * faster than it should exceeds the ratio in all of them.
 */
export function costRatio(long: () => void, short: () => void, enough: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && least > enough; round++) {
    least = Math.min(least, processorMs(long) / (processorMs(short) + RESOLUTION_MS));
  }
  return least;
}
