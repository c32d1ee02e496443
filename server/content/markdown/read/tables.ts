/** Reads tables of HTML and Markdown. IDs of columns and rows are derived from their positions. */
import { alignment } from '../alignments.ts';
import { unknownAttributes } from '../attributes.ts';
import type { Block, InlineNode, Table, TableColumn } from '../document.ts';
import { defined, voidBlock } from '../document.ts';
import type { Element, Piece } from './pieces.ts';

/** The blocks of a row by column. */
export type Row = Block[][];

/** Properties of a table besides its columns and rows. */
export interface TableShape {
  type: 'grid' | 'cards';
  cardSize?: 'medium' | 'large' | undefined;
  hideHeader?: boolean | undefined;
  fullWidth?: boolean | undefined;
  attributes?: Record<string, string> | undefined;
}

/** Number of digits of row indexes, padded so that they sort as text. */
const ROW_INDEX_DIGITS = 6;

/** The delimiter row of a Markdown table. */
export const TABLE_RULE = /^[ \t>]*[|:-][|: \t-]*$/;

/** Creates a table block, and assigns IDs to the columns. */
export function tableBlock(shape: TableShape, columns: Omit<TableColumn, 'id'>[], rows: Row[]): Table {
  const ids = columns.map((_, index) => `column-${index + 1}`);
  const definition: Record<string, TableColumn> = {};
  columns.forEach((column, index) => {
    const id = ids[index] ?? '';
    definition[id] = { id, ...column };
  });
  const records: Record<string, { orderIndex: string; values: Record<string, Block[]> }> = {};
  rows.forEach((row, index) => {
    const values: Record<string, Block[]> = {};
    row.forEach((blocks, column) => {
      const id = ids[column];
      if (id !== undefined && blocks.length > 0) {
        values[id] = blocks;
      }
    });
    records[`record-${index + 1}`] = {
      orderIndex: String(index + 1).padStart(ROW_INDEX_DIGITS, '0'),
      values,
    };
  });
  const { type, cardSize, hideHeader, fullWidth, attributes } = shape;
  const view = defined({ type, columns: ids, cardSize, hideHeader });
  return voidBlock('table', defined({ view, definition, records, fullWidth, attributes }));
}

/** Returns the approximate size of a table's cells when written, including empty ones, which the document omits. */
export function bytesOfCells({ data }: Table): number {
  return data.view.columns.length * Object.keys(data.records).length * 4;
}

/** Reads the content of cells. */
export interface CellReader {
  line(pieces: Piece[]): InlineNode[];
  blocks(pieces: Piece[]): Block[] | undefined;
}

/** Reads an HTML table; returns undefined if it contains anything that a table block does not support. */
export function readHtmlTable(table: Element, reader: CellReader): Table | undefined {
  const parts = elementsOf(table.children, ['thead', 'tbody', 'tr']);
  if (!parts) {
    return undefined;
  }
  const head = parts
    .filter((part) => part.name === 'thead')
    .flatMap((part) => elementsOf(part.children, ['tr']));
  const body: (Element | undefined)[] = [];
  for (const part of parts) {
    if (part.name === 'tr') {
      body.push(part);
    }
    if (part.name === 'tbody') {
      for (const row of elementsOf(part.children, ['tr']) ?? [undefined]) {
        body.push(row);
      }
    }
  }
  if (head.length > 1 || head.includes(undefined) || body.includes(undefined)) {
    return undefined;
  }
  const titles = head[0] && elementsOf(head[0].children, ['th', 'td']);
  const rows = body.map((row) => row && elementsOf(row.children, ['th', 'td']));
  const width = titles?.length ?? rows.reduce((max, row) => Math.max(max, row?.length ?? 0), 0);
  const columns: Omit<TableColumn, 'id'>[] = [];
  for (let index = 0; index < width; index++) {
    columns.push(columnOf(titles?.[index], rows[0]?.[index], reader));
  }
  const cells: Row[] = [];
  for (const row of rows) {
    if (!row || row.length > width) {
      return undefined;
    }
    const blocks = row.map((cell) => (spans(cell) ? undefined : reader.blocks(cell.children)));
    if (blocks.some((cell) => cell === undefined)) {
      return undefined;
    }
    cells.push(blocks.filter((cell) => cell !== undefined));
  }
  if (width === 0 || (head[0] && !titles) || titles?.some(spans)) {
    return undefined;
  }
  const { attributes } = table;
  const size = attributes.get('data-card-size');
  const knownNames = ['data-view', 'data-card-size', 'data-header-hidden', 'data-full-width'];
  return tableBlock(
    {
      type: attributes.get('data-view') === 'cards' ? 'cards' : 'grid',
      cardSize: size === 'large' || size === 'medium' ? size : undefined,
      hideHeader: attributes.has('data-header-hidden') || !titles || undefined,
      fullWidth: attributes.get('data-full-width') === 'true' || undefined,
      attributes: unknownAttributes(attributes, knownNames),
    },
    columns,
    cells,
  );
}

const spans = (cell: Element): boolean => cell.attributes.has('colspan') || cell.attributes.has('rowspan');

/** Attributes for the role of a column on cards. A column has at most one role. */
const CARD_ROLES = new Map([
  ['data-card-target', 'target'],
  ['data-card-cover', 'cover'],
  ['data-card-cover-dark', 'cover-dark'],
] as const);

function columnOf(
  title: Element | undefined,
  firstCell: Element | undefined,
  reader: CellReader,
): Omit<TableColumn, 'id'> {
  const attributes = title?.attributes ?? new Map<string, string>();
  const card = [...CARD_ROLES.keys()].find((name) => attributes.has(name));
  const knownNames = ['width', 'data-type', 'data-hidden', 'align', ...(card ? [card] : [])];
  return defined({
    title: title ? reader.line(title.children) : [],
    type: attributes.get('data-type') || 'text',
    align: alignment(attributes.get('align') ?? firstCell?.attributes.get('align')),
    width: attributes.get('width'),
    hidden: attributes.has('data-hidden') || undefined,
    card: card && CARD_ROLES.get(card),
    attributes: unknownAttributes(attributes, knownNames),
  });
}

/** Returns the elements of pieces; undefined if there is other content than whitespace. */
export function elementsOf(pieces: Piece[], names: string[]): Element[] | undefined {
  const elements: Element[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'text' && piece.value.trim() === '') {
      continue;
    }
    if (piece.kind !== 'element' || !names.includes(piece.name)) {
      return undefined;
    }
    elements.push(piece);
  }
  return elements;
}
