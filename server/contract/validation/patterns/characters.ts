/** A set of code points: ranges in ascending order that neither overlap nor touch. */
export type Characters = readonly (readonly [first: number, last: number])[];

/** The largest code point. */
export const MAX_CODE_POINT = 0x10ffff;

/** Creates the set of all code points in any of the given ranges. */
export function charactersOf(ranges: Iterable<readonly [number, number]>): Characters {
  const result: [number, number][] = [];
  for (const [first, last] of [...ranges].sort(([one], [other]) => one - other)) {
    const previous = result.at(-1);
    if (previous && first <= previous[1] + 1) {
      previous[1] = Math.max(previous[1], last);
    } else {
      result.push([first, last]);
    }
  }
  return result;
}

/** Returns all code points that are not in a set. */
export function complementOf(characters: Characters): Characters {
  const result: [number, number][] = [];
  let next = 0;
  for (const [first, last] of characters) {
    if (first > next) {
      result.push([next, first - 1]);
    }
    next = last + 1;
  }
  if (next <= MAX_CODE_POINT) {
    result.push([next, MAX_CODE_POINT]);
  }
  return result;
}

/** All code points. */
export const ALL_CHARACTERS: Characters = [[0, MAX_CODE_POINT]];

/** Returns whether two sets have a code point in common. */
export function overlap(one: Characters, other: Characters): boolean {
  return one.some(([first, last]) => other.some(([from, to]) => from <= last && first <= to));
}

/** `\d`, `\s` and `\w` with the flag `u` (ECMAScript, CharacterClassEscape). */
export const DIGITS: Characters = [[0x30, 0x39]];
export const SPACES: Characters = charactersOf([
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);
export const WORD_CHARACTERS: Characters = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** What `.` does not match. */
export const LINE_ENDS: Characters = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

const SURROGATES: readonly [number, number] = [0xd800, 0xdfff];

/** All code points except surrogates, which two of each other would combine to others. */
const CODE_POINTS: readonly (readonly [number, number])[] = [
  [0, 0xd7ff],
  [0xe000, 0xffff],
  [0x10000, MAX_CODE_POINT],
];

const properties = new Map<string, Characters>();

/**
 * Returns the characters of a Unicode property as this JavaScript engine defines them, which takes some 50 ms.
 *
 * @param source the escape, such as `\\p{L}`
 */
export function charactersOfProperty(source: string): Characters {
  const existing = properties.get(source);
  if (existing) {
    return existing;
  }
  const runs = new RegExp(`${source}+`, 'gu');
  const ranges: [number, number][] = [];
  for (const [first, last] of CODE_POINTS) {
    const width = first > 0xffff ? 2 : 1;
    for (const { 0: run, index } of charactersBetween(first, last).matchAll(runs)) {
      const start = first + index / width;
      ranges.push([start, start + run.length / width - 1]);
    }
  }
  if (new RegExp(source, 'u').test(String.fromCharCode(SURROGATES[0]))) {
    ranges.push([...SURROGATES]);
  }
  const characters = charactersOf(ranges);
  properties.set(source, characters);
  return characters;
}

function charactersBetween(first: number, last: number): string {
  const parts: string[] = [];
  for (let codePoint = first; codePoint <= last; codePoint += 1) {
    parts.push(String.fromCodePoint(codePoint));
  }
  return parts.join('');
}
