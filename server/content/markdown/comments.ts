/** Removes the comments from the lines of a page. */

const START = '<!--';
const END = '-->';

/** Removes comments from the lines of a page, read in order. The text of code spans is no comment. */
export class CommentedLines {
  /** Comments without an end are text. */
  #endsLeft: number;
  #isOpen = false;

  constructor(markdown: string) {
    this.#endsLeft = markdown.split(END).length - 1;
  }

  /** Whether the next line starts within a comment. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Returns the next line without its comments. */
  next(line: string): string {
    if (!this.#isOpen && !line.includes(START)) {
      this.#endsLeft -= line.split(END).length - 1;
      return line;
    }
    const starts = commentStarts(line).values();
    let result = '';
    let from = 0;
    for (;;) {
      if (this.#isOpen) {
        const end = line.indexOf(END, from);
        if (end < 0) {
          return result;
        }
        this.#endsLeft--;
        this.#isOpen = false;
        from = end + END.length;
      }
      const start = starts.find((index) => index >= from) ?? -1;
      if (start < 0 || (this.#endsLeft <= 0 && !isBlockStart(line, start))) {
        this.#endsLeft -= line.slice(from).split(END).length - 1;
        return joined(result, line.slice(from));
      }
      result = joined(result, line.slice(from, start));
      this.#isOpen = true;
      from = start + START.length;
    }
  }
}

/** Joins the texts around a comment, with at most one space. */
const joined = (before: string, after: string): string =>
  /(?:^|\s)$/.test(before) ? before + after.trimStart() : before + after;

/** A comment at the start of a line extends to the end of the page if it has no end (CommonMark, section 4.6). */
const isBlockStart = (line: string, start: number): boolean => /^ {0,3}$/.test(line.slice(0, start));

/** Returns the starts of comments outside code spans (CommonMark, section 6.1). */
function commentStarts(line: string): number[] {
  const tokens = [...line.matchAll(/`+|<!--/g)];
  const ends = new Map<number, number>();
  const nextByLength = new Map<number, number>();
  for (let at = tokens.length - 1; at >= 0; at--) {
    const run = tokens[at]?.[0] ?? '';
    if (run !== START) {
      ends.set(at, nextByLength.get(run.length) ?? at);
      nextByLength.set(run.length, at);
    }
  }
  const starts: number[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token?.[0] === START) {
      starts.push(token.index);
    } else {
      at = ends.get(at) ?? at;
    }
  }
  return starts;
}
