/** Removes the parts of a text that contain no links. */
import { FencedLines } from '../markdown/fences.ts';

const ITEM = /^[ \t>]*(?:[*+-]|\d{1,9}[.)])(?:[ \t]|$)/;
const INDENTED = /^(?: {4}| {0,3}\t)/;

/**
 * Removes the code blocks and code spans from a text. If it has link reference definitions, each span is replaced with
 * its words, since labels may contain code.
 */
export function withoutCode(markdown: string): string {
  const lines: string[] = [];
  const fences = new FencedLines();
  let afterBlank = true;
  let inList = false;
  for (const line of markdown.split(/\r\n?|\n/)) {
    const role = fences.next(line);
    if (role === 'code' || role === 'close') {
      continue;
    }
    const isFence = role === 'open';
    const isBlank = line.trim() === '';
    const isCode: boolean = !isBlank && afterBlank && !inList && INDENTED.test(line);
    lines.push(isFence || isCode ? '' : line);
    if (ITEM.test(line)) {
      inList = true;
    } else if (!isBlank && afterBlank && !/^\s/.test(line)) {
      inList = false;
    }
    afterBlank = isBlank || isCode || isFence;
  }
  const text = lines.join('\n');
  return text.includes('`')
    ? text
        .split(/\n[ \t]*\n/)
        .map((paragraph) => withoutCodeSpans(paragraph, text.includes(']:')))
        .join('\n\n')
    : text;
}

/** Removes the code spans from a paragraph (CommonMark, section 6.1). */
function withoutCodeSpans(paragraph: string, isLabel: boolean): string {
  if (!paragraph.includes('`')) {
    return paragraph;
  }
  const runs = [...paragraph.matchAll(/\\.|`+/gs)].filter(([run]) => run.startsWith('`'));
  // The last run of each length, to skip searches for a missing end.
  const lastIndexes = new Map(runs.map(([run], at) => [run.length, at]));
  let text = '';
  let from = 0;
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at];
    if (!run || (lastIndexes.get(run[0].length) ?? 0) <= at) {
      continue;
    }
    let end = at + 1;
    while (runs[end]?.[0].length !== run[0].length) {
      end++;
    }
    const close = runs[end];
    const code = paragraph.slice(run.index + run[0].length, close?.index ?? run.index);
    text += `${paragraph.slice(from, run.index)} ${isLabel ? wordsOf(code) : ''}`;
    from = (close?.index ?? run.index) + run[0].length;
    at = end;
  }
  return text + paragraph.slice(from);
}

/** Replaces the characters of code that could be markup or part of a URL, so that different code remains different. */
const wordsOf = (code: string): string =>
  code.trim().replace(/[^\p{L}\p{N}\s]/gu, (character) => `x${character.charCodeAt(0).toString(16)}`);

/** Removes the parts of a text between two delimiters, and passes each with its delimiters to `onRemoved`. */
export function withoutDelimited(
  text: string,
  open: string,
  close: string,
  onRemoved?: (part: string) => void,
): string {
  let result = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf(open, from);
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (end < 0) {
      return result + text.slice(from);
    }
    onRemoved?.(text.slice(start, end + close.length));
    result += `${text.slice(from, start)} `;
    from = end + close.length;
  }
}
