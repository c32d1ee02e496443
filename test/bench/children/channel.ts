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

/** Duration for which one turn of an event loop blocked all others, in milliseconds, accurate to {@link LOOK_MS}. */
export interface Turn {
  /** Processor time of the thread, which is independent of the load of the machine. */
  cpu: number;
  /** Includes waits of the thread, such as for the disk, but not for a free processor (on Linux). */
  held: number;
}

/** Interval of samples of the event loop. */
const LOOK_MS = 5;

/** Reports to the parent that this process listens, and answers its requests until it is killed. */
export function answerParent(ready: { url: string; token?: string | undefined }): void {
  const longestTurn = watchTurns();
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const rss = process.memoryUsage.rss();
    process.send?.({ cpu: user + system, rss, turn: longestTurn() } satisfies Usage);
  });
  process.send?.(ready);
}

/** A due timer interrupts nothing: the time between two of its calls is one turn, and little more. */
function watchTurns(): () => Turn {
  let longest: Turn = { cpu: 0, held: 0 };
  let seen: Turn = spent();
  setInterval(() => {
    const now = spent();
    longest = {
      cpu: Math.max(longest.cpu, now.cpu - seen.cpu),
      held: Math.max(longest.held, now.held - seen.held),
    };
    seen = now;
  }, LOOK_MS).unref();
  return () => {
    const longestTurn = longest;
    longest = { cpu: 0, held: 0 };
    return longestTurn;
  };
}

function spent(): Turn {
  const { user, system } = process.threadCpuUsage();
  return { cpu: (user + system) / 1000, held: performance.now() - waitedForProcessor() };
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
