/** Recognizes fenced code in single lines. Used by everything that reads pages line by line. */

const START = /^[ \t>]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})/;

/** Returns the fence that a line opens, if any. */
export function fenceStart(line: string): string | undefined {
  return line.includes('```') || line.includes('~~~') ? START.exec(line)?.[1] : undefined;
}

/** Returns whether a line closes an open fence. */
export function fenceEnds(line: string, fence: string): boolean {
  const text = line.replace(/^[ \t>]+/, '').trimEnd();
  return text.length >= fence.length && text === fence.charAt(0).repeat(text.length);
}

/** Transforms the lines of a text, except fenced code. */
export function mapOutsideFences(text: string, change: (line: string) => string): string {
  const fences = new FencedLines();
  return text
    .split('\n')
    .map((line) => (fences.next(line) === 'text' ? change(line) : line))
    .join('\n');
}

/** Role of a line: text, the start or end of fenced code, or a line of the code. */
export type LineRole = 'text' | 'open' | 'code' | 'close';

const LIST_MARKER = /^(?:[*+-]|\d{1,9}[.)])(?=[ \t])/;
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;

/** Recognizes fenced code in the lines of a page, including code without an end, which ends with its container. */
export class FencedLines {
  #fence: { marker: string; quotes: number; column: number } | undefined;
  /** Columns of the content of the list items that contain the next line, outermost first. */
  #items: number[] = [];
  #quotes = 0;
  #afterBlank = true;

  /** Returns the role of the next line, which may end in a line feed. */
  next(line: string): LineRole {
    const { quotes, text } = withoutQuotes(line.trimEnd());
    const isBlank = text.trim() === '';
    if (this.#fence) {
      const { marker, column } = this.#fence;
      if (quotes >= this.#fence.quotes && (isBlank || indentOf(text) >= column)) {
        const ends = fenceEnds(text, marker);
        this.#fence = ends ? undefined : this.#fence;
        return ends ? 'close' : 'code';
      }
      this.#fence = undefined;
    }
    if (quotes !== this.#quotes) {
      this.#quotes = quotes;
      this.#items = [];
    }
    if (isBlank) {
      this.#afterBlank = true;
      return 'text';
    }
    const marker = this.#contentOf(text);
    this.#afterBlank = false;
    if (marker === undefined) {
      return 'text';
    }
    this.#fence = { marker, quotes, column: this.#items.at(-1) ?? 0 };
    return 'open';
  }

  /** Updates the list items for a line with text, and returns the marker of the fence that it opens. */
  #contentOf(text: string): string | undefined {
    let column = indentOf(text);
    let rest = text.trimStart();
    let starts = false;
    for (let item = LIST_MARKER.exec(rest)?.[0]; item !== undefined; item = LIST_MARKER.exec(rest)?.[0]) {
      this.#leave(column);
      starts = true;
      const content = rest.slice(item.length);
      const space = indentOf(content);
      rest = content.trimStart();
      column += item.length + (space > 4 || rest === '' ? 1 : space);
      this.#items.push(column);
    }
    const marker = rest.startsWith('```') || rest.startsWith('~~~') ? FENCE.exec(rest)?.[0] : undefined;
    if (!starts && (this.#afterBlank || marker !== undefined)) {
      this.#leave(column);
    }
    return marker;
  }

  /** Leaves the items with content that starts after a column. */
  #leave(column: number): void {
    while ((this.#items.at(-1) ?? 0) > column) {
      this.#items.pop();
    }
  }
}

function withoutQuotes(line: string): { quotes: number; text: string } {
  let quotes = 0;
  let text = line;
  for (let match = /^[ \t]*>[ ]?/.exec(text); match; match = /^[ \t]*>[ ]?/.exec(text)) {
    quotes++;
    text = text.slice(match[0].length);
  }
  return { quotes, text };
}

/** Returns the column of the first character of a text that is not a space. */
function indentOf(text: string): number {
  let column = 0;
  for (const character of text) {
    if (character === '\t') {
      column += 4 - (column % 4);
    } else if (character === ' ') {
      column++;
    } else {
      break;
    }
  }
  return column;
}
