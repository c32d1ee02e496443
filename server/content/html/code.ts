/** Renders code blocks. */
import { type Code, textOf } from '../markdown/document.ts';
import type { RenderContext } from './context.ts';
import { highlight, type Token } from './highlight.ts';
import { EMPTY, element, type Html, join, text } from './markup.ts';

/** Renders a code block. Its lines are elements only if they are numbered or highlighted. */
export function renderCode({ page }: RenderContext, { data, nodes }: Code): Html {
  page.features.code = true;
  const lines = nodes.map((line) => textOf(line.nodes));
  const source = lines.join('\n');
  const tokens = highlight(page, source, data.syntax) ?? [{ text: source, className: undefined }];
  const highlighted = nodes.map((line) => line.data.highlighted === true);
  const hasLines = data.lineNumbers === true || highlighted.includes(true);
  const content = hasLines ? renderLines(tokens, highlighted) : join(tokens.map(renderToken));
  const isWrapped = data.overflow === 'wrap';
  const classes = [
    'code',
    ...(data.lineNumbers ? ['code-numbered'] : []),
    ...(isWrapped ? ['code-wrap'] : []),
  ];
  const label = data.title ?? [page.labels.code, languageOf(data.syntax)].filter(Boolean).join(': ');
  page.characters += content.length;
  return element(
    'figure',
    { class: withWidth(classes.join(' '), data.fullWidth), dir: 'ltr' },
    codeHeader(page.labels.copy, data.title, languageOf(data.syntax)),
    element(
      'pre',
      { role: 'group', 'aria-label': label, tabindex: isWrapped ? undefined : 0 },
      element('code', { translate: 'no' }, content),
    ),
  );
}

/** Returns the classes of a block that may use the full width of the page. */
export const withWidth = (classes: string, fullWidth: boolean | undefined): string =>
  fullWidth ? `${classes} full-width` : classes;

/** Returns the title of a code, its language, and the button to copy it, which a script shows. */
function codeHeader(copy: string, title: string | undefined, language: string): Html {
  return element(
    'figcaption',
    { class: title === undefined ? 'code-header' : 'code-header code-titled' },
    title === undefined ? EMPTY : element('span', { class: 'code-title', dir: 'auto' }, text(title)),
    language === '' ? EMPTY : element('span', { class: 'code-language' }, text(language)),
    element('button', { type: 'button', class: 'code-copy', hidden: true }, text(copy)),
  );
}

const languageOf = (syntax: string | undefined): string =>
  /^[\w#+.-]{1,32}$/.exec(syntax?.trim() ?? '')?.[0] ?? '';

function renderToken({ text: value, className }: Token): Html {
  return className === undefined || value.trim() === ''
    ? text(value)
    : element('span', { class: className }, text(value));
}

function renderLines(tokens: readonly Token[], highlighted: readonly boolean[]): Html {
  const lines: Html[][] = [[]];
  for (const token of tokens) {
    for (const [at, part] of token.text.split('\n').entries()) {
      if (at > 0) {
        lines.push([]);
      }
      if (part !== '') {
        lines.at(-1)?.push(renderToken({ ...token, text: part }));
      }
    }
  }
  return join(
    lines.map((line, at) =>
      element(
        'span',
        { class: highlighted[at] ? 'line line-highlighted' : 'line' },
        ...line,
        at < lines.length - 1 ? text('\n') : EMPTY,
      ),
    ),
  );
}
