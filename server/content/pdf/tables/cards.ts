/** Prints the cards of a table: two in a row, each with its cover, its title, which links to its target, and texts. */
import { cardOf } from '../../html/tables/cells.ts';
import type { Table, TableColumn } from '../../markdown/document.ts';
import { BLOCK_GAP_POINTS, BODY, BOTTOM_POINTS, INK, MARGIN } from '../flow.ts';
import { fitImage } from '../images.ts';
import { linkSpans, nameSpan, type OpenedImage, type PageContext } from '../inlines.ts';
import type { Line, Link, TextStyle } from '../lines.ts';
import { cellSpans } from './cells.ts';

/** Number of cards in a row. */
const CARDS_PER_ROW = 2;
const GAP_POINTS = 12;
const PADDING_POINTS = 9;
/** Maximum height of a cover. */
const MAX_COVER_POINTS = 130;
/** Maximum height of a card. The texts of a taller one are printed across pages, without a frame around them. */
const MAX_CARD_POINTS = (BOTTOM_POINTS - MARGIN.top) * 0.6;
const TITLE: TextStyle = { ...BODY, bold: true };
const TEXT: TextStyle = { ...BODY, size: 9 };

/** A card in lines. */
interface PrintedCard {
  cover: { image: OpenedImage; width: number; height: number } | undefined;
  lines: Line[];
  link: Link | undefined;
  /** In points. */
  height: number;
}

/** Prints the rows of a table as cards. */
export async function printCards(
  context: PageContext,
  columns: readonly TableColumn[],
  rows: ReadonlyArray<Table['data']['records'][string]>,
): Promise<void> {
  const { flow } = context;
  const width = (flow.width - GAP_POINTS * (CARDS_PER_ROW - 1)) / CARDS_PER_ROW;
  for (let at = 0; at < rows.length; at += CARDS_PER_ROW) {
    await context.pause();
    const cards: PrintedCard[] = [];
    for (const row of rows.slice(at, at + CARDS_PER_ROW)) {
      cards.push(await layoutCard(context, columns, row, width));
    }
    flow.space(at === 0 ? BLOCK_GAP_POINTS : GAP_POINTS);
    const height = Math.max(...cards.map((card) => card.height));
    if (height <= MAX_CARD_POINTS) {
      printRow(context, cards, width, height);
    } else {
      await printTallCards(context, cards);
    }
  }
}

async function layoutCard(
  context: PageContext,
  columns: readonly TableColumn[],
  row: Table['data']['records'][string],
  width: number,
): Promise<PrintedCard> {
  const { target, cover, shown } = cardOf(columns, row);
  const link = target && context.targets.linkTo(context.body.reach(target));
  const image = cover && (await context.openImage(cover));
  const bounds = { width, height: MAX_COVER_POINTS };
  const size = image && fitImage(image, bounds, width);
  const inner = width - 2 * PADDING_POINTS;
  const lines: Line[] = [];
  for (const [at, column] of shown.entries()) {
    const spans = await cellSpans(context, column, row.values[column.id] ?? [], at === 0 ? TITLE : TEXT);
    if (spans.length > 0) {
      lines.push(...context.flow.lines(at === 0 ? linkSpans(spans, link) : spans, inner));
    }
  }
  if (shown.length === 0 && target) {
    lines.push(...context.flow.lines([nameSpan(context, target, TITLE)], inner));
  }
  const text = lines.reduce((sum, line) => sum + line.height, 0);
  return {
    cover: image && size && { image, ...size },
    lines,
    link,
    height: (size ? size.height : 0) + text + 2 * PADDING_POINTS,
  };
}

function printRow({ flow }: PageContext, cards: readonly PrintedCard[], width: number, height: number): void {
  flow.place(height, (_, top) => {
    for (const [at, { cover, lines, link }] of cards.entries()) {
      const before = at * (width + GAP_POINTS);
      const left = flow.direction === 'rtl' ? flow.right - before - width : flow.left + before;
      const close = flow.open('Div');
      flow.artifact(() =>
        flow.doc
          .roundedRect(left + 0.25, top + 0.25, width - 0.5, height - 0.5, 4)
          .lineWidth(0.5)
          .stroke(INK.rule),
      );
      let y = top;
      if (cover) {
        const x = left + (width - cover.width) / 2;
        const size = { width: cover.width, height: cover.height };
        // pdfkit gets back the image that it opened; its types only declare the bytes of images.
        flow.artifact(() => flow.doc.image(cover.image.source as Buffer, x, y, size));
        flow.linkArea(link, { x, y, width: cover.width, height: cover.height });
        y += cover.height;
      }
      y += PADDING_POINTS;
      for (const line of lines) {
        flow.lineAt(line, left + PADDING_POINTS, y, width - 2 * PADDING_POINTS);
        y += line.height;
      }
      close();
    }
  });
}

async function printTallCards({ flow }: PageContext, cards: readonly PrintedCard[]): Promise<void> {
  for (const { cover, lines } of cards) {
    flow.space();
    await flow.within(12, { bar: INK.rule }, async () => {
      if (cover) {
        flow.place(cover.height, (_, y) => {
          const { image, width, height } = cover;
          // As above.
          flow.artifact(() =>
            flow.doc.image(image.source as Buffer, flow.startOf(width), y, { width, height }),
          );
        });
      }
      for (const line of lines) {
        flow.line(line);
      }
    });
  }
}
