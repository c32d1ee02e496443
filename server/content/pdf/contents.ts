/** The table of contents: which page of the content starts on which page of the document. */
import { BODY, BOTTOM, type Flow, MARGIN } from './flow.ts';
import { placeOf } from './inlines.ts';
import { breakLines, type Line } from './lines.ts';
import type { PrintedPage } from './page.ts';

const INDENT = 14;
/** Deeper pages stand no further to the right than this many times that. */
const DEEPEST = 8;
/** Room for the number at the right. */
const NUMBER = 34;

type Listed = Pick<PrintedPage, 'id' | 'title' | 'depth'>;

/** A line of the table of contents, in its place. */
interface Placed {
  line: Line;
  y: number;
  indent: number;
  /** The page whose number stands at the end of the line, by its id. */
  page?: string;
}

/** The pages of a table of contents, without the numbers: so it is known how many they are. */
export type Contents = Placed[][];

/** Lays out the table of contents of a document under the document's title. */
export function planContents({ width, fonts }: Flow, title: string, pages: readonly Listed[]): Contents {
  const contents: Contents = [[]];
  let y = MARGIN.top;
  const put = (placed: Omit<Placed, 'y'>) => {
    if (y + placed.line.height > BOTTOM) {
      contents.push([]);
      y = MARGIN.top;
    }
    contents.at(-1)?.push({ ...placed, y });
    y += placed.line.height;
  };
  const heading = { ...BODY, size: 24, bold: true };
  for (const line of breakLines([{ text: title, style: heading }], width, fonts)) put({ line, indent: 0 });
  y += 24;
  for (const page of pages) {
    const indent = Math.min(page.depth, DEEPEST) * INDENT;
    const span = {
      text: page.title,
      style: { ...BODY, bold: page.depth === 0 },
      link: { place: placeOf(page.id) },
    };
    const lines = breakLines([span], width - indent - NUMBER, fonts);
    for (const [at, line] of lines.entries())
      put({ line, indent, ...(at === lines.length - 1 && { page: page.id }) });
  }
  return contents;
}

/** @param numberOf the number of the page that a page of the content starts on */
export function printContents(flow: Flow, contents: Contents, numberOf: (page: string) => number): void {
  for (const placed of contents) {
    flow.newPage();
    for (const { line, y, indent, page } of placed) {
      flow.lineAt(line, flow.left + indent, y, flow.width - indent);
      if (page === undefined) continue;
      const [number] = breakLines([{ text: String(numberOf(page)), style: BODY }], NUMBER, flow.fonts);
      if (number) flow.lineAt(number, flow.left, y, flow.width, 'end');
    }
  }
  flow.endPage();
}
