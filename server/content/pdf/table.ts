/** Prints tables: column widths depend on the texts, rows stay on one page if possible, and heads repeat. */
import type { Direction } from '../html/options.ts';
import type { Block, Table } from '../markdown/document.ts';
import { nameCellStyle } from './api.ts';
import { alignedSpans, directionOfBlock } from './document/direction.ts';
import { BODY, BOTTOM_POINTS, type Flow, INK, MARGIN } from './flow.ts';
import { type PageContext, spansOf } from './inlines.ts';
import { breakLines, type Line, type Span, type TextStyle } from './lines.ts';
import { printCards } from './tables/cards.ts';
import { cellSpans } from './tables/cells.ts';

const CELL: TextStyle = { ...BODY, size: 9 };
const HEAD: TextStyle = { ...CELL, bold: true };
/** Padding of a cell, in points. */
const CELL_PADDING_POINTS = { x: 5, y: 3.5 };
/** Minimum width of a column, unless there are too many columns. */
const MIN_COLUMN_POINTS = 36;
/** Height of a page for content. */
const PAGE_POINTS = BOTTOM_POINTS - MARGIN.top;
/** Maximum height of a head that is repeated on each page. */
const MAX_REPEATED_HEAD_POINTS = PAGE_POINTS / 4;
/** Maximum height of a first row that stays on the page of the head. */
const MAX_UNSPLIT_ROW_POINTS = PAGE_POINTS / 4;
/** Minimum height of a part of a row that is split. */
const MIN_PART_POINTS = 60;

/** Attribute of the head of a column (ISO 32000-1, 14.8.5.7). */
const COLUMN_HEAD = '/A<</O/Table/Scope/Column>>';

type Align = 'start' | 'center' | 'end' | undefined;

interface Cell {
  spans: Span[];
  direction: Direction;
  align: Align;
}

/** A row in lines. */
interface Row {
  cells: Array<{ lines: Line[]; align: Align }>;
  /** In points. */
  height: number;
}

/** Prints a table, or its cards. */
export async function printTable(context: PageContext, { data }: Table): Promise<void> {
  const { flow } = context;
  const records = Object.values(data.records).sort((a, b) => (a.orderIndex < b.orderIndex ? -1 : 1));
  const columns = data.view.columns.flatMap((id) => data.definition[id] ?? []);
  if (data.view.type === 'cards') {
    return await printCards(context, columns, records);
  }
  const shown = columns.filter(({ hidden }) => hidden !== true);
  const head: Cell[] = [];
  if (data.view.hideHeader !== true) {
    for (const { title, align } of shown) {
      head.push({ spans: await spansOf(context, title, HEAD), align, direction: flow.direction });
    }
  }
  const hasHead = head.some(({ spans }) => spans.length > 0);
  const rows: Cell[][] = [];
  for (const { values } of records) {
    const row: Cell[] = [];
    for (const [at, column] of shown.entries()) {
      const { id, align } = column;
      const blocks = values[id] ?? [];
      const style = at === 0 ? nameCellStyle(blocks, CELL) : CELL;
      const direction = directionOfCell(blocks, flow.direction);
      const spans = alignedSpans(await cellSpans(context, column, blocks, style), direction);
      row.push({ spans, align, direction });
    }
    rows.push(row);
  }
  const widths = columnWidths(context, hasHead ? [head, ...rows] : rows, shown.length);
  const layout = (row: readonly Cell[]) => layoutRow(context, row, widths);
  const close = flow.open('Table');
  printRows(flow, hasHead ? layout(head) : undefined, rows.map(layout), widths);
  close();
}

/** Returns the direction of a cell: from left to right that of its only block, otherwise that of the table. */
function directionOfCell([only, ...others]: readonly Block[], table: Direction): Direction {
  return only && others.length === 0 && table === 'ltr' ? directionOfBlock(only, table) : table;
}

/** Returns the widths of columns: their natural widths if there is enough space; otherwise wide columns shrink. */
function columnWidths({ flow }: PageContext, rows: readonly Cell[][], count: number): number[] {
  const room = flow.width;
  const columns = Array.from({ length: count }, () => ({ min: 0, max: 0 }));
  for (const row of rows) {
    for (const [at, { spans }] of row.entries()) {
      const column = columns[at];
      if (!column) {
        continue;
      }
      for (const line of flow.lines(spans, 10_000)) {
        column.max = Math.max(column.max, line.width + 2 * CELL_PADDING_POINTS.x + 1);
        column.min = Math.max(column.min, longestWord(line) + 2 * CELL_PADDING_POINTS.x + 1);
      }
    }
  }
  const max = columns.reduce((sum, column) => sum + column.max, 0);
  if (max <= room) {
    return columns.map((column) => column.max + (room - max) / count);
  }
  const widths = columns.map(() => 0);
  const order = [...columns.entries()].sort(([, a], [, b]) => a.max - b.max);
  let left = room;
  for (const [index, [at, { min, max }]] of order.entries()) {
    const share = left / (count - index);
    // Words are not broken if the other columns have space to spare.
    const width = Math.min(
      max,
      Math.max(share, Math.min(min, left - MIN_COLUMN_POINTS * (count - index - 1))),
    );
    widths[at] = Math.max(width, Math.min(share, MIN_COLUMN_POINTS));
    left -= widths[at] ?? 0;
  }
  return widths;
}

/** Returns the approximate width of the longest word in a line. */
function longestWord({ pieces }: Line): number {
  let longest = 0;
  for (const { text, width, box } of pieces) {
    const share = Math.max(...text.split(/\s+/).map((word) => word.length)) / Math.max(1, text.length);
    longest = Math.max(longest, box ? width : width * Math.min(1, share * 1.15));
  }
  return longest;
}

/** Breaks the texts of a row into lines. */
function layoutRow({ flow }: PageContext, row: readonly Cell[], widths: readonly number[]): Row {
  const cells = row.map(({ spans, align, direction }, at) => ({
    lines: breakLines(spans, (widths[at] ?? 0) - 2 * CELL_PADDING_POINTS.x, flow.fonts, direction),
    align,
  }));
  return { cells, height: Math.max(...cells.map(({ lines }) => heightOf(lines)), 0) };
}

const heightOf = (lines: readonly Line[]): number =>
  lines.reduce((sum, { height }) => sum + height, 2 * CELL_PADDING_POINTS.y);

/** Prints rows. Pages that the table continues on start with its head, unless that is tall. */
function printRows(flow: Flow, head: Row | undefined, rows: readonly Row[], widths: readonly number[]): void {
  const repeated = head && head.height <= MAX_REPEATED_HEAD_POINTS ? head : undefined;
  const startPage = (above: Row | undefined) => {
    flow.newPage();
    if (above) {
      printRow(flow, above, widths, {
        isHead: true,
        isRepeated: true,
        startPage: () => startPage(undefined),
      });
    }
  };
  if (head) {
    // Requires space for the first row, too, so that no head is alone at the bottom of a page.
    const below = Math.min(rows[0]?.height ?? 0, MAX_UNSPLIT_ROW_POINTS);
    flow.ensure(Math.min(head.height + below, PAGE_POINTS));
    printRow(flow, head, widths, { isHead: true, startPage: () => startPage(undefined) });
  }
  for (const row of rows) {
    const isWhole = row.height <= PAGE_POINTS - (repeated?.height ?? 0);
    if (isWhole && !flow.fits(row.height)) {
      startPage(repeated);
    }
    printRow(flow, row, widths, { isHead: false, startPage: () => startPage(repeated) });
  }
}

/** Prints a row. If it is taller than the rest of the page, it is split. */
function printRow(
  flow: Flow,
  { cells }: Row,
  widths: readonly number[],
  { isHead, isRepeated = false, startPage }: { isHead: boolean; isRepeated?: boolean; startPage: () => void },
): void {
  const rest = cells.map(({ lines }) => [...lines]);
  do {
    const room = Math.max(BOTTOM_POINTS - flow.y, MIN_PART_POINTS);
    const parts = rest.map((lines) => removeLines(lines, room));
    const isEmpty = parts.every((part) => part.length === 0) && rest.some((lines) => lines.length > 0);
    if (isEmpty) {
      // The line is taller than the rest of the page.
      startPage();
      for (const [at, lines] of rest.entries()) {
        parts[at] = lines.splice(0, 1);
      }
    }
    const height = Math.max(...parts.map(heightOf), 2 * CELL_PADDING_POINTS.y);
    if (!isEmpty && !flow.fits(height)) {
      startPage();
    }
    const draw = (left: number, top: number) => {
      flow.artifact(() => {
        if (isHead) {
          flow.doc.rect(left, top, flow.width, height).fill(INK.shade);
        }
        flow.doc.rect(left, top + height - 0.5, flow.width, 0.5).fill(INK.rule);
      });
      const closeRow = flow.open('TR');
      const isRtl = flow.direction === 'rtl';
      let x = isRtl ? flow.right : left;
      for (const [at, part] of parts.entries()) {
        const width = widths[at] ?? 0;
        x -= isRtl ? width : 0;
        const closeCell = isHead ? flow.open('TH', COLUMN_HEAD) : flow.open('TD');
        let y = top + CELL_PADDING_POINTS.y;
        for (const line of part) {
          const align = cells[at]?.align;
          flow.lineAt(line, x + CELL_PADDING_POINTS.x, y, width - 2 * CELL_PADDING_POINTS.x, align);
          y += line.height;
        }
        x += isRtl ? 0 : width;
        closeCell();
      }
      closeRow();
    };
    flow.place(height, (left, top) => (isRepeated ? flow.artifact(() => draw(left, top)) : draw(left, top)));
  } while (rest.some((lines) => lines.length > 0));
}

/** Removes and returns the first lines that fit into a height. */
function removeLines(lines: Line[], room: number): Line[] {
  let [count, height] = [0, 2 * CELL_PADDING_POINTS.y];
  for (const line of lines) {
    if (height + line.height > room) {
      break;
    }
    height += line.height;
    count += 1;
  }
  return lines.splice(0, count);
}
