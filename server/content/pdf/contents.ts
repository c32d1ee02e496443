/** The table of contents: the first page in the document of each page of the content. */
import { BODY, BOTTOM_POINTS, type Flow, MARGIN } from './flow.ts';
import { destinationOf } from './inlines.ts';
import { breakLines, type Line } from './lines.ts';
import type { PrintedPage } from './page.ts';

const INDENT_POINTS = 14;
/** Maximum number of levels that are indented. */
const MAX_INDENTED_LEVELS = 8;
/** Width of the page number at the right. */
const PAGE_NUMBER_POINTS = 34;

type ListedPage = Pick<PrintedPage, 'id' | 'title' | 'depth'>;

/** A line of the table of contents and its position. */
interface PositionedLine {
  line: Line;
  y: number;
  indent: number;
  /** ID of the page whose number is at the end of the line. */
  page?: string;
}

/** The pages of a table of contents without the numbers. They determine how many pages it takes. */
export type Contents = PositionedLine[][];

/** Lays out the table of contents of a document under the document's title. */
export function planContents({ width, fonts }: Flow, title: string, pages: readonly ListedPage[]): Contents {
  const contents: Contents = [[]];
  let y = MARGIN.top;
  const put = (entry: Omit<PositionedLine, 'y'>) => {
    if (y + entry.line.height > BOTTOM_POINTS) {
      contents.push([]);
      y = MARGIN.top;
    }
    contents.at(-1)?.push({ ...entry, y });
    y += entry.line.height;
  };
  const heading = { ...BODY, size: 24, bold: true };
  for (const line of breakLines([{ text: title, style: heading }], width, fonts)) {
    put({ line, indent: 0 });
  }
  y += 24;
  for (const page of pages) {
    const indent = Math.min(page.depth, MAX_INDENTED_LEVELS) * INDENT_POINTS;
    const span = {
      text: page.title,
      style: { ...BODY, bold: page.depth === 0 },
      link: { destination: destinationOf(page.id) },
    };
    const lines = breakLines([span], width - indent - PAGE_NUMBER_POINTS, fonts);
    for (const [at, line] of lines.entries()) {
      put({ line, indent, ...(at === lines.length - 1 && { page: page.id }) });
    }
  }
  return contents;
}

/**
 * Prints a table of contents.
 *
 * @param numberOf returns the page number at which a page of the content starts
 */
export function printContents(flow: Flow, contents: Contents, numberOf: (page: string) => number): void {
  for (const placed of contents) {
    flow.newPage();
    for (const { line, y, indent, page } of placed) {
      flow.lineAt(line, flow.left + indent, y, flow.width - indent);
      if (page === undefined) {
        continue;
      }
      const [number] = breakLines(
        [{ text: String(numberOf(page)), style: BODY }],
        PAGE_NUMBER_POINTS,
        flow.fonts,
      );
      if (number) {
        flow.lineAt(number, flow.left, y, flow.width, 'end');
      }
    }
  }
  flow.endPage();
}
