/** Compares the blocks of a page with those of a new document, and locates the changes in the text. */
import { compareLines } from '../../merge/hunks.ts';
import type { AnyBlock } from '../document.ts';
import { blocksOf } from '../nodes.ts';
import type { BlockRange } from '../read/ranges.ts';
import type { Identities } from './identities.ts';

/** Replaces a range of the text by blocks. */
export interface BlockChange {
  start: number;
  end: number;
  /** The new blocks; none to delete the range. */
  blocks: AnyBlock[];
  /** Position of the inserted blocks relative to the block that determines their form; undefined for a replacement. */
  insert?: 'before' | 'after';
  /** The block that is replaced, or that the new blocks are next to, with its start; undefined in an empty page. */
  model?: { block: AnyBlock; start: number };
  /** Adjacent blocks of the text. */
  neighbors: { block: AnyBlock; start: number }[];
}

/** The page as it is: its text, and the ranges of its blocks. */
export interface LocatedBlocks {
  text: string;
  ranges: ReadonlyMap<AnyBlock, BlockRange>;
  identities: Identities;
  /** Whether words of blocks are replaced where possible, instead of whole blocks. */
  isByWord: boolean;
  /** Whether only blocks at the top level are replaced. */
  isShallow: boolean;
  /** Whether blank lines are added around blocks that are replaced. */
  isSpaced: boolean;
}

/**
 * Returns the changes that turn blocks into other ones; undefined if a changed block has no range of its own, so that
 * the block around it must be replaced.
 */
export function changesOf(
  before: readonly AnyBlock[],
  after: readonly AnyBlock[],
  page: LocatedBlocks,
  isNested = false,
): BlockChange[] | undefined {
  const changes: BlockChange[] = [];
  if (before.length === 0) {
    const end = page.text.length;
    return isNested ? undefined : [{ start: end, end, blocks: [...after], neighbors: [] }];
  }
  const siblings = new Siblings(before, page);
  const { identities } = page;
  for (const hunk of compareLines(identities.all(before), identities.all(after))) {
    for (const step of stepsOf(before, after, hunk)) {
      const change = siblings.changesOf(step, after, isNested);
      if (!change) {
        return undefined;
      }
      changes.push(...change);
    }
  }
  return changes;
}

type Hunk = ReturnType<typeof compareLines>[number];

/** Pairs the blocks of a difference by type: a part of the blocks before, and what replaces it. */
function stepsOf(before: readonly AnyBlock[], after: readonly AnyBlock[], hunk: Hunk): Hunk[] {
  const { from, to, start, end } = hunk;
  const types = (blocks: readonly AnyBlock[]) => blocks.map(({ type }) => type);
  const differences = compareLines(types(before.slice(from, to)), types(after.slice(start, end)));
  const steps: Hunk[] = [];
  let [at, next] = [from, start];
  const pairUntil = (until: number) => {
    for (; at < until; at++, next++) {
      steps.push({ from: at, to: at + 1, start: next, end: next + 1 });
    }
  };
  for (const difference of differences) {
    pairUntil(from + difference.from);
    const [removed, added] = [difference.to - difference.from, difference.end - difference.start];
    pairUntil(at + Math.min(removed, added));
    at = from + difference.to;
    next = start + difference.end;
    const extra = Math.min(removed, added);
    if (removed !== added) {
      steps.push({
        from: from + difference.from + extra,
        to: at,
        start: start + difference.start + extra,
        end: next,
      });
    }
  }
  pairUntil(to);
  return steps;
}

/** The blocks of one container. Some of them change. */
class Siblings {
  readonly #blocks: readonly AnyBlock[];
  readonly #page: LocatedBlocks;
  readonly #shared: ReadonlySet<BlockRange>;

  constructor(blocks: readonly AnyBlock[], page: LocatedBlocks) {
    this.#blocks = blocks;
    this.#page = page;
    const visited = new Set<BlockRange>();
    const shared = new Set<BlockRange>();
    for (const block of blocks) {
      const range = page.ranges.get(block);
      if (range) {
        (visited.has(range) ? shared : visited).add(range);
      }
    }
    this.#shared = shared;
  }

  changesOf(step: Hunk, after: readonly AnyBlock[], isNested: boolean): BlockChange[] | undefined {
    const { from, to, start, end } = step;
    if (to === from) {
      return this.#insert(from, after.slice(start, end));
    }
    if (end === start) {
      return this.#remove(from, to, isNested);
    }
    const next = after[start];
    return next && this.#replace(from, next);
  }

  #replace(at: number, next: AnyBlock): BlockChange[] | undefined {
    const block = this.#blocks[at];
    const outer = block && this.#page.ranges.get(block);
    if (!block || !outer) {
      return undefined;
    }
    const { identities, isShallow } = this.#page;
    const [inner, nextInner] = [blocksOf(block), blocksOf(next)];
    if (
      !isShallow &&
      inner &&
      nextInner &&
      nextInner.length > 0 &&
      identities.ofOwn(block) === identities.ofOwn(next)
    ) {
      const changes = changesOf(inner, nextInner, this.#page, true);
      if (changes?.every((change) => change.start >= outer.start && change.end <= outer.end)) {
        return changes;
      }
    }
    const range = this.#rangeAt(at);
    if (!range) {
      return undefined;
    }
    const model = { block, start: range.start };
    return [{ ...range, blocks: [next], model, neighbors: this.#neighbors(at - 1, at + 1) }];
  }

  #insert(at: number, blocks: AnyBlock[]): BlockChange[] | undefined {
    const insert = at === 0 ? 'before' : 'after';
    const index = Math.max(at - 1, 0);
    const block = this.#blocks[index];
    const range = this.#rangeAt(index);
    if (!block || !range) {
      return undefined;
    }
    const place = insert === 'before' ? range.start : range.end;
    const model = { block, start: range.start };
    return [{ start: place, end: place, blocks, insert, model, neighbors: this.#neighbors(at - 1, at) }];
  }

  #remove(from: number, to: number, isNested: boolean): BlockChange[] | undefined {
    const ranges: BlockRange[] = [];
    for (let at = from; at < to; at++) {
      const range = this.#rangeAt(at);
      if (!range) {
        return undefined;
      }
      ranges.push(range);
    }
    const [first, last] = [ranges[0], ranges.at(-1)];
    const [previous, next] = [this.#rangeAt(from - 1), this.#rangeAt(to)];
    if (!first || !last || (isNested && !previous && !next)) {
      return undefined;
    }
    const removed = (start: number, end: number): BlockChange => ({ start, end, blocks: [], neighbors: [] });
    if (previous && this.#isBlank(previous.end, first.start) && this.#areAdjacent(ranges)) {
      return [removed(previous.end, last.end)];
    }
    if (next && this.#isBlank(last.end, next.start) && this.#areAdjacent(ranges)) {
      return [removed(first.start, next.start)];
    }
    return ranges.map(({ start, end }) => removed(start, end));
  }

  #areAdjacent(ranges: readonly BlockRange[]): boolean {
    return ranges.every((range, at) => at === 0 || this.#isBlank(ranges[at - 1]?.end ?? 0, range.start));
  }

  /** Returns whether there is only space between blocks, and the markers of quotations around them. */
  #isBlank(start: number, end: number): boolean {
    return /^[\s>]*$/.test(this.#page.text.slice(start, end));
  }

  /** Returns the range of a block; undefined if it is unknown or shared with other blocks. */
  #rangeAt(at: number): BlockRange | undefined {
    const block = this.#blocks[at];
    const range = block && this.#page.ranges.get(block);
    return range && !this.#shared.has(range) ? range : undefined;
  }

  #neighbors(...places: number[]): BlockChange['neighbors'] {
    return places.flatMap((at) => {
      const [block, range] = [this.#blocks[at], this.#rangeAt(at)];
      return block && range ? [{ block, start: range.start }] : [];
    });
  }
}
