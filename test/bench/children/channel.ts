import { readFileSync } from 'node:fs';

/** Messages of a measured process: its port, and its usage so far on each request. */
export interface Usage {
  /** Microseconds of CPU since its start. */
  cpu: number;
  /** Memory in bytes. */
  rss: number;
  /** Longest turn of its event loop since the last request. */
  turn: Turn;
}

/** How long one turn of an event loop blocked all others, in milliseconds, accurate to {@link SAMPLE_INTERVAL_MS}. */
export interface Turn {
  /** Processor time of the thread, which is independent of the load of the machine. */
  cpu: number;
  /** Includes waits of the thread, such as for the disk, but not for a free processor (on Linux). */
  blocked: number;
}

/** Interval of samples of the event loop. */
const SAMPLE_INTERVAL_MS = 5;

/** Reports to the parent that this process listens, and its usage on request. */
export function serveParent(url: string): void {
  reportUsage();
  process.send?.({ url });
}

/** Responds to requests of the parent for the usage of this process, until the parent ends. */
export function reportUsage(): void {
  const longestTurn = watchTurns();
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const rss = process.memoryUsage.rss();
    process.send?.({ cpu: user + system, rss, turn: longestTurn() } satisfies Usage);
  });
  process.once('disconnect', () => process.exit());
}

/** Samples the event loop with a timer. Timers interrupt nothing, so the time between two calls is at least one turn. */
function watchTurns(): () => Turn {
  let longest: Turn = { cpu: 0, blocked: 0 };
  let previous: Turn = usedTime();
  setInterval(() => {
    const now = usedTime();
    longest = {
      cpu: Math.max(longest.cpu, now.cpu - previous.cpu),
      blocked: Math.max(longest.blocked, now.blocked - previous.blocked),
    };
    previous = now;
  }, SAMPLE_INTERVAL_MS).unref();
  return () => {
    const longestTurn = longest;
    longest = { cpu: 0, blocked: 0 };
    return longestTurn;
  };
}

function usedTime(): Turn {
  const { user, system } = process.threadCpuUsage();
  return { cpu: (user + system) / 1000, blocked: performance.now() - waitedForProcessor() };
}

/** Returns how long the main thread was ready to run and did not, in milliseconds since its start. */
function waitedForProcessor(): number {
  try {
    const [, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(waited) / 1_000_000;
  } catch {
    // Only Linux reports it.
    return 0;
  }
}
