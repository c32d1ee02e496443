/** Removes the formulas from a text, which contain no links. */
import { isEscaped } from '../markdown/escapes.ts';

/** The line that opens a block: between dollars that are the first on their line, without dollars after them. */
const OPENING = /^([ \t>]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)?)(\${2,})[^$]*$/;
/** Lines that are not part of the paragraph before them: blank lines, headings, list items, tags and dividers. */
const SEPARATE =
  /^[ \t>]*(?:$|#{1,6}[ \t]|(?:[*+-]|\d{1,9}[.)])[ \t]|\{%|\||(?:\*[ \t]*){3,}$|(?:-[ \t]*){3,}$|(?:_[ \t]*){3,}$)/;
/** Tags of elements that are not within a line: a formula does not extend over them. */
const BLOCK_TAG = /(<\/?(?:p|t[dhr]|table|div|[uo]l|li|h[1-6]|blockquote|details|summary)\b)/i;

/** Removes the formulas from a text without code. Blocks end with their container at the latest. */
export function withoutFormulas(text: string): string {
  return text.includes('$$')
    ? paragraphsOf(withoutBlocks(text.split('\n')))
        .map(withoutInlines)
        .join('\n')
    : text;
}

function withoutBlocks(lines: readonly string[]): string[] {
  const result: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, prefix = '', marker = ''] = OPENING.exec(line) ?? [];
    if (marker === '') {
      result.push(line);
      continue;
    }
    result.push('');
    const isQuoted = prefix.includes('>');
    const column = /\S/.test(prefix) && !isQuoted ? prefix.length : 0;
    for (at++; at < lines.length; at++) {
      const next = lines[at] ?? '';
      const content = next.replace(/^[ \t>]+/, '').trimEnd();
      const isInside = isQuoted ? /^[ \t]*>/.test(next) : content === '' || next.search(/\S/) >= column;
      if (!isInside) {
        at--;
        break;
      }
      if (content.length >= marker.length && /^\$+$/.test(content)) {
        break;
      }
    }
  }
  return result;
}

/** Groups lines by the paragraph that they are part of. */
function paragraphsOf(lines: readonly string[]): string[] {
  const paragraphs: string[][] = [];
  let isSeparate = true;
  for (const line of lines) {
    const starts = SEPARATE.test(line);
    if (starts || isSeparate) {
      paragraphs.push([]);
    }
    paragraphs.at(-1)?.push(line);
    // The text of a list item may continue on the next line.
    isSeparate = starts && !/^[ \t>]*(?:[*+-]|\d{1,9}[.)])[ \t]/.test(line);
  }
  return paragraphs.map((paragraph) => paragraph.join('\n'));
}

const CELL_END = /(\|)/;
const isRow = (paragraph: string): boolean => /^[ \t>]*\|/.test(paragraph);

const withoutInlines = (paragraph: string): string =>
  paragraph.includes('$$')
    ? paragraph
        .split(isRow(paragraph) ? CELL_END : BLOCK_TAG)
        .map(withoutSpans)
        .join('')
    : paragraph;

/** Removes the formulas from a part of a paragraph. Like code, they end with as many dollars as they start with. */
function withoutSpans(part: string): string {
  const runs = [...part.matchAll(/\$+/g)].map(({ 0: { length }, index }) => ({ length, index }));
  // The last run of each length, to skip searches for a missing end.
  const lastIndexes = new Map(runs.map(({ length }, at) => [length, at]));
  let text = '';
  let from = 0;
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at];
    // A backslash escapes the first dollar, except within a formula.
    const escaped = run && isEscaped(part, run.index, from) ? 1 : 0;
    const length = run ? run.length - escaped : 0;
    if (!run || length < 2 || (lastIndexes.get(length) ?? 0) <= at) {
      continue;
    }
    let end = at + 1;
    while (runs[end]?.length !== length) {
      end++;
    }
    text += `${part.slice(from, run.index + escaped)} `;
    from = (runs[end]?.index ?? run.index) + length;
    at = end;
  }
  return text + part.slice(from);
}
