// A client of a measured server in a separate process, so that only the server delays it.
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Measurements of the client since the last request for them, in milliseconds. */
export interface Delays {
  count: number;
  p99: number;
  max: number;
  /** Number of failed requests. */
  failed: number;
}

/** URL and token of the client. */
export interface Probe {
  url: string;
  targets: string[];
  token: string;
}

/** Requests are sent on schedule, regardless of earlier responses: waiting would hide a stall. */
const INTERVAL_MS = 10;

/** Interval of checks whether all responses arrived. */
const DRAIN_CHECK_MS = 10;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
let delays: number[] = [];
let failed = 0;
let waiting = 0;
let isPaused = false;

process.on('message', async (message: Probe | 'report') => {
  if (message === 'report') {
    // Pending responses of a load belong to its report, not to the next one.
    isPaused = true;
    while (waiting > 0) {
      await delay(DRAIN_CHECK_MS);
    }
    process.send?.(report());
    isPaused = false;
    return;
  }
  void probe(message);
  process.send?.('probing');
});

async function probe({ url, targets, token }: Probe): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  let due = performance.now();
  for (let at = 0; ; at++) {
    if (isPaused) {
      await delay(INTERVAL_MS);
      due = performance.now();
      continue;
    }
    const sent = due;
    const requested = request(`${url}${targets[at % targets.length]}`, { agent, headers }, (response) => {
      if (response.statusCode !== 200) {
        failed++;
      }
      response.resume().on('end', () => delays.push(performance.now() - sent));
    });
    waiting++;
    requested
      .on('error', () => failed++)
      .on('close', () => waiting--)
      .end();
    due += INTERVAL_MS;
    await delay(Math.max(0, due - performance.now()));
  }
}

function report(): Delays {
  const sorted = delays.toSorted((a, b) => a - b);
  const found = {
    count: sorted.length,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
    failed,
  };
  delays = [];
  failed = 0;
  return found;
}
