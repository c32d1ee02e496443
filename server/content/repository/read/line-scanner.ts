import { fenceEnds, fenceStart } from '../../markdown/fences.ts';

const CONTAINER_PATTERN = /^[ \t>]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)*/;
const ITEM_AT_START = /^(?:[*+-]|\d{1,9}[.)])[ \t]/;
/** HTML whose end is a text instead of a blank line (CommonMark, section 4.6). */
const HTML_WITH_END: readonly (readonly [RegExp, RegExp])[] = [
  [/^<!--/, /-->/],
  [/^<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<\?/, /\?>/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [/^<![a-z]/i, />/],
];
const HTML_TAG = /^<\/?[a-z]/i;
const BLANK_LINE = /^\s*$/;
const UNUSUAL_PATTERN = /^[ \t>*+-]*<|\]:/m;

/**
 * Follows blocks over the lines of a text: fenced code and HTML, whose lines are not the start of other blocks.
 *
 * Call {@link enter} with each line, then {@link leave}. Between them, {@link isContinued} is whether the line
 * continues such a block.
 */
export class LineScanner {
  #fence: string | undefined;
  /** The pattern of the last line of the HTML. */
  #htmlEnd: RegExp | undefined;
  /** Column of the block; a line that starts at the left of it may end the list item that contains the block. */
  #column = 0;
  #isInItem = false;
  isContinued = false;

  /**
   * Whether the scanner could differ from CommonMark, where the start of a block depends on the containing items. Link
   * definitions apply to all lines.
   */
  static isUncertain(lines: readonly string[]): boolean {
    if (UNUSUAL_PATTERN.test(lines.join('\n'))) {
      return true;
    }
    const scanner = new LineScanner();
    return lines.some((line) => {
      const isInside = scanner.#fence !== undefined && line.trim() !== '';
      if (isInside && line.search(/\S/) < scanner.#column) {
        return true;
      }
      scanner.enter(line);
      scanner.leave(line);
      return false;
    });
  }

  /** Ends HTML that ends with a blank line, of which there may be none. */
  endUncertain(): void {
    if (this.#htmlEnd === BLANK_LINE) {
      this.#htmlEnd = undefined;
    }
  }

  enter(line: string): void {
    const isAtStart = /^\S/.test(line);
    if (isAtStart && this.#column > 0) {
      this.#fence = undefined;
      this.#htmlEnd = undefined;
    }
    this.isContinued = this.#fence !== undefined || this.#htmlEnd !== undefined;
  }

  leave(line: string): void {
    if (this.#fence !== undefined) {
      this.#fence = fenceEnds(line, this.#fence) ? undefined : this.#fence;
      return;
    }
    if (this.#htmlEnd !== undefined) {
      this.#htmlEnd = this.#htmlEnd.test(line) ? undefined : this.#htmlEnd;
      return;
    }
    if (/^\S/.test(line)) {
      this.#isInItem = ITEM_AT_START.test(line);
    }
    this.#fence = fenceStart(line);
    const prefix = CONTAINER_PATTERN.exec(line)?.[0] ?? '';
    const content = line.slice(prefix.length);
    this.#htmlEnd = this.#fence === undefined ? endOfHtml(content) : undefined;
    const isNested = prefix.trim() !== '' || prefix.length > 3 || this.#isInItem;
    this.#column = isNested ? prefix.length : 0;
  }
}

/**
 * Returns the pattern of the last line of the HTML that a line starts; undefined if there is none, or it is the line.
 */
function endOfHtml(content: string): RegExp | undefined {
  if (!content.startsWith('<')) {
    return undefined;
  }
  const [start, end] = HTML_WITH_END.find(([pattern]) => pattern.test(content)) ?? [];
  if (start === undefined || end === undefined) {
    return HTML_TAG.test(content) ? BLANK_LINE : undefined;
  }
  return end.test(content.replace(start, '')) ? undefined : end;
}
