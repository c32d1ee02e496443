/** Prints code blocks. */
import { highlight, type Token, tokensOfLines } from '../html/code/highlight.ts';
import { type AnyBlock, type Block, inlineText } from '../markdown/document.ts';
import { BODY, INK } from './flow.ts';
import { blockSpans, type PageContext, span } from './inlines.ts';
import type { Span, TextStyle } from './lines.ts';

export const CODE: TextStyle = { ...BODY, mono: true, size: 8.5 };
const HIGHLIGHTED_LINE: Partial<TextStyle> = { bold: true, background: '#fff3b0' };
/** Style of titles and captions. */
export const SMALL: TextStyle = { ...BODY, size: 8.5, color: INK.muted };

/** Styles of tokens by their classes: those of pages in the light theme. */
export const TOKENS: Readonly<Record<string, Partial<TextStyle>>> = {
  'hl-k': { color: '#8a22a8' },
  'hl-s': { color: '#0b6a3c' },
  'hl-c': { color: '#5b6471', italic: true },
  'hl-n': { color: '#994800' },
  'hl-f': { color: '#1d53b5' },
  'hl-t': { color: '#785000' },
  'hl-a': { color: '#0a6071' },
  'hl-m': { color: '#5b5f97' },
  'hl-i': { color: '#0b6a3c', background: '#e1f1e8' },
  'hl-d': { color: '#b1202a', background: '#fbe9ea' },
};

/** Each style is one object, because texts of the same style are drawn together. */
const STYLES = new Map(
  [undefined, ...Object.keys(TOKENS)].flatMap((className) =>
    [false, true].map((isHighlighted) => {
      const token = className === undefined ? {} : TOKENS[className];
      const style: TextStyle = { ...CODE, ...token, ...(isHighlighted && HIGHLIGHTED_LINE) };
      return [`${isHighlighted} ${className}`, style] as const;
    }),
  ),
);

const styleOf = (className: string | undefined, isHighlighted: boolean): TextStyle =>
  STYLES.get(`${isHighlighted} ${className}`) ?? CODE;

type CodeLine = Extract<AnyBlock, { type: 'code-line' }>;

/** Prints a code block, and below it its notes. */
export async function printCode(
  context: PageContext,
  block: Extract<Block, { type: 'code' }>,
): Promise<void> {
  const { flow } = context;
  if (block.data.title !== undefined) {
    flow.text([span(block.data.title, SMALL)]);
  }
  const lines = linesOf(context, block);
  await flow.within(8, { shade: INK.shade }, async () => {
    flow.right -= 8;
    for (const line of lines) {
      flow.text(line);
    }
  });
  for (const node of block.nodes.flatMap((line) => line.nodes)) {
    if (node.object === 'inline') {
      const annotated = span(inlineText(node.nodes).trim(), { ...SMALL, mono: true });
      flow.text([annotated, span(': ', SMALL), ...(await blockSpans(context, node.data.body, SMALL))]);
    }
  }
}

/** Returns the lines of a code block, highlighted if its language is known. */
function linesOf({ highlighting }: PageContext, { data, nodes }: Extract<Block, { type: 'code' }>): Span[][] {
  const source = nodes.map((line) => inlineText(line.nodes)).join('\n');
  const tokens: readonly Token[] = highlight(highlighting, source, data.syntax) ?? [
    { text: source, className: undefined },
  ];
  return tokensOfLines(tokens).map((line, at) => {
    const isHighlighted = nodes[at]?.data.highlighted === true;
    // An empty line is as high as the others.
    const shown = line.length > 0 ? line : [{ text: '', className: undefined }];
    return shown.map(({ text, className }) => span(text, styleOf(className, isHighlighted)));
  });
}

/** Returns the text of a line of code outside of a code block. */
export const codeSpans = (line: CodeLine): Span[] => [span(inlineText(line.nodes), CODE)];
