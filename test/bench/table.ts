/** A measured figure compared with its minimum. */
export interface Figure {
  name: string;
  /** Measured cost, with its unit. */
  result: string;
  /** Cost to compare with, with its unit. */
  baseline?: string;
  /** Ratio of the two: {@link ratioOf}. */
  ratio?: number | undefined;
  /** Target. */
  target?: string;
}

/** Formats figures as a table for a terminal. */
export function formatFigures(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, result, baseline = '', ratio, target = '' }) => [
    name,
    result,
    baseline,
    ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
    target,
  ]);
  const head = ['measurement', 'result', 'baseline', 'ratio', 'target'];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), ...rows.map(line)].join('\n');
}

/** Formats a figure as one line. */
export function formatFigure({ name, result, baseline, ratio, target }: Figure): string {
  const parts = [
    result,
    baseline,
    ratio === undefined ? undefined : `${ratio.toFixed(2)}x`,
    target && `target: ${target}`,
  ];
  return `${name}: ${parts.filter((part) => part !== undefined).join('; ')}`;
}

/**
 * Returns the ratio of a cost to its baseline; undefined if a clock that counts ticks counted none for the baseline, as in
 * tiny runs.
 */
export const ratioOf = (cost: number, baseline: number): number | undefined =>
  baseline === 0 ? undefined : cost / baseline;

/** Returns the median of numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Returns the milliseconds that some work takes. */
export async function time(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`;
