/** Renders code blocks. */
import { type Code, type CodeLine, hasMarkedLines, inlineText } from '../../markdown/document.ts';
import { type RenderContext, withWidth } from '../context.ts';
import { renderAnnotation } from '../inlines.ts';
import { EMPTY, element, type Html, join, text } from '../markup.ts';
import { highlight, type Token, tokensOfLines } from './highlight.ts';

/** Renders a code block. Its lines are elements only if they are numbered or highlighted. */
export function renderCode(context: RenderContext, code: Code): Html {
  const { page } = context;
  const { data, nodes } = code;
  page.features.code = true;
  const lines = nodes.map((line) => inlineText(line.nodes));
  const source = lines.join('\n');
  const tokens = highlight(page, source, data.syntax) ?? [{ text: source, className: undefined }];
  const isPlain = data.lineNumbers !== true && !hasMarkedLines(code);
  const content = isPlain ? join(tokens.map(renderToken)) : renderLines(context, code, tokens);
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

/** Renders the lines of a code block. */
function renderLines(context: RenderContext, { data, nodes }: Code, tokens: readonly Token[]): Html {
  const isElement = data.lineNumbers === true || nodes.some((line) => line.data.highlighted);
  const lines = tokensOfLines(tokens);
  return join(
    nodes.map((line, at) => {
      const end = at < nodes.length - 1 ? text('\n') : EMPTY;
      const content = renderLine(context, line, lines[at] ?? []);
      const name = line.data.highlighted ? 'line line-highlighted' : 'line';
      return isElement ? element('span', { class: name }, content, end) : join([content, end]);
    }),
  );
}

/** Renders a line. Notes can begin and end within tokens. */
function renderLine(context: RenderContext, { nodes }: CodeLine, tokens: readonly Token[]): Html {
  const remaining = new TokenReader(tokens);
  return join(
    nodes.map((node) => {
      const content = join(remaining.take(inlineText([node]).length).map(renderToken));
      return node.object === 'text' ? content : renderAnnotation(context, node, () => content);
    }),
  );
}

/** Takes texts from the start of tokens. */
class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;
  /** Number of UTF-16 units of the current token that were taken. */
  #taken = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Returns the next tokens, and parts of tokens, with a number of UTF-16 units. */
  take(length: number): Token[] {
    const taken: Token[] = [];
    for (let missing = length; missing > 0; ) {
      const token = this.#tokens[this.#at];
      if (!token) {
        break;
      }
      const text = token.text.slice(this.#taken, this.#taken + missing);
      taken.push({ ...token, text });
      missing -= text.length;
      this.#taken += text.length;
      if (this.#taken === token.text.length) {
        this.#at += 1;
        this.#taken = 0;
      }
    }
    return taken;
  }
}
