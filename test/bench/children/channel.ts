/** What a measured process tells: where it listens, and on each question what it has used so far. */
export interface Usage {
  /** Microseconds of CPU since its start. */
  cpu: number;
  /** Bytes in memory. */
  rss: number;
}

/** Tells the parent that this process listens, and answers its questions until it is killed. */
export function answerParent(ready: { url: string; token?: string | undefined }): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu: user + system, rss: process.memoryUsage.rss() } satisfies Usage);
  });
  process.send?.(ready);
}
