import { createAgent } from './agent.ts';
import { attempt, type Result } from './attempt.ts';
import type { Clock } from './clock.ts';
import { RunEnded } from './exchange.ts';

/** Options of a recovery. */
export interface RecoveryOptions {
  url: URL;
  /** Certificates of the trusted authorities in PEM. Default: those of Node. */
  ca?: readonly string[];
  /** Starts the server again. Without it, the server must return by itself. */
  restart?: () => Promise<void>;
  /** Timeout of one attempt to reach the server in milliseconds. */
  probeTimeoutMs: number;
  /** Maximum time to wait for the server in milliseconds. Default: 30,000. */
  timeoutMs?: number;
  clock: Clock;
  signal?: AbortSignal;
  log?: (message: string) => void;
}

/** Errors without a connection. */
export const NO_CONNECTION = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

const PROBE_INTERVAL_MS = 100;
/** Number of attempts to find out whether a server stops. */
const MAX_PROBES = 5;

/** Finds out whether a server stopped, and waits for it. */
export class Recovery {
  readonly #options: RecoveryOptions;
  #isLost = false;
  #count = 0;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** Number of times that the server stopped. */
  get count(): number {
    return this.#count;
  }

  /** Returns whether the server responds, or at least still accepts connections after a while. */
  async responds(): Promise<boolean> {
    for (let probe = 0; probe < MAX_PROBES; probe += 1) {
      const result = await this.#probe();
      if ('response' in result) {
        return true;
      }
      if (result.cut !== undefined || NO_CONNECTION.has(result.code ?? '')) {
        return false;
      }
      // A process that ends closes its connections before its port.
      await this.#wait();
    }
    return true;
  }

  async #probe(): Promise<Result> {
    const { url, ca, clock, signal, probeTimeoutMs } = this.#options;
    const agent = createAgent(url, { ...(ca && { ca }) });
    try {
      const request = { method: 'GET', target: '/', headers: [] };
      return await attempt({ url, agent, request, timeoutMs: probeTimeoutMs, signal, clock });
    } finally {
      agent.destroy();
    }
  }

  /** Returns whether the server stops soon. */
  async stops(): Promise<boolean> {
    for (let probe = 0; probe < MAX_PROBES; probe += 1) {
      if (!(await this.responds())) {
        return true;
      }
      await this.#wait();
    }
    return false;
  }

  /** Waits until the server responds again. @throws {RunEnded} when it does not, or the run is interrupted */
  async recover(): Promise<void> {
    const { restart, timeoutMs = 30_000, clock, signal, log } = this.#options;
    if (this.#isLost) {
      throw new RunEnded('unavailable');
    }
    this.#count += 1;
    log?.(`The server stopped. ${restart ? 'Restarting it.' : 'Waiting for it to return.'}`);
    await restart?.();
    const deadline = clock.now() + timeoutMs;
    while (!(await this.responds())) {
      if (signal?.aborted) {
        throw new RunEnded('interrupted');
      }
      if (clock.now() > deadline) {
        this.#isLost = true;
        throw new RunEnded('unavailable');
      }
      await this.#wait();
    }
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(PROBE_INTERVAL_MS, resolve));
  }
}
