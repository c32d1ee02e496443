/** Replaces ranges of a text. */

/** Replaces a range of a text; an empty range inserts. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** Applies edits; returns undefined if two of them overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string | undefined {
  const ordered = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let from = 0;
  for (const { start, end, text: replacement } of ordered) {
    if (start < from || end < start) {
      return undefined;
    }
    result += text.slice(from, start) + replacement;
    from = end;
  }
  return result + text.slice(from);
}

/**
 * Converts edits of a text with line feeds, and without a byte order mark, to edits of the text as written. Inserted
 * lines end like the first line.
 */
export function editsAsWritten(written: string, edits: readonly TextEdit[]): TextEdit[] {
  const mark = written.startsWith('\ufeff') ? 1 : 0;
  if (!written.includes('\r')) {
    return edits.map(({ start, end, text }) => ({ start: start + mark, end: end + mark, text }));
  }
  // Offsets of the line feeds after a carriage return, without the carriage returns.
  const removed = Array.from(written.slice(mark).matchAll(/\r\n/g), ({ index }, count) => index - count);
  const offsetOf = (offset: number): number => {
    let [low, high] = [0, removed.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((removed[middle] ?? 0) < offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return offset + low + mark;
  };
  const [ending = '\n'] = /\r\n?|\n/.exec(written) ?? [];
  return edits.map(({ start, end, text }) => ({
    start: offsetOf(start),
    end: offsetOf(end),
    text: text.replaceAll('\n', ending),
  }));
}
