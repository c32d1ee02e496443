/** Returns the processor time of work in this process, in milliseconds. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  // Only the sum is exact: samples divide it between user and system.
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
