import { readFileSync } from 'node:fs';

/** What a measured process tells: where it listens, and on each question what it has used so far. */
export interface Usage {
  /** Microseconds of CPU since its start. */
  cpu: number;
  /** Bytes in memory. */
  rss: number;
  /** The longest turn of its event loop since the last question. */
  turn: Turn;
}

/** How long one turn of an event loop held up all others, in milliseconds, up to {@link LOOK_MS} more. */
export interface Turn {
  /** Processor time of the thread, which a busy machine does not change. */
  cpu: number;
  /** With what the thread waited for, such as the disk, and without its waits for a free processor (on Linux). */
  held: number;
}

/** How often the event loop is looked at. */
const LOOK_MS = 5;

/** Tells the parent that this process listens, and answers its questions until it is killed. */
export function answerParent(ready: { url: string; token?: string | undefined }): void {
  const longestTurn = watchTurns();
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const rss = process.memoryUsage.rss();
    process.send?.({ cpu: user + system, rss, turn: longestTurn() } satisfies Usage);
  });
  process.send?.(ready);
}

/** A timer that is due interrupts nothing: what went by between two of its calls is one turn, and little more. */
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
    const found = longest;
    longest = { cpu: 0, held: 0 };
    return found;
  };
}

function spent(): Turn {
  const { user, system } = process.threadCpuUsage();
  return { cpu: (user + system) / 1000, held: performance.now() - waitedForProcessor() };
}

/** How long the main thread was ready to run and did not, in milliseconds since its start. */
function waitedForProcessor(): number {
  try {
    const [, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(waited) / 1_000_000;
  } catch {
    // Only Linux counts it.
    return 0;
  }
}
