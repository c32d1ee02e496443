import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Table } from '../../server/content/markdown/document.ts';

/** A page of a PDF as a reader has it. */
export interface ReadPage {
  /** Its text, a line of the page a line of the text. */
  text: string;
  /** How many images are drawn. */
  images: number;
  /** Where its links lead: an address, or the number of the page. */
  links: Array<string | number>;
}

/** A bookmark with those below it, and the number of the page that it leads to. */
export interface Bookmark {
  title: string;
  page: number;
  below: Bookmark[];
}

export interface ReadPdf {
  title: string;
  language: string | undefined;
  pages: ReadPage[];
  bookmarks: Bookmark[];
}

/** Reads a PDF with the reader that browsers have. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: 0, useSystemFonts: false });
  const document = await task.promise;
  const pageOf = async (destination: unknown): Promise<number> => {
    const place = typeof destination === 'string' ? await document.getDestination(destination) : destination;
    return Array.isArray(place) ? (await document.getPageIndex(place[0])) + 1 : 0;
  };
  const pages: ReadPage[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const { fnArray } = await page.getOperatorList();
    const links: Array<string | number> = [];
    for (const note of await page.getAnnotations()) {
      if (note.subtype === 'Link') {
        links.push(note.url ?? note.unsafeUrl ?? (await pageOf(note.dest)));
      }
    }
    pages.push({
      text: items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join(''),
      images: fnArray.filter((operation: number) => operation === OPS.paintImageXObject).length,
      links,
    });
  }
  type Item = Awaited<ReturnType<typeof document.getOutline>>[number];
  const bookmark = async ({ title, dest, items }: Item): Promise<Bookmark> => ({
    title,
    page: await pageOf(dest),
    below: await Promise.all(items.map(bookmark)),
  });
  const bookmarks = await Promise.all(((await document.getOutline()) ?? []).map(bookmark));
  const { info } = await document.getMetadata();
  await task.destroy();
  // pdf.js leaves the shape of these open.
  const { Title, Language } = info as { Title?: string; Language?: string };
  return { title: Title ?? '', language: Language ?? undefined, pages, bookmarks };
}

/** Every text that a document says, in order: the leaves, and what stands in data as text. */
export function textsOf(node: unknown): string[] {
  if (Array.isArray(node)) {
    return node.flatMap(textsOf);
  }
  if (typeof node !== 'object' || node === null) {
    return [];
  }
  if ('object' in node && node.object === 'leaf' && 'text' in node) {
    return [String(node.text)];
  }
  if ('type' in node && node.type === 'table' && 'data' in node) {
    return tableTexts(node.data as Table['data']);
  }
  // A condition decides who sees a text, and is not part of it.
  if ('type' in node && node.type === 'if' && 'nodes' in node) {
    return textsOf(node.nodes);
  }
  // A note comes after what it is on.
  const entries = Object.entries(node);
  if ('type' in node && node.type === 'annotation') {
    entries.reverse();
  }
  return entries.flatMap(([key, value]) => {
    // The title of a link shows when the pointer rests on it: paper has no pointer.
    if (key === 'title' && 'ref' in node && typeof value === 'string') {
      return [];
    }
    return typeof value === 'string' && SAID.has(key) ? [value] : textsOf(value);
  });
}

const SAID = new Set(['formula', 'expression', 'label', 'description', 'title']);

/** Cards show no titles of columns, and print what they hide: it says where they lead. */
function tableTexts({ view, definition, records }: Table['data']): string[] {
  const isGrid = view.type === 'grid';
  const columns = view.columns
    .flatMap((id) => definition[id] ?? [])
    .filter(({ hidden }) => !(isGrid && hidden));
  const rows = Object.values(records).sort((a, b) => (a.orderIndex < b.orderIndex ? -1 : 1));
  return [
    ...(isGrid && !view.hideHeader ? columns.flatMap(({ title }) => textsOf(title)) : []),
    ...rows.flatMap(({ values }) => columns.flatMap(({ id }) => textsOf(values[id]))),
  ];
}

/** A text without white space and what joins characters unseen: where lines end is not part of what a page says. */
export const squeezed = (text: string): string => text.replace(/\s|\p{Cf}|\ufe0f/gu, '');
