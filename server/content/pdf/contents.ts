/** The table of contents: the first page in the document of each page of the content. */
import type { PrintedTargets } from './document/entries.ts';
import { drawLogo, LOGO_GAP_POINTS } from './document/logo.ts';
import { BODY, BOTTOM_POINTS, type Flow, MARGIN } from './flow.ts';
import type { PdfImage } from './images.ts';
import type { Line } from './lines.ts';
import type { PrintedEntry } from './page.ts';

const INDENT_POINTS = 14;
/** Maximum number of levels that are indented. */
const MAX_INDENTED_LEVELS = 8;
/** Width of the page number at the end of a line. */
const PAGE_NUMBER_POINTS = 34;

/** A line of the table of contents and its position. */
interface PositionedLine {
  line: Line;
  y: number;
  indent: number;
  /** Whether it is part of the title of the document. */
  isTitle?: boolean;
  /** Name of the destination. Its page number is at the end of the line. */
  destination?: string;
}

/** The pages of a table of contents without the numbers. They determine how many pages it takes. */
export type Contents = PositionedLine[][];

/** Lays out the table of contents of a document under the document's title. */
export function planContents(
  flow: Flow,
  title: string,
  entries: readonly PrintedEntry[],
  targets: PrintedTargets,
  logo: PdfImage | undefined,
): Contents {
  const contents: Contents = [[]];
  let y = MARGIN.top + (logo ? logo.height + LOGO_GAP_POINTS : 0);
  const put = (entry: Omit<PositionedLine, 'y'>) => {
    if (y + entry.line.height > BOTTOM_POINTS) {
      contents.push([]);
      y = MARGIN.top;
    }
    contents.at(-1)?.push({ ...entry, y });
    y += entry.line.height;
  };
  const heading = { ...BODY, size: 24, bold: true };
  for (const line of flow.lines([{ text: title, style: heading }])) {
    put({ line, indent: 0, isTitle: true });
  }
  y += 24;
  for (const entry of entries) {
    const link = targets.linkOf(entry);
    const indent = Math.min(entry.depth, MAX_INDENTED_LEVELS) * INDENT_POINTS;
    const span = {
      text: entry.title,
      style: { ...BODY, bold: entry.depth === 0 },
      isolated: true,
      ...(link && { link }),
    };
    const lines = flow.lines([span], flow.width - indent - PAGE_NUMBER_POINTS);
    for (const [at, line] of lines.entries()) {
      const isNumbered = at === lines.length - 1 && link && 'destination' in link;
      put({ line, indent, ...(isNumbered && { destination: link.destination }) });
    }
  }
  return contents;
}

/**
 * Prints a table of contents.
 *
 * @param numberOf returns the page number of a destination
 */
export function printContents(
  flow: Flow,
  contents: Contents,
  numberOf: (destination: string) => number | undefined,
  logo: PdfImage | undefined,
): void {
  let closeList: (() => void) | undefined;
  for (const [at, placed] of contents.entries()) {
    flow.newPage();
    if (logo && at === 0) {
      flow.artifact(() => drawLogo(flow, logo, MARGIN.top));
    }
    for (const { line, y, indent, destination, isTitle } of placed) {
      if (isTitle !== true) {
        closeList ??= flow.open('TOC');
      }
      const close = flow.open(isTitle === true ? 'P' : 'TOCI');
      flow.lineAt(line, flow.direction === 'rtl' ? flow.left : flow.left + indent, y, flow.width - indent);
      const pageNumber = destination === undefined ? undefined : numberOf(destination);
      const [number] =
        pageNumber === undefined
          ? []
          : flow.lines([{ text: String(pageNumber), style: BODY }], PAGE_NUMBER_POINTS);
      if (number) {
        flow.lineAt(number, flow.left, y, flow.width, 'end');
      }
      close();
    }
  }
  closeList?.();
  flow.endPage();
}
