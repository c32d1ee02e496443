/**
 * Quotations with a marker on every line. Their content is parsed like a text of its own, because the parser is slower
 * within a quotation.
 */

/** A quotation of a text. */
export interface PlainQuote {
  /** End of the quotation, without its last line feed. */
  end: number;
  /** The content without markers. */
  content: string;
  /** Returns the offset in the whole text of a block that starts at an offset in the content. */
  startAt(offset: number): number;
  /** Returns the offset in the whole text of a block that ends at an offset in the content. */
  endAt(offset: number): number;
}

/** A line with a marker. The width of a tab would change without the marker. */
const LINE = />( ?)([^\n\r\t]*)(\n|$)/y;

/** What must follow a quotation, because other lines may continue its last paragraph. */
const BLANK_LINE = /[ \t]*(?:\n|$)/y;

/**
 * Returns the quotation that starts at an offset, the start of a line; undefined if there is none, if it may continue
 * without a marker, or if it has at most a number of characters.
 */
export function plainQuote(markdown: string, start: number, characters: number): PlainQuote | undefined {
  const lines: string[] = [];
  /** Offsets of the lines in the content, and in the whole text. */
  const inner: number[] = [];
  const outer: number[] = [];
  let length = 0;
  let at = start;
  for (LINE.lastIndex = at; ; LINE.lastIndex = at) {
    const [line, space = '', text = '', lineFeed] = LINE.exec(markdown) ?? [];
    if (line === undefined) {
      break;
    }
    lines.push(text);
    inner.push(length);
    outer.push(at + 1 + space.length);
    length += text.length + 1;
    at += line.length;
    if (!lineFeed) {
      break;
    }
  }
  BLANK_LINE.lastIndex = at;
  // A byte order mark at the start of a text is not part of it.
  if (at - start <= characters || !BLANK_LINE.test(markdown) || lines[0]?.startsWith('\ufeff')) {
    return undefined;
  }
  const startAt = (offset: number): number => {
    let low = 0;
    for (let high = inner.length - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2);
      if ((inner[middle] ?? 0) <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return (outer[low] ?? 0) + offset - (inner[low] ?? 0);
  };
  const content = lines.join('\n');
  const end = markdown[at - 1] === '\n' ? at - 1 : at;
  // A block that ends with a line feed does not include the marker of the next line.
  const endAt = (offset: number): number => (offset === content.length ? end : startAt(offset - 1) + 1);
  return { end, content, startAt, endAt };
}
