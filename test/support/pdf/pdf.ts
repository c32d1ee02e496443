import { getDocument, OPS, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Table } from '../../../server/content/markdown/document.ts';

/** A text on a page. */
export interface PlacedText {
  text: string;
  left: number;
  right: number;
  baseline: number;
}

/** A page of a PDF. */
export interface ReadPage {
  /** Text with the line breaks of the page. */
  text: string;
  /** Its texts with their left and right ends and baselines, in points from the bottom left. */
  words: PlacedText[];
  /** Texts by the color that they are drawn in, without spaces. */
  colored: Record<string, string>;
  /** Number of drawn images. */
  images: number;
  /** Targets of its links: a URL or a page number. */
  links: Array<string | number>;
  /** Areas of its links, in points from the bottom left: left, bottom, right, top. */
  areas: number[][];
  /** Structure of its contents: elements with their texts and children. */
  structure: TaggedPart[];
  /** Number of drawn paths, such as lines, frames and icons. */
  paths: number;
}

/** An element of the structure of a page, or a text in it. */
export type TaggedPart = string | { tag: string; alt?: string; parts: TaggedPart[] };

/** A bookmark with its children and its target: a page number, or 0 and a URL. */
export interface Bookmark {
  title: string;
  page: number;
  url?: string;
  children: Bookmark[];
}

export interface ReadPdf {
  title: string;
  language: string | undefined;
  pages: ReadPage[];
  bookmarks: Bookmark[];
}

/** Reads a PDF with pdf.js. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: 0, useSystemFonts: false });
  const document = await task.promise;
  const pageOf = async (destination: unknown): Promise<number> => {
    const target = typeof destination === 'string' ? await document.getDestination(destination) : destination;
    return Array.isArray(target) ? (await document.getPageIndex(target[0])) + 1 : 0;
  };
  const pages: ReadPage[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const { fnArray, argsArray } = await page.getOperatorList();
    const links: Array<string | number> = [];
    const areas: number[][] = [];
    for (const note of await page.getAnnotations()) {
      if (note.subtype === 'Link') {
        links.push(note.url ?? note.unsafeUrl ?? (await pageOf(note.dest)));
        areas.push(note.rect);
      }
    }
    pages.push({
      text: items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join(''),
      words: items.flatMap((item) =>
        'str' in item && item.str.trim() !== ''
          ? [
              {
                text: item.str,
                left: item.transform[4],
                right: item.transform[4] + item.width,
                baseline: item.transform[5],
              },
            ]
          : [],
      ),
      colored: coloredTexts(fnArray, argsArray),
      images: fnArray.filter((operation: number) => operation === OPS.paintImageXObject).length,
      links,
      areas,
      structure: await structureOf(page),
      paths: fnArray.filter((operation: number) => operation === OPS.constructPath).length,
    });
  }
  type Item = Awaited<ReturnType<typeof document.getOutline>>[number];
  const bookmark = async ({ title, dest, url, items }: Item): Promise<Bookmark> => ({
    title,
    page: await pageOf(dest),
    ...(url && { url }),
    children: await Promise.all(items.map(bookmark)),
  });
  const bookmarks = await Promise.all(((await document.getOutline()) ?? []).map(bookmark));
  const { info } = await document.getMetadata();
  await task.destroy();
  // pdf.js leaves the shape of these open.
  const { Title, Language } = info as { Title?: string; Language?: string };
  return { title: Title ?? '', language: Language ?? undefined, pages, bookmarks };
}

/** Returns the structure of a page with its texts. */
async function structureOf(page: PDFPageProxy): Promise<TaggedPart[]> {
  const { items } = await page.getTextContent({ includeMarkedContent: true });
  const texts = new Map<string, string>();
  const open: Array<string | undefined> = [];
  for (const item of items) {
    if ('str' in item) {
      const id = open.findLast((marked) => marked !== undefined);
      if (id !== undefined) {
        texts.set(id, (texts.get(id) ?? '') + item.str);
      }
    } else if (item.type === 'endMarkedContent') {
      open.pop();
    } else {
      open.push('id' in item && item.id !== null ? item.id : undefined);
    }
  }
  const partsOf = (node: object): TaggedPart[] => {
    if (!('role' in node)) {
      const text =
        'id' in node && 'type' in node && node.type === 'content' ? texts.get(String(node.id)) : '';
      return text ? [text] : [];
    }
    const { role, alt, children = [] } = node as { role: string; alt?: string; children?: object[] };
    return [{ tag: role, ...(alt && { alt }), parts: children.flatMap(partsOf) }];
  };
  const tree = await page.getStructTree();
  return tree ? partsOf(tree).flatMap((root) => (typeof root === 'string' ? [] : root.parts)) : [];
}

/** Returns texts by the color that they are drawn in. */
function coloredTexts(operations: readonly number[], args: readonly unknown[]): Record<string, string> {
  const colored: Record<string, string> = {};
  let color = '';
  for (const [at, operation] of operations.entries()) {
    const [first] = (args[at] ?? []) as unknown[];
    if (operation === OPS.setFillRGBColor) {
      color = String(first);
    } else if (operation === OPS.showText && Array.isArray(first)) {
      const glyphs: Array<number | { unicode: string }> = first;
      const text = glyphs.map((glyph) => (typeof glyph === 'number' ? '' : glyph.unicode)).join('');
      colored[color] = (colored[color] ?? '') + text.replace(/\s/g, '');
    }
  }
  return colored;
}

/** Returns every visible text of a document in order, except formulas: leaves, and texts in data. */
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
  // A condition is not part of the text that it shows or hides.
  if ('type' in node && node.type === 'if' && 'nodes' in node) {
    return textsOf(node.nodes);
  }
  // A note follows the annotated text.
  const entries = Object.entries(node);
  if ('type' in node && node.type === 'annotation') {
    entries.reverse();
  }
  return entries.flatMap(([key, value]) => {
    // The title of a link is a tooltip, which a PDF does not print.
    if (key === 'title' && 'ref' in node && typeof value === 'string') {
      return [];
    }
    return typeof value === 'string' && TEXT_KEYS.has(key) ? [value] : textsOf(value);
  });
}

const TEXT_KEYS = new Set(['expression', 'label', 'description', 'title']);

/** Cards have no column titles, and their targets and covers are no texts. */
function tableTexts({ view, definition, records }: Table['data']): string[] {
  const isGrid = view.type === 'grid';
  const columns = view.columns
    .flatMap((id) => definition[id] ?? [])
    .filter(({ hidden, card }) => !hidden && (isGrid || card === undefined));
  const rows = Object.values(records).sort((a, b) => (a.orderIndex < b.orderIndex ? -1 : 1));
  return [
    ...(isGrid && !view.hideHeader ? columns.flatMap(({ title }) => textsOf(title)) : []),
    ...rows.flatMap(({ values }) => columns.flatMap(({ id }) => textsOf(values[id]))),
  ];
}

/** Removes white space and invisible joiners, so that texts are compared regardless of line breaks. */
export const withoutSpaces = (text: string): string => text.replace(/\s|\p{Cf}|\ufe0f/gu, '');
