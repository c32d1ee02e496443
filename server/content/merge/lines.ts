import { compareLines, type Hunk } from './hunks.ts';
import { conflictLines } from './markers.ts';
import { mergeValue, type Side, type Sides } from './sides.ts';

/** A merged text. */
export interface MergedText {
  text: string;
  /** Whether lines of the text are in conflict. */
  conflict: boolean;
  /** First line of the first conflict in the primary's text, from 1. */
  line?: number;
}

/** Three texts to merge. */
export interface TextsToMerge {
  ancestor: string;
  primary: string;
  branch: string;
  /** The side that provides the lines in conflicts. By default both sides, between markers. */
  prefer?: Side | undefined;
}

/** Merges three texts like {@link mergeTexts}. */
export type MergeTexts = (texts: TextsToMerge) => MergedText | Promise<MergedText>;

/** Options of a merge. */
export interface MergeOptions {
  /** Merges texts that both sides changed, for example in a thread. */
  mergeTexts?: MergeTexts;
  /**
   * The side that wins conflicts, without conflict markers; what it deleted is deleted, unless the other side added
   * something below. By default the branch, with both sides between markers in texts.
   */
  prefer?: Side | undefined;
}

/** Merges texts that conflict as a whole. A missing text counts as empty. */
export function wholeTexts({
  primary = '',
  branch = '',
  prefer,
}: Partial<Omit<TextsToMerge, 'ancestor'>>): MergedText {
  if (prefer) {
    return { text: prefer === 'primary' ? primary : branch, conflict: true, line: 1 };
  }
  const lines = (text: string) => (text === '' ? [] : [text.replace(/(?:\r\n?|\n)$/, '')]);
  const conflict = conflictLines({ primary: lines(primary), branch: lines(branch) });
  return { text: `${conflict.join('\n')}\n`, conflict: true };
}

/**
 * Merges texts line by line. If both sides changed the same or adjacent lines in different ways, the result contains
 * both versions between markers.
 *
 * Line endings, and whether the last line has one, are not part of the lines: they are merged for the text as a whole.
 */
export function mergeTexts({ prefer, ...texts }: TextsToMerge): MergedText {
  const { value, conflict: differ } = mergeValue(texts);
  if (!differ) {
    return { text: value ?? '', conflict: false };
  }

  const [ancestor, primary, branch] = [texts.ancestor, texts.primary, texts.branch].map(linesOf);
  if (!ancestor || !primary || !branch) {
    throw new Error('A three-way merge requires three lists of lines.');
  }
  const regions = mergeLines(ancestor, primary, branch);
  const ending = mergeValue(mapTexts(texts, endingOf));
  const closed = mergeValue(mapTexts(texts, (text) => LAST_ENDING.test(text))).value === true;
  const lines = regions.flatMap((region) =>
    'lines' in region ? region.lines : prefer ? region[prefer] : conflictLines(region),
  );
  const conflict = regions.find((region) => 'at' in region);
  const end = (ending.conflict ? undefined : ending.value) ?? '\n';
  return {
    text: lines.join(end) + (closed && lines.length > 0 ? end : ''),
    conflict: conflict !== undefined,
    ...(conflict && { line: conflict.at + 1 }),
  };
}

/** Lines that the sides agree on, or the lines of each side if they do not, with the position of the primary's. */
type Region =
  | { lines: readonly string[] }
  | { primary: readonly string[]; branch: readonly string[]; at: number };

/** A line ending (CommonMark, section 2.1). */
const ENDING = /\r\n?|\n/;
const LAST_ENDING = /[\r\n]$/;

function linesOf(text: string): string[] {
  if (text === '') {
    return [];
  }
  const lines = text.split(ENDING);
  if (LAST_ENDING.test(text)) {
    lines.pop();
  }
  return lines;
}

const endingOf = (text: string): string | undefined => ENDING.exec(text)?.[0];

function mapTexts<Result>(
  { ancestor, primary, branch }: Omit<TextsToMerge, 'prefer'>,
  map: (text: string) => Result,
): Sides<Result> {
  return { ancestor: map(ancestor), primary: map(primary), branch: map(branch) };
}

function mergeLines(
  ancestor: readonly string[],
  primary: readonly string[],
  branch: readonly string[],
): Region[] {
  const primaryHunks = new Queue(compareLines(ancestor, primary));
  const branchHunks = new Queue(compareLines(ancestor, branch));
  const result: Region[] = [];
  let at = 0;
  for (;;) {
    const from = Math.min(primaryHunks.next, branchHunks.next);
    if (from === Number.POSITIVE_INFINITY) {
      break;
    }
    const range = { from, to: from };
    const [fromPrimary, fromBranch] = removeAdjacent(range, primaryHunks, branchHunks);
    result.push({ lines: ancestor.slice(at, from) });
    if (fromBranch.length === 0) {
      result.push({ lines: linesIn(range, fromPrimary, primary) });
    } else if (fromPrimary.length === 0) {
      result.push({ lines: linesIn(range, fromBranch, branch) });
    } else {
      const at = startOf(range, fromPrimary);
      result.push(...settle(linesIn(range, fromPrimary, primary), linesIn(range, fromBranch, branch), at));
    }
    at = range.to;
  }
  return [...result, { lines: ancestor.slice(at) }];
}

/** The hunks of one side, removed from the front. */
class Queue {
  readonly #hunks: readonly Hunk[];
  #at = 0;

  constructor(hunks: readonly Hunk[]) {
    this.#hunks = hunks;
  }

  /** First line of the next hunk in the ancestor. */
  get next(): number {
    return this.#hunks[this.#at]?.from ?? Number.POSITIVE_INFINITY;
  }

  /** Removes and returns the hunks that overlap or touch a range of the ancestor, and extends the range by them. */
  remove(range: { from: number; to: number }): Hunk[] {
    const removed: Hunk[] = [];
    for (let hunk = this.#hunks[this.#at]; hunk && hunk.from <= range.to; hunk = this.#hunks[++this.#at]) {
      removed.push(hunk);
      range.to = Math.max(range.to, hunk.to);
    }
    return removed;
  }
}

function removeAdjacent(
  range: { from: number; to: number },
  primary: Queue,
  branch: Queue,
): [Hunk[], Hunk[]] {
  const [fromPrimary, fromBranch]: [Hunk[], Hunk[]] = [[], []];
  while (Math.min(primary.next, branch.next) <= range.to) {
    fromPrimary.push(...primary.remove(range));
    fromBranch.push(...branch.remove(range));
  }
  return [fromPrimary, fromBranch];
}

/** Returns the lines of a side for a range of the ancestor that contains some of its hunks. */
function linesIn(
  range: { from: number; to: number },
  hunks: readonly Hunk[],
  side: readonly string[],
): string[] {
  const last = hunks.at(-1);
  return last ? side.slice(startOf(range, hunks), last.end + (range.to - last.to)) : [];
}

/** Returns the first line of a side for a range of the ancestor that contains some of its hunks. */
function startOf(range: { from: number }, [first]: readonly Hunk[]): number {
  return first ? first.start - (first.from - range.from) : 0;
}

/**
 * Divides lines that both sides changed: common lines at the start and end are agreed on.
 *
 * @param at position of the primary's lines in its text
 */
function settle(primary: readonly string[], branch: readonly string[], at: number): Region[] {
  let begin = 0;
  const shorter = Math.min(primary.length, branch.length);
  while (begin < shorter && primary[begin] === branch[begin]) {
    begin++;
  }
  let end = 0;
  while (end < shorter - begin && primary.at(-1 - end) === branch.at(-1 - end)) {
    end++;
  }
  const inner = {
    primary: primary.slice(begin, primary.length - end),
    branch: branch.slice(begin, branch.length - end),
    at: at + begin,
  };
  return [
    { lines: primary.slice(0, begin) },
    ...(inner.primary.length + inner.branch.length > 0 ? [inner] : []),
    { lines: primary.slice(primary.length - end) },
  ];
}
