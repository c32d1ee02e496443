/** Maximum number of attempts that run at a time and are younger than {@link SLOW_ATTEMPT_MS}. */
export const MAX_PROMPT_ATTEMPTS = 32;
/** Maximum number of attempts that run at a time, including slow ones. */
export const MAX_RUNNING_ATTEMPTS = 256;
/** Maximum number of concurrent attempts for installations with a failed last attempt. */
export const MAX_RUNNING_RETRIES = 16;
/** Maximum number of concurrent attempts for the installations of one integration. */
export const MAX_RUNNING_PER_INTEGRATION = 8;
/** Minimum age of a running attempt to leave its place to others. */
export const SLOW_ATTEMPT_MS = 1000;

/** Installations with a successful last attempt or none yet (`prompt`), or with a failed last attempt (`retry`). */
export type Lane = 'prompt' | 'retry';

/** A running attempt. */
interface Running {
  lane: Lane;
  integration: string;
  isSlow: boolean;
}

/**
 * The concurrent attempts. Receivers that do not respond only take each other's places: an attempt leaves its place
 * after a second, and installations with a failed last attempt have separate places.
 */
export class Lanes {
  readonly #running = new Set<Running>();
  readonly #onFree: () => void;

  /** @param onFree called when an attempt leaves its place */
  constructor(onFree: () => void) {
    this.#onFree = onFree;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Returns the number of free places of a lane. */
  free(lane: Lane): number {
    const running = [...this.#running].filter((attempt) => attempt.lane === lane);
    return lane === 'retry'
      ? MAX_RUNNING_RETRIES - running.length
      : Math.min(
          MAX_PROMPT_ATTEMPTS - running.filter(({ isSlow }) => !isSlow).length,
          MAX_RUNNING_ATTEMPTS - running.length,
        );
  }

  /** Returns whether an event that is due may have to wait for a place. */
  isFull(): boolean {
    return this.free('prompt') <= 0 || this.free('retry') <= 0 || this.fullIntegrations().length > 0;
  }

  /** Returns the integrations that have as many running attempts as they may. */
  fullIntegrations(): string[] {
    const counts = new Map<string, number>();
    for (const { integration } of this.#running) {
      counts.set(integration, (counts.get(integration) ?? 0) + 1);
    }
    return [...counts].filter(([, count]) => count >= MAX_RUNNING_PER_INTEGRATION).map(([name]) => name);
  }

  /** Runs an attempt in a lane. */
  async run(lane: Lane, integration: string, attempt: () => Promise<void>): Promise<void> {
    const running: Running = { lane, integration, isSlow: false };
    this.#running.add(running);
    const timer = setTimeout(() => {
      running.isSlow = true;
      this.#onFree();
    }, SLOW_ATTEMPT_MS);
    try {
      await attempt();
    } finally {
      clearTimeout(timer);
      this.#running.delete(running);
      this.#onFree();
    }
  }
}
