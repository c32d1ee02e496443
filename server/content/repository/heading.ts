import { collapse, plainText } from './text.ts';

/** The first heading of level 1 in a text. */
export interface TitleHeading {
  /** What a reader sees of it. */
  text: string;
  /** Whether it is the first heading of any level. */
  leading: boolean;
  start: number;
  end: number;
}

const headingPattern = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$/;
const fencePattern = /^ {0,3}(`{3,}|~{3,})/;
const underlinePattern = /^ {0,3}=+[ \t]*$/;
const decoration = /\p{Extended_Pictographic}|\uFE0F|\u200D|\p{Emoji_Modifier}|:[a-z0-9_+-]+:/gu;

/**
 * Finds the first heading of level 1 by looking at lines alone: a page's whole markdown is parsed when it is
 * read, not when a thousand of them are imported. Code blocks and HTML comments hold no headings.
 */
export function findTitleHeading(text: string): TitleHeading | undefined {
  let fence: string | undefined;
  let leading = true;
  let previous = { line: '', start: 0, alone: true };
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    const mark = fencePattern.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    } else if (mark !== undefined) {
      fence = mark;
    } else if (line.startsWith('<!--')) {
      const close = text.indexOf('-->', start);
      if (close === -1) return undefined;
      start = close + 3;
      continue;
    } else {
      const heading = headingPattern.exec(line);
      if (heading?.[1] === '#') return { text: plainText(heading[2] ?? ''), leading, start, end };
      if (heading !== null) leading = false;
      const underlined = previous.alone && previous.line.trim() !== '' && underlinePattern.test(line);
      if (underlined) return { text: plainText(previous.line), leading, start: previous.start, end };
    }
    previous = { line: fence === undefined ? line : '', start, alone: previous.line.trim() === '' };
    start = end + 1;
  }
  return undefined;
}

/** Whether two titles say the same to a reader, whatever emoji and capitals they are dressed in. */
export function sameTitle(one: string, other: string): boolean {
  return one === other || bare(one) === bare(other);
}

function bare(title: string): string {
  return collapse(title.toLowerCase().replace(decoration, '')) || title;
}
