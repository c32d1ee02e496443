/** Prints the cells of tables and cards. */
import { firstRef, optionIds, plainText } from '../../html/tables/cells.ts';
import type { Block, TableColumn } from '../../markdown/document.ts';
import { blockSpans, itemMark, nameSpan, type PageContext, span } from '../inlines.ts';
import type { Span, TextStyle } from '../lines.ts';

/** Returns the text of a cell: of an option its label, and of a reference the title of its target. */
export async function cellSpans(
  context: PageContext,
  { type, options }: TableColumn,
  blocks: readonly Block[],
  style: TextStyle,
): Promise<Span[]> {
  const selected = options ? optionIds(blocks) : [];
  if (selected.length > 0) {
    const labels = selected.map(
      ({ id, label }) => options?.find((option) => option.id === id)?.label || label || id,
    );
    return [span(labels.join(' · '), style)];
  }
  const value = type === 'checkbox' ? plainText(blocks) : undefined;
  if (value === 'true' || value === 'false') {
    return [span(itemMark(value === 'true') ?? value, style)];
  }
  const ref = type === 'content-ref' ? firstRef(blocks) : undefined;
  if (ref && context.body.reach(ref).page !== undefined) {
    return [nameSpan(context, ref, style)];
  }
  return await blockSpans(context, blocks, style);
}
