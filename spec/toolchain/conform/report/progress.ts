import type { Clock } from '../wire/clock.ts';

/** What a run tells of itself while it goes. */
export interface Told {
  /** `values of one request`, `sequences`, `shrinking`, `cleaning up`. */
  phase: string;
  /** By `Operation.id`. */
  operation: string;
  /** How many failures were found, each cause once. */
  failures: number;
}

/** Shows how far a run is. */
export interface Progress {
  /** Tells what changed. Cheap: it is shown when it is time. */
  tell(told: Partial<Told>): void;
  /** Takes the live line away. */
  close(): void;
}

/** What progress is made of. */
export interface ProgressOptions {
  write(text: string): void;
  /** Whether a line can be written over. */
  live: boolean;
  /** Signs on a line. */
  columns: number;
  clock: Clock;
  requests(): number;
  maxSeconds?: number;
  maxRequests?: number;
}

const LIVE_INTERVAL = 100;
const LINE_INTERVAL = 5_000;

/** A live line on a terminal, and elsewhere a plain one every few seconds. */
export function createProgress({ write, live, columns, clock, ...run }: ProgressOptions): Progress {
  const told: Told = { phase: 'starting', operation: '', failures: 0 };
  const begun = clock.now();
  const interval = live ? LIVE_INTERVAL : LINE_INTERVAL;
  let shownAt = begun;
  let shownRequests = 0;
  let shown = '';

  const show = () => {
    const now = clock.now();
    const requests = run.requests();
    const rate = ((requests - shownRequests) / Math.max(1, now - shownAt)) * 1000;
    // Over the time of one frame of a terminal a rate says nothing.
    const steady = live ? (requests / Math.max(1, now - begun)) * 1000 : rate;
    [shownAt, shownRequests] = [now, requests];
    const parts = [
      told.phase,
      told.operation,
      `${requests}${run.maxRequests === undefined ? '' : `/${run.maxRequests}`} requests`,
      `${Math.round(steady)}/s`,
      `${told.failures} ${told.failures === 1 ? 'failure' : 'failures'}`,
      timeOf(now - begun, run.maxSeconds),
    ].filter((part) => part !== '');
    const line = parts.join(' · ');
    if (!live) return write(`${line}\n`);
    if (line === shown) return;
    shown = line;
    // Back to the margin, the line, and away with what is left of the one before.
    write(`\r${line.length >= columns ? `${line.slice(0, Math.max(0, columns - 2))}…` : line}\u001b[K`);
  };

  let callOff = () => {};
  const tick = () => {
    show();
    callOff = clock.after(interval, tick);
  };
  callOff = clock.after(interval, tick);

  return {
    tell: (news) => void Object.assign(told, news),
    close() {
      callOff();
      if (live && shown !== '') write('\r\u001b[K');
    },
  };
}

function timeOf(passed: number, maxSeconds: number | undefined): string {
  if (maxSeconds === undefined) return `${Math.round(passed / 1000)} s`;
  return `${Math.max(0, Math.ceil(maxSeconds - passed / 1000))} s left`;
}
