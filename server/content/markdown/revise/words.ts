/** Changes only those words of a block that differ, so that the rest keeps its line breaks, padding and markup. */
import { compareLines } from '../../merge/hunks.ts';

/** Maximum number of words and punctuation marks of a block that is compared word by word. */
const MAX_COMPARED_WORDS = 20_000;
/** Minimum part of the words that must remain. Otherwise the whole block is printed. */
const MIN_UNCHANGED_PART = 0.3;

const WORD = /[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu;

/** A text, divided into words. */
interface Words {
  text: string;
  words: string[];
  /** Start of each word, and the end of the text. */
  starts: number[];
}

/** The three forms of a block. */
interface Forms {
  /** As the page writes it. */
  written: string;
  /** As it is printed. */
  before: string;
  /** The changed block, as it is printed. */
  after: string;
}

/**
 * Applies the differences between two printed blocks to the text that the first one was read from.
 *
 * @returns undefined if too much differs. The caller verifies that the result is read as the second block
 */
export function reviseWords({ written, before, after }: Forms): string | undefined {
  const [source, old, next] = [wordsOf(written), wordsOf(before), wordsOf(after)];
  if (!source || !old || !next) {
    return undefined;
  }
  const inSource = partnersOf(old, source);
  const inNext = partnersOf(old, next);
  if (inNext.filter((at) => at >= 0).length < MIN_UNCHANGED_PART * old.words.length) {
    return undefined;
  }
  let result = '';
  /** The last word that all three forms contain. */
  let last = { old: -1, source: -1, next: -1 };
  for (let at = 0; at <= old.words.length; at++) {
    const isEnd = at === old.words.length;
    const [atSource = -1, atNext = -1] = isEnd
      ? [source.words.length, next.words.length]
      : [inSource[at], inNext[at]];
    if (atSource < 0 || atNext < 0) {
      continue;
    }
    const oldPart = between(old, last.old, at);
    const nextPart = between(next, last.next, atNext);
    const sourcePart = between(source, last.source, atSource);
    const change = changeBetween(old, [last.old + 1, at], next, [last.next + 1, atNext]);
    result += change ? replaced(sourcePart, { before: oldPart, after: nextPart, change }) : sourcePart;
    result += isEnd ? '' : (source.words[atSource] ?? '');
    last = { old: at, source: atSource, next: atNext };
  }
  return result;
}

function wordsOf(text: string): Words | undefined {
  const matches = [...text.matchAll(WORD)];
  return matches.length > MAX_COMPARED_WORDS
    ? undefined
    : {
        text,
        words: matches.map(([word]) => word),
        starts: [...matches.map(({ index }) => index), text.length],
      };
}

/** Returns the index of the same word in another text for each word of a text, or -1. */
function partnersOf(text: Words, other: Words): number[] {
  const partners: number[] = [];
  let next = 0;
  for (const { from, to, end } of compareLines(text.words, other.words)) {
    while (partners.length < from) {
      partners.push(next++);
    }
    while (partners.length < to) {
      partners.push(-1);
    }
    next = end;
  }
  while (partners.length < text.words.length) {
    partners.push(next++);
  }
  return partners;
}

/** Returns the text between two words. */
function between({ text, words, starts }: Words, previous: number, next: number): string {
  const start = previous < 0 ? 0 : (starts[previous] ?? 0) + (words[previous]?.length ?? 0);
  return text.slice(start, starts[next]);
}

/** Words that are replaced, without the unchanged words around them. */
interface Change {
  before: string;
  after: string;
}

/** Returns the change between two ranges of words; undefined if they are equal. */
function changeBetween(
  old: Words,
  [from, to]: readonly [number, number],
  next: Words,
  [start, end]: readonly [number, number],
): Change | undefined {
  let skipped = 0;
  const shorter = Math.min(to - from, end - start);
  while (skipped < shorter && old.words[from + skipped] === next.words[start + skipped]) {
    skipped++;
  }
  if (skipped === to - from && skipped === end - start) {
    return undefined;
  }
  let cut = 0;
  while (cut < shorter - skipped && old.words[to - 1 - cut] === next.words[end - 1 - cut]) {
    cut++;
  }
  const textBetween = (words: Words, first: number, last: number) =>
    first > last
      ? ''
      : words.text.slice(words.starts[first], (words.starts[last] ?? 0) + (words.words[last]?.length ?? 0));
  return {
    before: textBetween(old, from + skipped, to - 1 - cut),
    after: textBetween(next, start + skipped, end - 1 - cut),
  };
}

/** Replaces the words between two common words; keeps the space around them if it is not what changes. */
function replaced(
  written: string,
  { before, after, change }: { before: string; after: string; change: Change },
): string {
  const [source, old, next] = [spaced(written), spaced(before), spaced(after)];
  if (source.core !== old.core && change.before !== '' && change.after !== '') {
    const [start = '', end, ...others] = written.split(change.before);
    if (end !== undefined && others.length === 0) {
      return start + change.after + end;
    }
  }
  if (next.core === '') {
    const gap = source.end.includes('\n') || source.start === '' ? source.end : source.start;
    return next.start === '' ? '' : gap || next.start;
  }
  if (source.core === '') {
    const isSame = (source.start === '') === (next.end === '');
    return `${next.start}${next.core}${isSame ? source.start : next.end}`;
  }
  const retained = (space: 'start' | 'end') =>
    (old[space] === '') === (next[space] === '') ? source[space] : next[space];
  return retained('start') + next.core + retained('end');
}

function spaced(text: string): { start: string; core: string; end: string } {
  const core = text.trim();
  const at = text.length - text.trimStart().length;
  return { start: text.slice(0, at), core, end: core === '' ? '' : text.slice(at + core.length) };
}
