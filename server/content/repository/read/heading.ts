import { blankConditions } from '../../expressions/visible-text.ts';
import { fenceEnds, fenceStart } from '../../markdown/fences.ts';
import { splitHeadingId } from '../../markdown/read/heading-id.ts';
import { collapse, plainText } from '../text.ts';

/** The first heading of level 1 in a text. */
export interface TitleHeading {
  /** Its visible text. */
  text: string;
  /** Whether it is the first heading of any level. */
  leading: boolean;
  start: number;
  end: number;
}

const HASHES_PATTERN = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const UNDERLINE_PATTERN = /^ {0,3}(=+|-+)[ \t]*$/;
const COMMENT_PATTERN = /^ {0,3}<!--/;
// A line that starts like this, or with a space, does not start a paragraph that an underline could turn into a
// heading: quotations, tables, HTML, lists, the platform's blocks, breaks.
const OTHER_BLOCK_PATTERN = /^(?:\s|[>|<]|[*+-][ \t]|\d{1,9}[.)][ \t]|\{%|[*_-]{3,}[ \t]*$)/;
// Emoji with all components of sequences (UTS 51), and names of emoji.
const DECORATION =
  /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|\uFE0F|\u20E3|\u200D|[\u{E0020}-\u{E007F}]|:[a-z0-9_+-]{1,64}:/gu;

/**
 * Finds the first heading of level 1 by examining lines only, since parsing the Markdown of all imported pages would
 * be slow. Code blocks and HTML comments contain no headings. What depends on a condition is no part of a title.
 */
export function findTitleHeading(text: string): TitleHeading | undefined {
  const unconditional = blankConditions(text);
  const heading = findHeading(unconditional);
  if (!heading || unconditional === text) {
    return heading;
  }
  // One with a conditional part remains in the text, for the visitors who see this part.
  const { start, end } = heading;
  return unconditional.slice(start, end) === text.slice(start, end)
    ? heading
    : { ...heading, leading: false };
}

function findHeading(text: string): TitleHeading | undefined {
  let fence: string | undefined;
  let leading = true;
  /** Start of the paragraph that the line may continue. */
  let paragraph: number | undefined;
  let inOtherBlock = false;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    let end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    if (fence !== undefined) {
      if (fenceEnds(line, fence)) {
        fence = undefined;
      }
    } else if (COMMENT_PATTERN.test(line)) {
      const close = text.indexOf('-->', start);
      end = close === -1 ? -1 : text.indexOf('\n', close);
      if (end === -1) {
        return undefined;
      }
      paragraph = undefined;
    } else {
      const hashes = HASHES_PATTERN.exec(line);
      if (hashes?.[1] === '#') {
        return { text: headingText(line.slice(hashes[0].length)), leading, start, end };
      }
      const underline = paragraph === undefined ? undefined : UNDERLINE_PATTERN.exec(line)?.[1];
      if (paragraph !== undefined && underline?.startsWith('=')) {
        return { text: plainText(collapse(text.slice(paragraph, start))), leading, start: paragraph, end };
      }
      if (hashes !== null || underline !== undefined) {
        leading = false;
      }
      fence = fenceStart(line);
      const ends = line.trim() === '' || fence !== undefined || hashes !== null || underline !== undefined;
      inOtherBlock = !ends && (inOtherBlock || OTHER_BLOCK_PATTERN.test(line));
      paragraph = ends || inOtherBlock ? undefined : (paragraph ?? start);
    }
    start = end + 1;
  }
  return undefined;
}

/** Returns the text of a heading without its ID and closing hashes (CommonMark, section 4.2). */
function headingText(rest: string): string {
  return plainText(splitHeadingId(rest.trim().replace(/(?:^|[ \t])#+$/, '')).text);
}

/** Whether two titles are equal apart from emoji and case. */
export function sameTitle(left: string, right: string): boolean {
  return left === right || bare(left) === bare(right);
}

function bare(title: string): string {
  return collapse(title.normalize('NFC').toLowerCase().replace(DECORATION, '')) || title;
}
