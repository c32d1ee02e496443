import { diffIndices } from 'node-diff3';
import { longestRise } from './order.ts';

/** Lines `from` to `to` (exclusive) of one text, in whose place another one has its lines `start` to `end`. */
export interface Hunk {
  from: number;
  to: number;
  start: number;
  end: number;
}

/**
 * What comparing two texts may cost where lines say little about where they belong, in about a nanosecond each.
 * The library's time grows with the third power of the number of equal lines.
 */
export const MAX_DIFF_STEPS = 50_000_000;

/**
 * Where two texts differ, in order; between hunks there is a line that both have, at least. Lines that occur once
 * in either text tell where the rest belongs, and the library compares what stands between them. Where that would
 * take too long, all of it counts as one difference.
 */
export function compareLines(before: readonly string[], after: readonly string[]): Hunk[] {
  const found: Hunk[] = [];
  let budget = MAX_DIFF_STEPS;
  const whole = trimmed(before, after, { from: 0, to: before.length, start: 0, end: after.length });
  for (const gap of gapsOf(whole, anchors(before, after, whole))) {
    const { from, to, start, end } = trimmed(before, after, gap);
    if (from === to && start === end) continue;
    const [was, is] = [before.slice(from, to), after.slice(start, end)];
    const cost = costOf(was, is);
    if (from === to || start === end || cost > budget) {
      found.push({ from, to, start, end });
      continue;
    }
    budget -= cost;
    for (const { buffer1, buffer2 } of diffIndices(was, is)) {
      found.push({
        from: from + buffer1[0],
        to: from + buffer1[0] + buffer1[1],
        start: start + buffer2[0],
        end: start + buffer2[0] + buffer2[1],
      });
    }
  }
  return found;
}

/** A stretch of two texts without the lines that both begin and end with. */
function trimmed(before: readonly string[], after: readonly string[], stretch: Hunk): Hunk {
  let { from, to, start, end } = stretch;
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

/** Lines that are in either stretch once, as many of them as stand in the same order in both. */
function anchors(
  before: readonly string[],
  after: readonly string[],
  { from, to, start, end }: Hunk,
): Array<{ from: number; start: number }> {
  const starts = once(after, start, end);
  const shared = [...once(before, from, to)].flatMap(([line, from]) => {
    const start = starts.get(line);
    return start === undefined ? [] : [{ from, start }];
  });
  return longestRise(shared.map(({ start }) => start)).flatMap((at) => shared[at] ?? []);
}

/** The lines that occur once in a stretch of a text, with their places, in order. */
function once(lines: readonly string[], from: number, to: number): Map<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? '';
    if (places.has(line)) repeated.add(line);
    else places.set(line, at);
  }
  for (const line of repeated) places.delete(line);
  return places;
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

/** The steps that the library takes for two lists of lines, at most: for each pair of equal lines it walks a list. */
function costOf(before: readonly string[], after: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of after) counts.set(line, (counts.get(line) ?? 0) + 1);
  const pairs = before.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0);
  return pairs * Math.min(before.length, after.length);
}
