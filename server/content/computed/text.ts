/** Converts texts of a specification to Markdown: names and values are escaped, descriptions stay Markdown. */
import { fenceEnds, fenceStart } from '../markdown/fences.ts';
import { isTooCostly } from '../markdown/limits.ts';
import { collapse } from '../repository/text.ts';
import { asText } from './json.ts';

/** Maximum length of a description in a table of a computed page, in UTF-16 units. Longer ones are truncated. */
export const MAX_DESCRIPTION_CELL_CHARACTERS = 1000;

/** Escapes all markup in a text. */
export function escapeText(text: string): string {
  return collapse(text)
    .replace(/[\\`*_[\]<>~|]|\{(?=[%{])|\$(?=\$)/g, '\\$&')
    .replace(/&(?=[#\p{L}])/gu, '&amp;')
    .replace(/^(?=[#+-])|^(\d+)(?=[.)])/, '$1\\');
}

/** Formats a text as inline code. */
export function code(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') {
    return '';
  }
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** Formats a text as a code block. */
export function codeBlock(text: string, syntax: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${syntax}\n${text}\n${fence}`;
}

/**
 * Returns a description (CommonMark) that does not affect the text after it: tags of the platform are escaped, an open
 * fence is closed, and headings are `shift` levels deeper, or bold if `shift` is undefined.
 */
export function description(value: unknown, shift?: number): string {
  const text = asText(value).replace(/\r\n?/g, '\n');
  if (text === '') {
    return '';
  }
  if (isTooCostly(text)) {
    return codeBlock(text, '');
  }
  let fence: string | undefined;
  const lines = text.split('\n').map((line, at, all) => {
    if (fence !== undefined) {
      if (fenceEnds(line, fence)) {
        fence = undefined;
      }
      return line;
    }
    fence = fenceStart(line);
    if (fence !== undefined) {
      return line;
    }
    // The underline of a heading becomes a rule of its own, or is removed.
    if (/^ {0,3}=+[ \t]*$/.test(line)) {
      return '';
    }
    if (/^ {0,3}-+[ \t]*$/.test(line) && (all[at - 1] ?? '').trim() !== '') {
      return `\n${line}`;
    }
    return withoutTags(heading(line, shift));
  });
  if (fence !== undefined) {
    lines.push(fence);
  }
  return lines.join('\n');
}

/** Returns a description as one line, for a table cell. */
export function cellText(value: unknown): string {
  const lines = asText(value)
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .filter((line) => fenceStart(line) === undefined);
  const text = lines.map((line) => line.replace(/^[ \t]*(?:#{1,6}|[*+-])(?=[ \t])/, '')).join(' ');
  return withoutTags(shortened(text.replace(/\s+/g, ' ').trim()));
}

/**
 * Prints a table; a cell may contain any Markdown on one line. As everywhere here, the output has the form of printed
 * documents: reading Markdown in this form as a document takes half the time.
 */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `|${cells.map((cell) => ` ${cell.replace(/(?<!\\)\|/g, '\\|')}`.trimEnd()).join(' |')} |`;
  return [line(titles), line(titles.map(() => '-')), ...rows.map(line)].join('\n');
}

/** Joins blocks of Markdown and omits empty ones. */
export const blocks = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part): part is string => typeof part === 'string' && part !== '').join('\n\n');

function heading(line: string, shift: number | undefined): string {
  const match = /^ {0,3}(#{1,6})[ \t]+/.exec(line);
  if (!match) {
    return line;
  }
  const [prefix, marks = ''] = match;
  const title = withoutClosingMarks(line.slice(prefix.length).trimEnd());
  if (title === '') {
    return '';
  }
  if (shift === undefined) {
    return `\n**${title.replaceAll('**', '')}**\n`;
  }
  return `${'#'.repeat(Math.min(6, marks.length + shift))} ${title}`;
}

/** Removes the closing marks of a heading. An expression with several repetitions of spaces takes cubic time. */
function withoutClosingMarks(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') {
    end -= 1;
  }
  return end === 0 || /[ \t]/.test(title[end - 1] ?? '') ? title.slice(0, end).trimEnd() : title;
}

const withoutTags = (text: string): string => text.replace(/(?<!\\)\{(?=%)/g, '\\{');

function shortened(text: string): string {
  if (text.length <= MAX_DESCRIPTION_CELL_CHARACTERS) {
    return text;
  }
  const cut = text.slice(0, MAX_DESCRIPTION_CELL_CHARACTERS).toWellFormed();
  // A truncated code span would extend into the following text.
  const backticks = cut.match(/`+/g)?.length ?? 0;
  return `${cut.trimEnd()}${backticks % 2 === 1 ? '`' : ''}…`;
}
