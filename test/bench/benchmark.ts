import type { Figure } from './table.ts';

/**
 * Sizes of a run: `full` measures, `small` compares two commits in CI, and `tiny` only executes each
 * benchmark, for a test.
 */
export const SIZES = ['full', 'small', 'tiny'] as const;

export type Size = (typeof SIZES)[number];

/** A benchmark: a module of `benchmarks/` that exports it as `benchmark`. Its name is that of the file. */
export interface Benchmark {
  /** What it measures, in one line. */
  description: string;
  /**
   * Measures. It runs in a separate process. Its descendants and temporary files are removed however it ends.
   *
   * @param report Prints a figure; call it as soon as the figure is known.
   */
  run(size: Size, report: (figure: Figure) => void, options: BenchmarkOptions): Promise<void>;
}

/** Options of the command line that only some benchmarks use. */
export interface BenchmarkOptions {
  /** Folder of another commit to measure in turn with this one. */
  against?: Checkout | undefined;
}

/** A copy of another commit. */
export interface Checkout {
  /** Abbreviated hash. */
  commit: string;
  folder: string;
}

/** Amounts of work by the size of the run; a small run uses the tiny ones unless it has its own. */
export interface Amounts<Value> {
  full: Value;
  small?: Value;
  tiny: Value;
}

/** Returns the amount for a size. */
export function amountFor<Value>(size: Size, { full, tiny, small = tiny }: Amounts<Value>): Value {
  return { full, small, tiny }[size];
}

/** Message of a benchmark's process to the runner. */
export type BenchmarkMessage = { figure: Figure } | { failure: string } | 'done';

/** Message of the runner to a benchmark's process. */
export interface BenchmarkRequest {
  /** URL of the module. */
  module: string;
  size: Size;
  options: BenchmarkOptions;
}
