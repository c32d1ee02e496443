import { readFileSync } from 'node:fs';
import { LRUCache } from 'lru-cache';

/** Maximum number of integrations with remembered processor time. */
export const MAX_REMEMBERED_ALLOWANCES = 10_000;

/** Milliseconds of a clock tick, the unit of the file system `/proc`. */
const TICK_MS = 10;

/** Returns the processor time that a process has used; undefined if the system does not report it, or it has ended. */
export function processorTimeOf(pid: number): number | undefined {
  try {
    // The name of the program, in parentheses, may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
}

/** Processor time that an integration may use: it is saved up at a steady rate, up to a maximum. */
export class ProcessorAllowance {
  readonly #maxMs: number;
  readonly #msPerSecond: number;
  #availableMs: number;
  #updatedAt = performance.now();

  /**
   * @param maxMs the maximum that is saved up, and the first amount
   * @param msPerSecond the rate
   */
  constructor(maxMs: number, msPerSecond: number) {
    this.#maxMs = maxMs;
    this.#msPerSecond = msPerSecond;
    this.#availableMs = maxMs;
  }

  /** Whether it is used up. */
  get isSpent(): boolean {
    this.#update();
    return this.#availableMs <= 0;
  }

  spend(milliseconds: number): void {
    this.#update();
    this.#availableMs -= milliseconds;
  }

  #update(): void {
    const now = performance.now();
    const saved = ((now - this.#updatedAt) / 1000) * this.#msPerSecond;
    this.#availableMs = Math.min(this.#maxMs, this.#availableMs + saved);
    this.#updatedAt = now;
  }
}

/** The allowances of integrations. */
export class ProcessorAllowances {
  readonly #allowances = new LRUCache<string, ProcessorAllowance>({ max: MAX_REMEMBERED_ALLOWANCES });
  readonly #maxMs: number;
  readonly #msPerSecond: number;

  /** The parameters are those of each {@link ProcessorAllowance}. */
  constructor(maxMs: number, msPerSecond: number) {
    this.#maxMs = maxMs;
    this.#msPerSecond = msPerSecond;
  }

  of(owner: string): ProcessorAllowance {
    const allowance = this.#allowances.get(owner) ?? new ProcessorAllowance(this.#maxMs, this.#msPerSecond);
    this.#allowances.set(owner, allowance);
    return allowance;
  }
}
