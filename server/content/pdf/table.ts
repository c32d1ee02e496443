/** Prints tables: columns as wide as their texts ask for, and rows that stay on one page where they can. */
import type { Table } from '../markdown/document.ts';
import { BODY, BOTTOM, INK, MARGIN } from './flow.ts';
import { blockSpans, type PageContext, spansOf } from './inlines.ts';
import { breakLines, type Line, type Span, type TextStyle } from './lines.ts';

const CELL: TextStyle = { ...BODY, size: 9 };
const HEAD: TextStyle = { ...CELL, bold: true };
/** Space around the text of a cell, in points. */
const PAD = { x: 5, y: 3.5 };
/** A column is no narrower, unless there are too many columns. */
const NARROWEST = 36;

type Align = 'start' | 'center' | 'end' | undefined;

interface Cell {
  spans: Span[];
  align: Align;
}

/** A table, or the cards of one. */
export async function printTable(context: PageContext, { data }: Table): Promise<void> {
  const records = Object.values(data.records).sort((a, b) => (a.orderIndex < b.orderIndex ? -1 : 1));
  const columns = data.view.columns.flatMap((id) => data.definition[id] ?? []);
  if (data.view.type === 'cards') {
    for (const { values } of records) {
      context.flow.space();
      await context.flow.within(12, { bar: INK.rule }, async () => {
        // What a card hides leads where the card does, so it is printed, too.
        for (const { id } of columns) {
          const spans = await blockSpans(context, values[id] ?? [], BODY);
          if (spans.length > 0) context.flow.text(spans);
        }
      });
    }
    return;
  }
  const shown = columns.filter(({ hidden }) => hidden !== true);
  const rows: Cell[][] = [];
  if (data.view.hideHeader !== true) {
    const head: Cell[] = [];
    for (const { title, align } of shown) head.push({ spans: await spansOf(context, title, HEAD), align });
    if (head.some(({ spans }) => spans.length > 0)) rows.push(head);
  }
  const heads = rows.length;
  for (const { values } of records) {
    const row: Cell[] = [];
    for (const { id, align } of shown)
      row.push({ spans: await blockSpans(context, values[id] ?? [], CELL), align });
    rows.push(row);
  }
  const widths = columnWidths(context, rows, shown.length);
  for (const [at, row] of rows.entries()) printRow(context, row, widths, at < heads);
}

/** How wide columns are: as wide as they like where there is room, else the wide ones give way. */
function columnWidths({ flow }: PageContext, rows: readonly Cell[][], count: number): number[] {
  const room = flow.width;
  const wanted = Array.from({ length: count }, () => ({ least: 0, most: 0 }));
  for (const row of rows)
    for (const [at, { spans }] of row.entries()) {
      const column = wanted[at];
      if (!column) continue;
      for (const line of breakLines(spans, 10_000, flow.fonts)) {
        column.most = Math.max(column.most, line.width + 2 * PAD.x + 1);
        column.least = Math.max(column.least, longestWord(line) + 2 * PAD.x + 1);
      }
    }
  const most = wanted.reduce((sum, column) => sum + column.most, 0);
  if (most <= room) return wanted.map((column) => column.most + (room - most) / count);
  const widths = wanted.map(() => 0);
  const order = [...wanted.entries()].sort(([, a], [, b]) => a.most - b.most);
  let left = room;
  for (const [place, [at, { least, most }]] of order.entries()) {
    const share = left / (count - place);
    // Words stay whole where the other columns can spare it.
    const width = Math.min(most, Math.max(share, Math.min(least, left - NARROWEST * (count - place - 1))));
    widths[at] = Math.max(width, Math.min(share, NARROWEST));
    left -= widths[at] ?? 0;
  }
  return widths;
}

/** The width of the longest word in a line, about. */
function longestWord({ pieces }: Line): number {
  let longest = 0;
  for (const { text, width, image } of pieces) {
    const share = Math.max(...text.split(/\s+/).map((word) => word.length)) / Math.max(1, text.length);
    longest = Math.max(longest, image ? width : width * Math.min(1, share * 1.15));
  }
  return longest;
}

/** A row that has no place on a page goes to the next one; one that no page has room for goes on there. */
function printRow(
  context: PageContext,
  row: readonly Cell[],
  widths: readonly number[],
  isHead: boolean,
): void {
  const { flow } = context;
  const rest = row.map(({ spans }, at) => breakLines(spans, (widths[at] ?? 0) - 2 * PAD.x, flow.fonts));
  const heightOf = (lines: readonly Line[]) => lines.reduce((sum, { height }) => sum + height, 2 * PAD.y);
  const whole = Math.max(...rest.map(heightOf), 0);
  if (whole <= BOTTOM - MARGIN.top) flow.ensure(isHead ? Math.min(whole + 40, BOTTOM - MARGIN.top) : whole);
  do {
    const room = Math.max(BOTTOM - flow.y, 60);
    const parts = rest.map((lines) => takeLines(lines, room));
    if (parts.every((part) => part.length === 0) && rest.some((lines) => lines.length > 0)) {
      // A line that is taller than what is left of the page.
      flow.newPage();
      for (const [at, lines] of rest.entries()) parts[at] = lines.splice(0, 1);
    }
    const height = Math.max(...parts.map(heightOf), 2 * PAD.y);
    flow.place(height, (left, top) => {
      if (isHead) flow.doc.rect(left, top, flow.width, height).fill(INK.shade);
      flow.doc.rect(left, top + height - 0.5, flow.width, 0.5).fill(INK.rule);
      let x = left;
      for (const [at, part] of parts.entries()) {
        const width = widths[at] ?? 0;
        let y = top + PAD.y;
        for (const line of part) {
          flow.lineAt(line, x + PAD.x, y, width - 2 * PAD.x, row[at]?.align);
          y += line.height;
        }
        x += width;
      }
    });
  } while (rest.some((lines) => lines.length > 0));
}

/** Takes the lines that fit into a height off the front. */
function takeLines(lines: Line[], room: number): Line[] {
  let [count, height] = [0, 2 * PAD.y];
  for (const line of lines) {
    if (height + line.height > room) break;
    height += line.height;
    count += 1;
  }
  return lines.splice(0, count);
}
