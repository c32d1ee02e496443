/** Reads tables and code of Markdown. */
import type { Table as MarkdownTable, PhrasingContent } from 'mdast';
import { alignment } from '../alignments.ts';
import { readTag } from '../attributes.ts';
import {
  type Block,
  type CodeLine,
  defined,
  type InlineNode,
  parent,
  plainText,
  type Table,
} from '../document.ts';
import type { TagText } from '../syntax.ts';
import { endedBy, tagReader } from '../tags/tags.ts';
import type { FlowItem } from './flow.ts';
import type { Piece } from './pieces.ts';
import type { BlockRange } from './ranges.ts';
import { tableBlock } from './tables.ts';

/** Maximum nesting depth of quotations and lists; deeper ones are read as text. */
export const MAX_BLOCK_DEPTH = 40;

/** Reads the cells of a table. */
interface GridReader {
  line(children: PhrasingContent[]): InlineNode[];
  cell(children: PhrasingContent[]): Block[];
}

/** Reads a table. Tags that follow it without a blank line are parsed as its rows. */
export function readGrid(
  node: MarkdownTable,
  range: BlockRange | undefined,
  source: string,
  { line, cell }: GridReader,
): { table: { kind: 'block'; block: Table; range: BlockRange | undefined }; tags: FlowItem[] } {
  const rows = [...node.children];
  const tags: FlowItem[] = [];
  for (let last = rows.at(-1); rows.length > 1 && last; last = rows.at(-1)) {
    const tag = soleTag(last.children.map((cell) => cell.children));
    if (!tag) {
      break;
    }
    tags.unshift({ kind: 'tag', tag: readTag(tag.value) });
    rows.pop();
  }
  const [head, ...body] = rows;
  const columns = (head?.children ?? []).map(({ children }, index) =>
    defined({ title: line(children), type: 'text', align: alignment(node.align?.[index]) }),
  );
  const cells = body.map((row) => row.children.map(({ children }) => cell(children)));
  const block = tableBlock({ type: 'grid' }, columns, cells);
  if (tags.length === 0 || !range) {
    return { table: { kind: 'block', block, range }, tags };
  }
  const { table, lines } = lineRanges(range, source, rows.length + 1);
  tags.forEach((tag, index) => {
    tag.range = lines[index];
  });
  return { table: { kind: 'block', block, range: table }, tags };
}

/** Returns the range of the first lines of a range, and those of the lines after them. */
function lineRanges({ start, end }: BlockRange, source: string, count: number) {
  const all: BlockRange[] = [];
  let from = start;
  for (const line of source.slice(start, end).split('\n')) {
    const indent = line.length - line.replace(/^[ \t>]+/, '').length;
    all.push({ start: from + (from === start ? 0 : indent), end: from + line.trimEnd().length });
    from += line.length + 1;
  }
  return { table: { start, end: all[count - 1]?.end ?? end }, lines: all.slice(count) };
}

/** Returns whether a node is a tag that the contract defines as a block. */
export function isBlockTag(node: PhrasingContent): node is TagText {
  if (node.type !== 'tagText') {
    return false;
  }
  const { name } = readTag(node.value);
  return tagReader(name) !== undefined || endedBy(name) !== undefined;
}

function soleTag(cells: PhrasingContent[][]): TagText | undefined {
  const [first, ...more] = cells.flat();
  return first?.type === 'tagText' && more.length === 0 ? first : undefined;
}

/** Replaces line breaks by spaces, because a heading is a single line. */
export function withoutBreaks(pieces: Piece[]): Piece[] {
  return pieces.map((piece) => {
    if (piece.kind === 'break') {
      return { kind: 'text', value: ' ' };
    }
    return piece.kind === 'element' ? { ...piece, children: withoutBreaks(piece.children) } : piece;
  });
}

/** Creates a code block. The info string after the language is stored as the attribute `meta`. */
export function codeBlock(value: string, syntax?: string, meta?: string): Block {
  const lines: CodeLine[] = value
    .split('\n')
    .map((line) => parent('code-line', {}, line === '' ? [] : [plainText(line)]));
  const data = { syntax: syntax || undefined, attributes: meta ? { meta } : undefined };
  return parent('code', defined(data), lines);
}
