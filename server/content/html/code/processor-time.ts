/** Returns the processor time of the current thread in milliseconds. Unlike the time, it depends little on other work. */
export function processorTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
