import { isUtf8 } from 'node:buffer';
import { compareLines } from '../../merge/hunks.ts';
import { decodeText } from '../text.ts';

const byteOrderMark = Buffer.from('\uFEFF').toString('latin1');
const NEWLINE_PATTERN = /(?:\r\n?|\n)$/;

/**
 * Writes a text with the bytes of the file that it replaces: an unchanged line keeps its own, even if they are not
 * UTF-8, and a new one gets the most common newline. A byte-order mark is retained.
 *
 * @param text with newlines as `\n`
 * @param before the bytes of the file
 */
export function withLinesOf(text: string, before: Uint8Array): Uint8Array {
  // One character per byte.
  const raw = Buffer.from(before.buffer, before.byteOffset, before.byteLength).toString('latin1');
  const mark = raw.startsWith(byteOrderMark) ? byteOrderMark : '';
  if (mark === '' && !/[\r\0]/.test(raw) && isUtf8(before)) {
    return Buffer.from(text);
  }
  const lines = raw.slice(mark.length).split(/(?<=\n|\r(?!\n))/);
  const bare = lines.map((line) => decodeLine(line.replace(NEWLINE_PATTERN, '')));
  if (/[\r\n]$/.test(lines.at(-1) ?? '')) {
    lines.push('');
    bare.push('');
  }
  const newline = dominantNewline(lines);
  const after = text.split('\n');
  const result: string[] = [];
  const write = (line: string, source: string | undefined) => {
    const ending = source === undefined ? '' : (NEWLINE_PATTERN.exec(source)?.[0] ?? '');
    const isLast = result.length === after.length - 1;
    result.push(isLast ? line : line + (ending === '' ? newline : ending));
  };
  let at = 0;
  const retain = (to: number) => {
    for (; at < to; at += 1) {
      const source = lines[at] ?? '';
      write(source.replace(NEWLINE_PATTERN, ''), source);
    }
  };
  for (const { from, to, start, end } of compareLines(bare, after)) {
    retain(from);
    for (const line of after.slice(start, end)) {
      write(Buffer.from(line).toString('latin1'), undefined);
    }
    at = to;
  }
  retain(lines.length);
  return Buffer.from(mark + result.join(''), 'latin1');
}

/** Decodes a line like the whole text. An invisible character at its start is no byte-order mark. */
function decodeLine(line: string): string {
  return decodeText(Buffer.from(` ${line}`, 'latin1')).slice(1);
}

function dominantNewline(lines: readonly string[]): string {
  const windows = lines.filter((line) => line.endsWith('\r\n')).length;
  const unix = lines.filter((line) => line.endsWith('\n')).length - windows;
  return windows > unix ? '\r\n' : '\n';
}
