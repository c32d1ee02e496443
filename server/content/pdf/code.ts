/** Prints code blocks. */
import type { AnyBlock, Block } from '../markdown/document.ts';
import { BODY, INK } from './flow.ts';
import { type PageContext, span } from './inlines.ts';
import type { Span, TextStyle } from './lines.ts';

export const CODE: TextStyle = { ...BODY, mono: true, size: 8.5 };
const HIGHLIGHTED_CODE: TextStyle = { ...CODE, bold: true, background: '#fff3b0' };
/** Style of titles and captions. */
export const SMALL: TextStyle = { ...BODY, size: 8.5, color: INK.muted };

/** Prints a code block. */
export async function printCode(
  context: PageContext,
  block: Extract<Block, { type: 'code' }>,
): Promise<void> {
  const { flow } = context;
  if (block.data.title !== undefined) {
    flow.text([span(block.data.title, SMALL)]);
  }
  await flow.within(8, { shade: INK.shade }, async () => {
    flow.right -= 8;
    for (const line of block.nodes) {
      printCodeLine(context, line);
    }
  });
}

function printCodeLine({ flow }: PageContext, line: Extract<AnyBlock, { type: 'code-line' }>): void {
  const spans = codeSpans(line);
  flow.text(line.data.highlighted ? spans.map((item) => ({ ...item, style: HIGHLIGHTED_CODE })) : spans);
}

/** Returns the text of a line of code. */
export function codeSpans(line: Extract<AnyBlock, { type: 'code-line' }>): Span[] {
  const text = line.nodes.map(({ leaves }) => leaves.map((leaf) => leaf.text).join('')).join('');
  return [span(text, CODE)];
}
