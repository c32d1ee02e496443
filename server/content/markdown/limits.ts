/**
 * Texts that the parser would take too long for. Some of its steps look, for each marker in a paragraph, at all
 * the markers before it; and each quotation or list that a line stands in costs time on every line. Nobody
 * writes such texts by hand.
 */
import { fenceEnds, fenceStart } from './fences.ts';
import { TABLE_RULE } from './tables.ts';

/** How many quotations and lists one line may start. */
const MOST_NESTED = 60;

/** How many markers of links, emphasis and the like one paragraph may have. */
const MOST_MARKERS = 2000;

const DEEP_LINE = new RegExp(`^(?:[ \\t]{0,8}(?:>|[*+-](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))){${MOST_NESTED}}`);
const MARKER = /[[\]*_~!<`$&{]/g;
const STARTS_PARAGRAPH = /^[ \t>]*(?:[*+-]|\d{1,9}[.)]|#{1,6})[ \t]|^[ \t>]*\{%/;
/** HTML that goes on to the next blank line, and is not looked into. */
const HTML_BLOCK = /^ {0,3}<\/?(?:details|div|figure|h[1-6]|ol|p|summary|table|tbody|td|thead|tr|ul)\b/;

/** Whether a text is of a kind that takes the parser more than a little time for its length. */
export function isTooCostly(source: string): boolean {
  let markers = 0;
  let fence: string | undefined;
  let inTable = false;
  let inHtml = false;
  let indent = 0;
  for (const line of source.split('\n')) {
    if (fence !== undefined) {
      if (fenceEnds(line, fence)) fence = undefined;
      continue;
    }
    fence = fenceStart(line);
    if (fence !== undefined) continue;
    const isBlank = line.trim() === '';
    indent = isBlank ? indent : line.length - line.trimStart().length;
    if (indent > MOST_NESTED * 4 || DEEP_LINE.test(line)) return true;
    if (line.includes('|') && TABLE_RULE.test(line)) inTable = true;
    if (isBlank) inTable = false;
    inHtml = !isBlank && (inHtml || HTML_BLOCK.test(line));
    if (inHtml) continue;
    if (isBlank || inTable || STARTS_PARAGRAPH.test(line)) markers = 0;
    markers += line.match(MARKER)?.length ?? 0;
    if (markers > MOST_MARKERS) return true;
  }
  return false;
}
