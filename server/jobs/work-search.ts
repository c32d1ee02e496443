import type { Database } from '../database/database.ts';
import type { WorkWatch } from '../database/engine.ts';
import { DatabaseUnavailableError } from '../database/errors.ts';
import type { Log } from '../database/log.ts';
import type { Clock } from '../database/seams.ts';

/** Default interval of polls, and the minimum interval between searches after signals. */
const POLL_MS = 1000;
/** Maximum interval between searches for jobs and events of other processes: a signal could be lost. */
export const MAX_SEARCH_INTERVAL_MS = 30_000;
/**
 * Maximum delay of a search after work of another process, which is random: that process has usually woken its own job
 * process, with which the others would compete.
 */
const SIGNAL_DELAY_MS = 200;

export interface WorkSearchOptions {
  database: Pick<Database, 'watchWork'>;
  clock: Clock;
  log: Log;
  /** {@link POLL_MS} by default. */
  poll?: number | undefined;
  /**
   * Starts the work that is due. Returns the time in milliseconds at which more becomes due, infinity if there is none. A
   * past time means that work is waiting for something that is not known here, and is looked for at each poll.
   */
  search(): Promise<number>;
  /** Called after a search. */
  onEnd(): void;
  /** The message to log if a search fails. */
  failure: string;
}

/**
 * Decides when to search for work in the database: when it is woken, when the next work becomes due, after commits of
 * other processes, and otherwise rarely. Where the database signals commits, nothing is polled.
 */
export class WorkSearch {
  readonly #options: WorkSearchOptions;
  readonly #pollMs: number;
  #state: 'new' | 'started' | 'stopped' = 'new';
  #watch: WorkWatch | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The current search, and whether to search again afterwards. */
  #current: Promise<void> | undefined;
  #isRepeated = false;
  /** Whether a commit was signalled since the last search began. */
  #isSignalled = false;
  /** When the last poll and the last search began. */
  #polledMs = Number.NEGATIVE_INFINITY;
  #searchedMs = Number.NEGATIVE_INFINITY;
  /** When the last search began by the clock of the work, and when more work becomes due. */
  #searchedAt = Number.NEGATIVE_INFINITY;
  #nextDueAt = Number.POSITIVE_INFINITY;

  constructor(options: WorkSearchOptions) {
    this.#options = options;
    this.#pollMs = options.poll ?? POLL_MS;
  }

  get state(): 'new' | 'started' | 'stopped' {
    return this.#state;
  }

  get isSearching(): boolean {
    return this.#current !== undefined;
  }

  start(): void {
    this.#state = 'started';
    this.#watch = this.#options.database.watchWork(() => this.#receiveSignal());
    this.wake();
  }

  /** Searches now. */
  wake(): void {
    if (this.#state !== 'started') {
      return;
    }
    this.#isRepeated = true;
    this.#current ??= this.#search().finally(() => {
      this.#current = undefined;
      if (this.#isRepeated) {
        this.wake();
      } else {
        this.#wait();
      }
      this.#options.onEnd();
    });
  }

  /** Searches no more, and waits for the current search. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    clearTimeout(this.#timer);
    this.#watch?.stop();
    await this.#current;
  }

  async #search(): Promise<void> {
    while (this.#isRepeated && this.#state === 'started') {
      this.#isRepeated = false;
      this.#isSignalled = false;
      this.#watch?.hasChanged();
      this.#searchedMs = performance.now();
      this.#polledMs = this.#searchedMs;
      this.#searchedAt = this.#now();
      try {
        this.#nextDueAt = await this.#options.search();
      } catch (error) {
        // The next poll tries again. The database logs its own outages.
        this.#nextDueAt = this.#searchedAt;
        if (!(error instanceof DatabaseUnavailableError)) {
          this.#options.log.error({ err: error }, this.#options.failure);
        }
      }
    }
  }

  #receiveSignal(): void {
    if (!this.#isSignalled) {
      this.#isSignalled = true;
      this.#wait();
    }
  }

  /** Waits until a search may be necessary. */
  #wait(): void {
    clearTimeout(this.#timer);
    // After a search, this is called again.
    if (this.#state !== 'started' || this.isSearching) {
      return;
    }
    const now = performance.now();
    const delays = [this.#searchedMs + MAX_SEARCH_INTERVAL_MS - now];
    if (this.#isBlocked() || !this.#watch?.isSignalled()) {
      delays.push(this.#polledMs + this.#pollMs - now);
    }
    if (!this.#isBlocked()) {
      delays.push(this.#nextDueAt - this.#now());
    }
    if (this.#isSignalled) {
      delays.push(Math.max(this.#searchedMs + POLL_MS - now, Math.random() * SIGNAL_DELAY_MS));
    }
    this.#timer = setTimeout(() => this.#poll(), Math.max(1, Math.min(...delays)));
  }

  #poll(): void {
    this.#polledMs = performance.now();
    const isOverdue = this.#polledMs - this.#searchedMs >= MAX_SEARCH_INTERVAL_MS;
    const isDue = this.#now() >= this.#nextDueAt;
    if (this.#isSignalled || isDue || isOverdue || this.#watch?.hasChanged()) {
      this.wake();
    } else {
      this.#wait();
    }
  }

  /** Whether work was due at the last search that could not start. */
  #isBlocked(): boolean {
    return this.#nextDueAt <= this.#searchedAt;
  }

  #now(): number {
    return this.#options.clock().getTime();
  }
}

/** Returns the earliest of some times in ISO 8601, in milliseconds; infinity without any. */
export const earliest = (rows: ReadonlyArray<{ time: string | null }>): number =>
  Math.min(...rows.flatMap(({ time }) => (time === null ? [] : [Date.parse(time)])));
