/** Parts of included files: ranges of lines, and what is between two marks of the file (mdBook, Doxygen). */

/**
 * Lines of a file, from 0, without the one at `to`; what is between `ANCHOR: name` and `ANCHOR_END: name`; or what is
 * between two comments `/// [name]`.
 */
export type IncludedPart = { from: number; to?: number } | { anchor: string } | { snippet: string };

const NUMBER = /^\d{1,9}$/;
const ANCHOR_START = /ANCHOR:\s{0,16}([\w-]{1,128})/;
const ANCHOR_END = /ANCHOR_END:\s{0,16}([\w-]{1,128})/;
/** The mark of a snippet: a comment for documentation with a name in brackets. */
const SNIPPET =
  /^[ \t]{0,256}(?:\/\/|#|%|\/\*)[*!/#][ \t]{0,16}\[([^\]]{1,128})\][ \t]{0,16}(?:\*\/)?[ \t]{0,16}\r?$/;

/** Reads the part after the path of a tag: `2`, `2:10`, `2:`, `:10` or `name`; undefined for the whole file. */
export function readPart(written: string): IncludedPart | undefined {
  const [first = '', last] = written.split(':', 2).map((text) => text.trim());
  if (first !== '' && !NUMBER.test(first)) {
    return { anchor: first };
  }
  const end = last !== undefined && NUMBER.test(last) ? { to: Number(last) } : undefined;
  if (first === '') {
    return end && { from: 0, ...end };
  }
  const from = Math.max(0, Number(first) - 1);
  return last === undefined ? { from, to: from + 1 } : { from, ...end };
}

/** Returns a part of a text without its last line feed; undefined if the text does not have the part. */
export function partOf(text: string, part: IncludedPart | undefined): string | undefined {
  const whole = text.endsWith('\n') ? text.slice(0, -1) : text;
  if (part === undefined) {
    return whole;
  }
  const lines = whole.split('\n');
  if ('anchor' in part) {
    return betweenAnchors(lines, part.anchor)?.join('\n');
  }
  if ('snippet' in part) {
    return betweenMarks(lines, part.snippet)?.join('\n');
  }
  const { from, to } = part;
  return from >= lines.length || (to ?? Infinity) <= from ? undefined : lines.slice(from, to).join('\n');
}

/** Returns the lines between the marks of a name, without the marks of other names. */
function betweenAnchors(lines: readonly string[], anchor: string): string[] | undefined {
  const start = lines.findIndex((line) => ANCHOR_START.exec(line)?.[1] === anchor);
  if (start < 0) {
    return undefined;
  }
  const selected: string[] = [];
  for (const line of lines.slice(start + 1)) {
    const end = ANCHOR_END.exec(line)?.[1];
    if (end === anchor) {
      break;
    }
    if (end === undefined && !ANCHOR_START.test(line)) {
      selected.push(line);
    }
  }
  return selected;
}

/** Returns the lines between the first and the last mark of a name, without the marks of other names. */
function betweenMarks(lines: readonly string[], name: string): string[] | undefined {
  const isMark = (line: string) => SNIPPET.exec(line)?.[1]?.trim() === name;
  const first = lines.findIndex(isMark);
  const last = lines.findLastIndex(isMark);
  return last > first ? lines.slice(first + 1, last).filter((line) => !SNIPPET.test(line)) : undefined;
}

/** Removes the indentation that all lines of a text have in common. */
export function unindent(text: string): string {
  const lines = text.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const common = indents.reduce((least, indent) => Math.min(least, indent), Infinity);
  return common === Infinity ? text : lines.map((line) => line.slice(common)).join('\n');
}
