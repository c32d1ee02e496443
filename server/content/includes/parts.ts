/** Parts of included files: ranges of lines, and what is between two marks of the file (mdBook). */

/** Lines of a file, from 0, without the one at `to`; or what is between `ANCHOR: name` and `ANCHOR_END: name`. */
export type IncludedPart = { from: number; to?: number } | { anchor: string };

const NUMBER = /^\d{1,9}$/;
const ANCHOR_START = /ANCHOR:\s{0,16}([\w-]{1,128})/;
const ANCHOR_END = /ANCHOR_END:\s{0,16}([\w-]{1,128})/;

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
