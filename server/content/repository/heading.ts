import { fenceEnds, fenceStart } from '../markdown/fences.ts';
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

const hashesPattern = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const underlinePattern = /^ {0,3}=+[ \t]*$/;
const decoration = /\p{Extended_Pictographic}|\uFE0F|\u200D|\p{Emoji_Modifier}|:[a-z0-9_+-]{1,64}:/gu;

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
    if (fence !== undefined) {
      if (fenceEnds(line, fence)) fence = undefined;
    } else if (line.startsWith('<!--')) {
      const close = text.indexOf('-->', start);
      if (close === -1) return undefined;
      start = close + 3;
      continue;
    } else {
      fence = fenceStart(line);
      const hashes = hashesPattern.exec(line);
      if (hashes?.[1] === '#')
        return { text: headingText(line.slice(hashes[0].length)), leading, start, end };
      if (hashes !== null) leading = false;
      const underlined = previous.alone && previous.line.trim() !== '' && underlinePattern.test(line);
      if (underlined) return { text: plainText(previous.line), leading, start: previous.start, end };
    }
    previous = { line: fence === undefined ? line : '', start, alone: previous.line.trim() === '' };
    start = end + 1;
  }
  return undefined;
}

/** The text of a heading without the hashes that may close it (CommonMark, section 4.2). */
function headingText(rest: string): string {
  return plainText(rest.trim().replace(/(?:^|[ \t])#+$/, ''));
}

/** Whether two titles say the same to a reader, whatever emoji and capitals they are dressed in. */
export function sameTitle(one: string, other: string): boolean {
  return one === other || bare(one) === bare(other);
}

function bare(title: string): string {
  return collapse(title.toLowerCase().replace(decoration, '')) || title;
}
