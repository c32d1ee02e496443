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
  /** Time on the clock: what the thread waited for, such as the disk or a free processor, included. */
  clock: number;
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
  let longest: Turn = { cpu: 0, clock: 0 };
  let seen = { cpu: threadTime(), clock: performance.now() };
  setInterval(() => {
    const now = { cpu: threadTime(), clock: performance.now() };
    longest = {
      cpu: Math.max(longest.cpu, now.cpu - seen.cpu),
      clock: Math.max(longest.clock, now.clock - seen.clock),
    };
    seen = now;
  }, LOOK_MS).unref();
  return () => {
    const found = longest;
    longest = { cpu: 0, clock: 0 };
    return found;
  };
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
