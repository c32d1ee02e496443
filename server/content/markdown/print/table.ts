/** Selects the tables that Markdown can represent. Others are written as HTML. */
import type { InlineNode, Table } from '../document.ts';
import { tableRows } from './html.ts';

/** Returns the lines of a table that Markdown can represent; undefined for any other. */
export function markdownRows(table: Table): InlineNode[][][] | undefined {
  const { view, definition, fullWidth, attributes } = table.data;
  if (view.type !== 'grid' || view.cardSize || view.hideHeader || fullWidth || attributes) {
    return undefined;
  }
  const lines: InlineNode[][] = [];
  for (const id of view.columns) {
    const column = definition[id];
    if (column?.type !== 'text') {
      return undefined;
    }
    if (column.width !== undefined || column.hidden || column.card || column.options || column.attributes) {
      return undefined;
    }
    lines.push(column.title);
  }
  const rows: InlineNode[][][] = [];
  for (const cells of tableRows(table)) {
    const row: InlineNode[][] = [];
    for (const [only, ...more] of cells) {
      if (more.length > 0 || (only && (only.type !== 'paragraph' || only.data.align))) {
        return undefined;
      }
      row.push(only ? only.nodes : []);
    }
    rows.push(row);
  }
  const isSafe = [...lines, ...rows.flat()].every(isSafeInCell);
  return isSafe ? rows : undefined;
}

/**
 * Returns whether a line contains no unescaped bars or line ends, which would end a cell. Only text and code escape
 * theirs.
 */
function isSafeInCell(nodes: InlineNode[]): boolean {
  return nodes.every((node) => {
    if (node.object === 'text') {
      return node.leaves.every((leaf) => !leaf.raw || !/[|\n]/.test(leaf.text));
    }
    if (node.type === 'link') {
      return isSafeInCell(node.nodes);
    }
    return !/[|]|\\n/.test(JSON.stringify(node.data)) && isSafeInCell(node.nodes);
  });
}
