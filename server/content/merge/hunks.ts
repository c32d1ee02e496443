import { diffIndices } from 'node-diff3';
import { longestIncreasingSubsequence } from './order.ts';

/** Lines `from` to `to` (exclusive) of one text, replaced with lines `start` to `end` (exclusive) of another. */
export interface Hunk {
  from: number;
  to: number;
  start: number;
  end: number;
}

/**
 * Maximum cost of comparing two texts with few unique lines, in steps of about a nanosecond. The time of the library
 * grows with the third power of the number of equal lines.
 */
export const MAX_DIFF_STEPS = 50_000_000;

/**
 * Returns the differences of two texts in order, with at least one common line between two hunks. Lines that are
 * unique in both texts align the rest, and the library compares the lines between them. If that would take too long,
 * all those lines count as one difference.
 */
export function compareLines(before: readonly string[], after: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let budget = MAX_DIFF_STEPS;
  const whole = trimmed(before, after, { from: 0, to: before.length, start: 0, end: after.length });
  for (const gap of gapsOf(whole, anchors(before, after, whole))) {
    const { from, to, start, end } = trimmed(before, after, gap);
    if (from === to && start === end) {
      continue;
    }
    const [linesBefore, linesAfter] = [before.slice(from, to), after.slice(start, end)];
    const cost = costOf(linesBefore, linesAfter);
    if (from === to || start === end || cost > budget) {
      hunks.push({ from, to, start, end });
      continue;
    }
    budget -= cost;
    for (const { buffer1, buffer2 } of diffIndices(linesBefore, linesAfter)) {
      hunks.push({
        from: from + buffer1[0],
        to: from + buffer1[0] + buffer1[1],
        start: start + buffer2[0],
        end: start + buffer2[0] + buffer2[1],
      });
    }
  }
  return hunks;
}

/** Trims a range of two texts by the lines that are equal at its start and end. */
function trimmed(before: readonly string[], after: readonly string[], range: Hunk): Hunk {
  let { from, to, start, end } = range;
  while (from < to && start < end && before[from] === after[start]) {
    from++;
    start++;
  }
  while (from < to && start < end && before[to - 1] === after[end - 1]) {
    to--;
    end--;
  }
  return { from, to, start, end };
}

/** Returns the lines that occur once in each range, as many as are in the same order in both. */
function anchors(
  before: readonly string[],
  after: readonly string[],
  { from, to, start, end }: Hunk,
): Array<{ from: number; start: number }> {
  const starts = uniqueLines(after, start, end);
  const shared = [...uniqueLines(before, from, to)].flatMap(([line, from]) => {
    const start = starts.get(line);
    return start === undefined ? [] : [{ from, start }];
  });
  return longestIncreasingSubsequence(shared.map(({ start }) => start)).flatMap((at) => shared[at] ?? []);
}

/** Returns the lines that occur once in a range of a text with their indices, in order. */
function uniqueLines(lines: readonly string[], from: number, to: number): Map<string, number> {
  const indices = new Map<string, number>();
  const repeated = new Set<string>();
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? '';
    if (indices.has(line)) {
      repeated.add(line);
    } else {
      indices.set(line, at);
    }
  }
  for (const line of repeated) {
    indices.delete(line);
  }
  return indices;
}

function gapsOf(whole: Hunk, anchors: ReadonlyArray<{ from: number; start: number }>): Hunk[] {
  const gaps: Hunk[] = [];
  let { from, start } = whole;
  for (const anchor of anchors) {
    gaps.push({ from, to: anchor.from, start, end: anchor.start });
    from = anchor.from + 1;
    start = anchor.start + 1;
  }
  return [...gaps, { from, to: whole.to, start, end: whole.end }];
}

/**
 * Returns the maximum number of steps of the library for two lists of lines: it walks a list for each pair of equal
 * lines.
 */
function costOf(before: readonly string[], after: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of after) {
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  const pairs = before.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0);
  return pairs * Math.min(before.length, after.length);
}
