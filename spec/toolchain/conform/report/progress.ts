import { count } from '../../report/text.ts';
import type { Clock } from '../wire/clock.ts';

/** Current status of a run. */
export interface RunStatus {
  /** `values of one request`, `sequences`, `shrinking`, `cleaning up`. */
  phase: string;
  /** `Operation.id`. */
  operation: string;
  /** Number of failures; each cause counts once. */
  failures: number;
}

/** Shows the progress of a run. */
export interface Progress {
  /** Updates the status. Cheap: it is shown at fixed intervals. */
  update(status: Partial<RunStatus>): void;
  /** Removes the live line. */
  close(): void;
}

/** Options of progress. */
export interface ProgressOptions {
  write(text: string): void;
  /** Whether the terminal can overwrite a line. */
  live: boolean;
  /** Characters per line. */
  columns: number;
  clock: Clock;
  requests(): number;
  maxSeconds?: number;
  maxRequests?: number;
}

const LIVE_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 5_000;

/** Shows a live line on a terminal; elsewhere writes a plain line every few seconds. */
export function createProgress({ write, live, columns, clock, ...run }: ProgressOptions): Progress {
  const status: RunStatus = { phase: 'starting', operation: '', failures: 0 };
  const startedAt = clock.now();
  const interval = live ? LIVE_INTERVAL_MS : LINE_INTERVAL_MS;
  let shownAt = startedAt;
  let shownRequests = 0;
  let shown = '';

  const show = () => {
    const now = clock.now();
    const requests = run.requests();
    const rate = ((requests - shownRequests) / Math.max(1, now - shownAt)) * 1000;
    // The interval of a live line is too short for a meaningful rate.
    const steady = live ? (requests / Math.max(1, now - startedAt)) * 1000 : rate;
    [shownAt, shownRequests] = [now, requests];
    const parts = [
      status.phase,
      status.operation,
      `${requests}${run.maxRequests === undefined ? '' : `/${run.maxRequests}`} requests`,
      `${Math.round(steady)}/s`,
      count(status.failures, 'failure'),
      timeOf(now - startedAt, run.maxSeconds),
    ].filter((part) => part !== '');
    const line = parts.join(' · ');
    if (!live) {
      return write(`${line}\n`);
    }
    if (line === shown) {
      return;
    }
    shown = line;
    // Returns to the margin, writes the line, and clears the rest of the previous one.
    write(`\r${line.length >= columns ? `${line.slice(0, Math.max(0, columns - 2))}…` : line}\u001b[K`);
  };

  let cancelTick = () => {};
  const tick = () => {
    show();
    cancelTick = clock.after(interval, tick);
  };
  cancelTick = clock.after(interval, tick);

  return {
    update: (changes) => void Object.assign(status, changes),
    close() {
      cancelTick();
      if (live && shown !== '') {
        write('\r\u001b[K');
      }
    },
  };
}

function timeOf(passed: number, maxSeconds: number | undefined): string {
  if (maxSeconds === undefined) {
    return `${Math.round(passed / 1000)} s`;
  }
  return `${Math.max(0, Math.ceil(maxSeconds - passed / 1000))} s left`;
}
