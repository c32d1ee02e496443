/** Replaces the expressions in pages by their values. */
import { isEscaped } from '../markdown/escapes.ts';
import { FencedLines } from '../markdown/fences.ts';
import { decodeHtml } from '../markdown/html.ts';
import { evaluateExpression } from './evaluate.ts';
import { ExpressionError, parseExpression } from './expressions.ts';

/** Variables of the expressions of a page: `space.vars.…` and `page.vars.…`. */
export interface PageVariables {
  /** Variables of the space. */
  space: Readonly<Record<string, string>>;
  /** Variables of the page. */
  page: Readonly<Record<string, string>>;
}

const PARTS = /`+|<code class="expression">([^<]*)<\/code>|\{\{([^{}]*)\}\}/g;

/** Returns whether a text may contain expressions. */
export const mayContainExpressions = (markdown: string): boolean =>
  markdown.includes('{{') || markdown.includes('class="expression"');

/**
 * Replaces the expressions of a page by their values: `<code class="expression">space.vars.name</code>` and `{{
 * space.vars.name }}`. Values are inserted as text, escaped where Markdown would read them as markup. Expressions
 * without a value (unknown variables, invalid expressions) and code are left unchanged.
 */
export function evaluateMarkdown(markdown: string, variables: PageVariables): string {
  if (!mayContainExpressions(markdown)) {
    return markdown;
  }
  const scope = { space: { vars: variables.space }, page: { vars: variables.page } };
  let result = '';
  let text = '';
  const fences = new FencedLines();
  const flush = () => {
    result += evaluateText(text, scope);
    text = '';
  };
  for (const line of markdown.split(/(?<=\n)/)) {
    const role = fences.next(line);
    if (role === 'text') {
      text += line;
      continue;
    }
    if (role === 'open') {
      flush();
    }
    result += line;
  }
  flush();
  return result;
}

function evaluateText(text: string, scope: Readonly<Record<string, unknown>>): string {
  const ends = codeEnds(text);
  let result = '';
  let from = 0;
  PARTS.lastIndex = 0;
  for (let match = PARTS.exec(text); match; match = PARTS.exec(text)) {
    const [all, element, braces] = match;
    const source = element === undefined ? braces : unescapeMarkdown(decodeHtml(element));
    if (source === undefined) {
      PARTS.lastIndex = ends.get(match.index) ?? PARTS.lastIndex;
      continue;
    }
    const value = valueIn(source, scope);
    if (value === undefined) {
      continue;
    }
    const escaped = escapeMarkdown(value);
    result += text.slice(from, match.index);
    result += startsLine(text, match.index) ? escapeBlockMarker(escaped) : escaped;
    from = match.index + all.length;
  }
  return result + text.slice(from);
}

/**
 * Maps the start of each code span to its end, which is after the next run of backticks of the same length in the
 * paragraph. An escaped backtick starts none.
 */
function codeEnds(text: string): Map<number, number> {
  const ends = new Map<number, number>();
  const nextByLength = new Map<number, number>();
  const runs = [...text.matchAll(/`+|\n[ \t]*(?=\n)/g)].reverse();
  for (const run of runs) {
    if (run[0].startsWith('\n')) {
      nextByLength.clear();
      continue;
    }
    const next = nextByLength.get(run[0].length);
    if (next !== undefined && !isEscaped(text, run.index)) {
      ends.set(run.index, next + run[0].length);
    }
    nextByLength.set(run[0].length, run.index);
  }
  return ends;
}

/** Returns whether only white space precedes a position in its line. */
function startsLine(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === ' ' || text[first - 1] === '\t') {
    first -= 1;
  }
  return first === 0 || text[first - 1] === '\n';
}

function valueIn(source: string, scope: Readonly<Record<string, unknown>>): string | undefined {
  try {
    const value = evaluateExpression(parseExpression(source), scope);
    const isShown = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isShown ? String(value) : undefined;
  } catch (error) {
    if (error instanceof ExpressionError) {
      return undefined;
    }
    throw error;
  }
}

const unescapeMarkdown = (text: string): string => text.replace(/\\([!-/:-@[-`{-~])/g, '$1');

/** Escapes Markdown markup. An underscore within a word is not markup. */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*[\]<~|]|\{%|\$\$|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(/&(?=[#\p{L}])/gu, '&amp;')
    .replace(/[\r\n]+/g, ' ');
}

/** Escapes what would start a block at the start of a line. */
function escapeBlockMarker(text: string): string {
  return text.replace(/^[#>+=-]/, '\\$&').replace(/^(\d{1,9})([.)])/, '$1\\$2');
}
