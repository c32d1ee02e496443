import { compareLines } from '../../merge/hunks.ts';
import { withoutNul } from '../text.ts';

const byteOrderMark = '\uFEFF';

/**
 * Writes a text with the newlines of the file that it replaces: an unchanged line keeps its own, a new one gets the
 * most common. A byte-order mark is retained.
 *
 * @param text with newlines as `\n`
 * @param before the bytes of the file
 */
export function withNewlinesOf(text: string, before: Uint8Array): string {
  const raw = Buffer.from(before.buffer, before.byteOffset, before.byteLength).toString('utf8');
  if (!/[\r\0]/.test(raw) && !raw.startsWith(byteOrderMark)) {
    return text;
  }
  const mark = raw.startsWith(byteOrderMark) ? byteOrderMark : '';
  const lines = raw.slice(mark.length).split(/(?<=\n|\r(?!\n))/);
  const bare = lines.map((line) => withoutNul(line.replace(/(?:\r\n?|\n)$/, '')));
  if (/[\r\n]$/.test(lines.at(-1) ?? '')) {
    lines.push('');
    bare.push('');
  }
  const newline = dominantNewline(lines);
  const after = text.split('\n');
  const result: string[] = [];
  const write = (line: string, source: string | undefined) => {
    const ending = source === undefined ? '' : (/(?:\r\n?|\n)$/.exec(source)?.[0] ?? '');
    const isLast = result.length === after.length - 1;
    result.push(isLast ? line : line + (ending === '' ? newline : ending));
  };
  let at = 0;
  const retain = (to: number) => {
    for (; at < to; at += 1) {
      const source = lines[at] ?? '';
      write(source.replace(/(?:\r\n?|\n)$/, ''), source);
    }
  };
  for (const { from, to, start, end } of compareLines(bare, after)) {
    retain(from);
    for (const line of after.slice(start, end)) {
      write(line, undefined);
    }
    at = to;
  }
  retain(lines.length);
  return mark + result.join('');
}

function dominantNewline(lines: readonly string[]): string {
  const windows = lines.filter((line) => line.endsWith('\r\n')).length;
  const unix = lines.filter((line) => line.endsWith('\n')).length - windows;
  return windows > unix ? '\r\n' : '\n';
}
