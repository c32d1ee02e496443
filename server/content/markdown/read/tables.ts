/** Reads tables of HTML and Markdown. IDs of columns and rows are derived from their positions. */
import { alignment } from '../alignments.ts';
import { unknownAttributes } from '../attributes.ts';
import type { Block, InlineNode, Table, TableColumn } from '../document.ts';
import { defined, voidBlock } from '../document.ts';
import { anchorsOf, withAnchors } from './html/element-ids.ts';
import { type Element, type Piece, textOfPieces } from './pieces.ts';

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

/** Maximum number of columns of an HTML table. */
const MAX_COLUMNS = 1000;

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
  blocks(pieces: Piece[]): Block[];
}

/** Reads an HTML table; returns undefined if it has no cells, or too many columns. */
export function readHtmlTable(table: Element, reader: CellReader): Table | undefined {
  const { head, body } = rowsOf(table);
  const [titleRow, ...otherTitleRows] = head.length > 0 || !isTitleRow(body[0]) ? head : body.splice(0, 1);
  const titles = titleRow && spread(titleRow);
  const bodyRows = [...otherTitleRows, ...body];
  const rows = spreadRows(bodyRows);
  const width = Math.max(titles?.length ?? 0, ...rows.map((row) => row.length));
  if (width === 0 || width > MAX_COLUMNS) {
    return undefined;
  }
  const columns: Omit<TableColumn, 'id'>[] = [];
  for (let index = 0; index < width; index++) {
    const rowId = index === 0 ? titleRow?.attributes.get('id') : undefined;
    columns.push(columnOf(titles?.[index], rows[0]?.[index], { reader, rowId }));
  }
  const cells: Row[] = rows.map((row, at) => {
    // The ID of a row is that of its first cell, which documents represent.
    const ids = row.map((cell) => [cell?.attributes.get('id')]);
    ids[0]?.unshift(bodyRows[at]?.attributes.get('id'));
    return row.map((cell, index) => {
      const pieces = cell?.children ?? [];
      return withAnchors(
        ids[index] ?? [],
        reader.blocks(hasLinks(columns[index]) ? linkedPieces(pieces) : pieces),
      );
    });
  });
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

/** Whether the cells of a column are the targets of cards, or references. */
const hasLinks = (column: Omit<TableColumn, 'id'> | undefined): boolean =>
  column?.card === 'target' || column?.type === 'content-ref';

const WEB_URL = /^https?:\/\/[^\s<>]{1,2048}$/i;

/** Returns a link instead of a URL without other content. HTML has no autolinks. */
function linkedPieces(pieces: Piece[]): Piece[] {
  const [piece, ...others] = pieces;
  const url = piece?.kind === 'text' && others.length === 0 ? piece.value.trim() : '';
  if (!WEB_URL.test(url)) {
    return pieces;
  }
  const attributes = new Map([['href', url]]);
  return [{ kind: 'element', name: 'a', attributes, children: pieces, open: '', close: '' }];
}

/** Returns the rows of the head and of the rest of a table. */
function rowsOf(table: Element): { head: Element[]; body: Element[] } {
  const head: Element[] = [];
  const body: Element[] = [];
  for (const part of table.children) {
    if (part.kind !== 'element') {
      continue;
    }
    if (part.name === 'tr') {
      body.push(part);
    } else if (part.name === 'thead' || part.name === 'tbody' || part.name === 'tfoot') {
      const rows = part.name === 'thead' ? head : body;
      for (const row of part.children) {
        if (row.kind === 'element' && row.name === 'tr') {
          rows.push(row);
        }
      }
    }
  }
  return { head, body };
}

const isCell = (piece: Piece): piece is Element =>
  piece.kind === 'element' && (piece.name === 'th' || piece.name === 'td');

/** Returns whether a row without a head around it consists of titles. */
const isTitleRow = (row: Element | undefined): boolean => {
  const cells = row?.children.filter(isCell) ?? [];
  return cells.length > 0 && cells.every(({ name }) => name === 'th');
};

/** The number of columns or rows that a cell spans. Documents have no such cells: the others are empty. */
const spanOf = (cell: Element, name: 'colspan' | 'rowspan'): number =>
  Math.min(Math.max(Number.parseInt(cell.attributes.get(name) ?? '1', 10) || 1, 1), MAX_COLUMNS);

/** Returns the cells of a row by column. */
function spread(row: Element): (Element | undefined)[] {
  const cells: (Element | undefined)[] = [];
  for (const cell of row.children.filter(isCell)) {
    cells.push(cell, ...Array<undefined>(spanOf(cell, 'colspan') - 1).fill(undefined));
  }
  return cells.slice(0, MAX_COLUMNS + 1);
}

/** Returns the cells of rows by column. The columns of a cell that spans rows are empty in the following rows. */
function spreadRows(rows: readonly Element[]): (Element | undefined)[][] {
  const remaining: number[] = [];
  return rows.map((row) => {
    const cells: (Element | undefined)[] = [];
    const skip = () => {
      while ((remaining[cells.length] ?? 0) > 0) {
        remaining[cells.length] = (remaining[cells.length] ?? 0) - 1;
        cells.push(undefined);
      }
    };
    for (const cell of row.children.filter(isCell)) {
      skip();
      const rowspan = spanOf(cell, 'rowspan');
      const first = cells.length;
      for (let column = first; column < first + spanOf(cell, 'colspan') && column <= MAX_COLUMNS; column++) {
        remaining[column] = rowspan - 1;
        cells.push(column === first ? cell : undefined);
      }
    }
    skip();
    return cells;
  });
}

/** Attributes for the role of a column on cards. A column has at most one role. */
const CARD_ROLES = new Map([
  ['data-card-target', 'target'],
  ['data-card-cover', 'cover'],
  ['data-card-cover-dark', 'cover-dark'],
] as const);

function columnOf(
  title: Element | undefined,
  firstCell: Element | undefined,
  { reader, rowId }: { reader: CellReader; rowId: string | undefined },
): Omit<TableColumn, 'id'> {
  const attributes = title?.attributes ?? new Map<string, string>();
  const card = [...CARD_ROLES.keys()].find((name) => attributes.has(name));
  const knownNames = ['id', 'width', 'data-type', 'data-hidden', 'align', ...(card ? [card] : [])];
  const isSelect = (piece: Piece): piece is Element => piece.kind === 'element' && piece.name === 'select';
  const options = title?.children.filter(isSelect).flatMap(optionsOf);
  return defined({
    title: [
      ...anchorsOf([rowId, attributes.get('id')]),
      ...(title ? reader.line(title.children.filter((piece) => !isSelect(piece))) : []),
    ],
    type: attributes.get('data-type') || (options?.length ? 'select' : 'text'),
    options: options?.length ? options : undefined,
    align: alignment(attributes.get('align') ?? firstCell?.attributes.get('align')),
    width: attributes.get('width'),
    hidden: attributes.has('data-hidden') || undefined,
    card: card && CARD_ROLES.get(card),
    attributes: unknownAttributes(attributes, knownNames),
  });
}

function optionsOf({ children }: Element): NonNullable<TableColumn['options']> {
  return children.flatMap((option) => {
    if (option.kind !== 'element' || option.name !== 'option') {
      return [];
    }
    const { attributes } = option;
    const label = attributes.get('label') ?? textOfPieces(option.children).trim();
    return [defined({ id: attributes.get('value') ?? label, label, color: attributes.get('color') })];
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
