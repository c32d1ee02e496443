import { compareLines, type Hunk } from './hunks.ts';
import { conflictLines } from './markers.ts';
import { mergeValue, type Sides } from './sides.ts';

/** A merged text. */
export interface MergedText {
  text: string;
  /** Whether some of its lines are in conflict. */
  conflict: boolean;
}

/** Merges three texts, see {@link mergeTexts}. */
export type MergeTexts = (texts: {
  ancestor: string;
  primary: string;
  branch: string;
}) => MergedText | Promise<MergedText>;

/** Texts that are in conflict as a whole; a side without one has none. */
export function wholeTexts({ primary = '', branch = '' }: { primary?: string; branch?: string }): MergedText {
  const lines = (text: string) => (text === '' ? [] : [text.replace(/(?:\r\n?|\n)$/, '')]);
  const conflict = conflictLines({ primary: lines(primary), branch: lines(branch) });
  return { text: `${conflict.join('\n')}\n`, conflict: true };
}

/**
 * Merges texts line by line. Where both sides changed the same lines, or lines next to each other, in different
 * ways, both stay, between markers.
 *
 * How lines end, and whether the last one does, is no part of them: it is merged for the text as a whole.
 */
export function mergeTexts(texts: { ancestor: string; primary: string; branch: string }): MergedText {
  const { value, conflict: differ } = mergeValue(texts);
  if (!differ) return { text: value ?? '', conflict: false };

  const [ancestor, primary, branch] = [texts.ancestor, texts.primary, texts.branch].map(linesOf);
  if (!ancestor || !primary || !branch) throw new Error('Three texts have three lists of lines.');
  const regions = mergeLines(ancestor, primary, branch);
  const ending = mergeValue(mapTexts(texts, endingOf));
  const closed = mergeValue(mapTexts(texts, (text) => LAST_ENDING.test(text))).value === true;
  const lines = regions.flatMap((region) => ('lines' in region ? region.lines : conflictLines(region)));
  const end = (ending.conflict ? undefined : ending.value) ?? '\n';
  return {
    text: lines.join(end) + (closed && lines.length > 0 ? end : ''),
    conflict: regions.some((region) => 'branch' in region),
  };
}

/** Lines that the sides agree on, or what either has in a place where they do not. */
type Region = { lines: readonly string[] } | { primary: readonly string[]; branch: readonly string[] };

/** CommonMark, section 2.1. */
const ENDING = /\r\n?|\n/;
const LAST_ENDING = /[\r\n]$/;

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split(ENDING);
  if (LAST_ENDING.test(text)) lines.pop();
  return lines;
}

const endingOf = (text: string): string | undefined => ENDING.exec(text)?.[0];

function mapTexts<Result>(
  { ancestor, primary, branch }: { ancestor: string; primary: string; branch: string },
  see: (text: string) => Result,
): Sides<Result> {
  return { ancestor: see(ancestor), primary: see(primary), branch: see(branch) };
}

function mergeLines(
  ancestor: readonly string[],
  primary: readonly string[],
  branch: readonly string[],
): Region[] {
  const ours = new Queue(compareLines(ancestor, primary));
  const theirs = new Queue(compareLines(ancestor, branch));
  const result: Region[] = [];
  let at = 0;
  for (;;) {
    const from = Math.min(ours.next, theirs.next);
    if (from === Number.POSITIVE_INFINITY) break;
    const stretch = { from, to: from };
    const [mine, others] = takeTouching(stretch, ours, theirs);
    result.push({ lines: ancestor.slice(at, from) });
    if (others.length === 0) result.push({ lines: linesIn(stretch, mine, primary) });
    else if (mine.length === 0) result.push({ lines: linesIn(stretch, others, branch) });
    else result.push(...settle(linesIn(stretch, mine, primary), linesIn(stretch, others, branch)));
    at = stretch.to;
  }
  return [...result, { lines: ancestor.slice(at) }];
}

/** The hunks of one side, taken from the front. */
class Queue {
  readonly #hunks: readonly Hunk[];
  #at = 0;

  constructor(hunks: readonly Hunk[]) {
    this.#hunks = hunks;
  }

  /** The line of the ancestor where the next hunk is. */
  get next(): number {
    return this.#hunks[this.#at]?.from ?? Number.POSITIVE_INFINITY;
  }

  /** Takes the hunks that overlap or touch a stretch of the ancestor, which grows by them. */
  take(stretch: { from: number; to: number }): Hunk[] {
    const taken: Hunk[] = [];
    for (let hunk = this.#hunks[this.#at]; hunk && hunk.from <= stretch.to; hunk = this.#hunks[++this.#at]) {
      taken.push(hunk);
      stretch.to = Math.max(stretch.to, hunk.to);
    }
    return taken;
  }
}

function takeTouching(stretch: { from: number; to: number }, ours: Queue, theirs: Queue): [Hunk[], Hunk[]] {
  const [mine, others]: [Hunk[], Hunk[]] = [[], []];
  while (Math.min(ours.next, theirs.next) <= stretch.to) {
    mine.push(...ours.take(stretch));
    others.push(...theirs.take(stretch));
  }
  return [mine, others];
}

/** What a side has for a stretch of the ancestor that holds some of its hunks. */
function linesIn(
  stretch: { from: number; to: number },
  hunks: readonly Hunk[],
  side: readonly string[],
): string[] {
  const [first, last] = [hunks[0], hunks.at(-1)];
  if (!first || !last) return [];
  return side.slice(first.start - (first.from - stretch.from), last.end + (stretch.to - last.to));
}

/** What both sides changed: the lines that both begin and end with are agreed on. */
function settle(primary: readonly string[], branch: readonly string[]): Region[] {
  let begin = 0;
  const shorter = Math.min(primary.length, branch.length);
  while (begin < shorter && primary[begin] === branch[begin]) begin++;
  let end = 0;
  while (end < shorter - begin && primary.at(-1 - end) === branch.at(-1 - end)) end++;
  const inner = {
    primary: primary.slice(begin, primary.length - end),
    branch: branch.slice(begin, branch.length - end),
  };
  return [
    { lines: primary.slice(0, begin) },
    ...(inner.primary.length + inner.branch.length > 0 ? [inner] : []),
    { lines: primary.slice(primary.length - end) },
  ];
}
