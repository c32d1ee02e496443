import { isBlank, isBreak } from './summary-source.ts';

const HEADING_PATTERN = /^ {0,3}#{1,6}(?=[ \t]|$)/;

/** A line of a table of contents that is written, or the place of a removed entry. */
type Line = { text: string; isResidue: boolean } | 'removed';

/**
 * The lines of a table of contents while it is written. Where entries are removed, the breaks and empty lines that
 * only separated them are removed as well.
 */
export class SummaryLines {
  readonly #lines: Line[] = [];

  add(lines: readonly string[]): void {
    this.#lines.push(...lines.map((text) => ({ text, isResidue: false })));
  }

  /** Removes an entry. The lines before it remain. */
  remove(lead: readonly string[]): void {
    this.#lines.push(...lead.map((text) => ({ text, isResidue: true })), 'removed');
  }

  /** Adds an empty line unless the last line is empty, or there is none. */
  separate(): void {
    const last = this.#last();
    if (last !== undefined && !isBlank(last)) {
      this.add(['']);
    }
  }

  #last(): string | undefined {
    const last = this.#lines.findLast((line) => line !== 'removed');
    return last?.text;
  }

  /** Returns the text, with the last line closed as it was. */
  text(isClosed: boolean): string {
    const lines = withoutExtraBlanks(this.#withoutEmptySections());
    return lines.join('\n') + (isClosed ? '\n' : '');
  }

  /** Removes the breaks before removed entries that nothing follows. */
  #withoutEmptySections(): Line[] {
    return this.#lines.map((line, at) => {
      if (line === 'removed' || !line.isResidue || !isBreak(line.text)) {
        return line;
      }
      const next = this.#lines.slice(at + 1).find((other) => other !== 'removed' && !isBlank(other.text));
      const isEmpty =
        next === undefined || next === 'removed' || isBreak(next.text) || HEADING_PATTERN.test(next.text);
      return isEmpty ? 'removed' : line;
    });
  }
}

/** Where entries were removed, retains one of the groups of empty lines around them. */
function withoutExtraBlanks(lines: readonly Line[]): string[] {
  const result: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const groups: string[][] = [[]];
    for (; at < lines.length; at += 1) {
      const line = lines[at];
      if (line === 'removed') {
        groups.push([]);
      } else if (line !== undefined && isBlank(line.text)) {
        groups.at(-1)?.push(line.text);
      } else {
        break;
      }
    }
    const isEdge = result.length === 0 || at >= lines.length;
    const [first = []] = groups;
    if (groups.length === 1) {
      result.push(...first);
    } else if (!isEdge) {
      const retained = [groups.at(-1), ...groups].find((group) => group && group.length > 0) ?? [];
      const isCramped = retained.length === 0 && mustBeApart(result.at(-1) ?? '', lineText(lines[at]));
      result.push(...(isCramped ? [''] : retained));
    }
    if (at < lines.length) {
      result.push(lineText(lines[at]));
    }
    at += 1;
  }
  return result;
}

function lineText(line: Line | undefined): string {
  return line === undefined || line === 'removed' ? '' : line.text;
}

/** Only a list that starts with 1 can follow a text without an empty line (CommonMark, section 5.3). */
function mustBeApart(above: string, below: string): boolean {
  const [, indent = '', number] = /^(\s*)(\d{1,9})[.)]/.exec(below) ?? [];
  return (
    number !== undefined && Number(number) !== 1 && indent.length > (/^\s*/.exec(above)?.[0] ?? '').length
  );
}
