/** Removes the comments from the lines of a page. */

const START = '<!--';
const END = '-->';

/** Maximum length of a line in which code spans are recognized, which takes quadratic time. */
const MAX_CODE_LINE_CHARACTERS = 5000;

/** Removes comments from the lines of a page, read in order. The text of code spans is no comment. */
export class CommentedLines {
  /** Comments whose end is missing are text. */
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
      const start = commentStart(line, from);
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

/** Returns the next start of a comment outside code spans; -1 if there is none. */
function commentStart(line: string, from: number): number {
  const start = line.indexOf(START, from);
  if (start < 0 || line.length > MAX_CODE_LINE_CHARACTERS || !line.includes('`')) {
    return start;
  }
  for (const match of line.slice(from).matchAll(/(`+)(?!`).*?(?<!`)\1(?!`)|<!--/g)) {
    if (match[0] === START) {
      return from + match.index;
    }
  }
  return -1;
}
