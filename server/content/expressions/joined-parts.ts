/** Joins the visible parts of a text, so that what was removed leaves no markup behind. */
import type { TextPart } from './conditional-text.ts';

/** The position of a removed part. */
interface Gap {
  at: number;
  /** Whether that includes text, not only tags. */
  hasText: boolean;
}

/** Returns the visible parts as one text, with the lines of a tag as blank lines. Takes linear time. */
export function joinParts(parts: readonly TextPart[], isVisible: (part: TextPart) => boolean): string {
  const gaps: Gap[] = [];
  const visible: string[] = [];
  let length = 0;
  for (const part of parts) {
    const isShown = isVisible(part);
    const removesText = !isShown && part.text !== '';
    if (part.followsTag || removesText) {
      const last = gaps.at(-1);
      if (last?.at === length) {
        last.hasText ||= removesText;
      } else {
        gaps.push({ at: length, hasText: removesText });
      }
    }
    if (isShown) {
      visible.push(part.text);
      length += part.text.length;
    }
  }
  const text = visible.join('');
  return gaps.length === 0 ? text : withoutEmptyLines(withoutEmptyMarks(text, gaps));
}

/** Returns whether a character marks a text on both of its sides. */
const isMark = (text: string, at: number): boolean => at >= 0 && /[*_~]/.test(text.charAt(at));

/** Removes the marks around text that was removed: `**{% if … %}text{% endif %}**`. */
function withoutEmptyMarks(text: string, gaps: readonly Gap[]): { text: string; gaps: Gap[] } {
  let result = '';
  let from = 0;
  const moved: Gap[] = [];
  for (const { at, hasText } of gaps) {
    let [start, end] = [Math.max(at, from), Math.max(at, from)];
    if (hasText) {
      while (start > from && isMark(text, start - 1) && text.charAt(start - 1) === text.charAt(end)) {
        start--;
        end++;
      }
      // Marks enclose no spaces.
      while (start > from && isMark(text, end) && text.charAt(start - 1) === ' ') {
        start--;
      }
      while (isMark(text, start - 1) && text.charAt(end) === ' ') {
        end++;
      }
    }
    result += text.slice(from, start);
    from = end;
    moved.push({ at: result.length, hasText });
  }
  return { text: result + text.slice(from), gaps: moved };
}

/** What remains of a line without its text: the marker of a list item or heading. */
const MARKER = /^(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]*$/;
const PREFIX = /^[ \t>]*/;

/**
 * Replaces lines with only markup left by one blank line, or removes them between the rows of a table, which a blank
 * line would end.
 */
function withoutEmptyLines({ text, gaps }: { text: string; gaps: readonly Gap[] }): string {
  const lines: string[] = [];
  let next = 0;
  let start = 0;
  let blank: string | undefined;
  for (const line of text.split('\n')) {
    const end = start + line.length;
    let hasGap = false;
    let hasText = false;
    for (let gap = gaps[next]; gap && gap.at <= end; gap = gaps[++next]) {
      hasGap = true;
      hasText ||= gap.hasText;
    }
    start = end + 1;
    const prefix = PREFIX.exec(line)?.[0] ?? '';
    const rest = line.slice(prefix.length);
    if (hasGap && (rest === '' || (hasText && MARKER.test(rest)))) {
      blank ??= prefix.trimEnd();
      continue;
    }
    if (blank !== undefined && !(isRow(lines.at(-1)) && isRow(line))) {
      lines.push(blank);
    }
    blank = undefined;
    lines.push(line);
  }
  return [...lines, ...(blank === undefined ? [] : [blank])].join('\n');
}

const isRow = (line: string | undefined): boolean => line?.trimStart().startsWith('|') ?? false;
