/**
 * Renders pages to a PDF one by one: neither the texts of all pages nor the whole PDF are ever in memory.
 *
 * The table of contents contains the numbers of pages that follow it. Its layout, and thus its number of pages, depend
 * on the titles alone. A PDF lists its pages separately from their contents (ISO 32000-1, 7.7.3), so the table of
 * contents is written last and listed first. That takes a single pass and retains no finished page.
 */

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import { type Contents, planContents, printContents } from './contents.ts';
import { addBookmarks } from './document/bookmarks.ts';
import { directionOfDocument, languageOf } from './document/direction.ts';
import { isPage, PrintedTargets } from './document/entries.ts';
import { openLogo } from './document/logo.ts';
import { Printer } from './document/printer.ts';
import { Flow, PAGE } from './flow.ts';
import { loadFamily } from './fonts/family.ts';
import { type DocumentFonts, Fonts } from './fonts.ts';
import type { PrintableImage } from './images.ts';
import type { PrintedBody, PrintedEntry, PrintedPage } from './page.ts';
import { Tags } from './tags/tags.ts';

export type { ListedEntry, PrintedBody, PrintedEntry, PrintedPage, ReferenceLink } from './page.ts';

/** Names of packages of fonts. */
export interface SiteFonts {
  text?: string | undefined;
  mono?: string | undefined;
}

export interface PrintJob {
  title: string;
  /** Language tag (BCP 47). */
  language?: string;
  createdAt: Date;
  /** Packages of the fonts for text and for code. */
  fonts?: SiteFonts | undefined;
  /** Image above the title of the document, if it can be drawn. */
  logo?: PrintableImage | undefined;
  /** In the order of the tree. Each page is read when it is about to be printed. */
  entries: readonly PrintedEntry[];
  /** Called with content that could not be printed as intended; everything else is printed nevertheless. */
  failed?(error: unknown, subject: string): void;
}

type Doc = typeof PDFDocument.prototype;

/**
 * Renders pages to a stream and ends it. Nothing is written before the first page was read.
 *
 * @throws errors of reading a page, and AbortError if the stream closes early; the stream is not ended then
 */
export async function renderPdf(job: PrintJob, output: Writable): Promise<void> {
  const { entries } = job;
  const pages = entries.filter(isPage);
  const bodies = readAhead(pages);
  const firstBody = (await bodies.next()).value;
  const doc = new PDFDocument({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    autoFirstPage: false,
    fontLayoutCache: false,
    // Prevents pdfkit from loading a font of its own.
    font: '',
    displayTitle: true,
    pdfVersion: '1.7',
    lang: job.language ?? languageOf(entries),
    info: { Title: job.title, CreationDate: job.createdAt, Producer: 'Colophon', Creator: 'Colophon' },
  } as PDFKit.PDFDocumentOptions);
  const written = writeTo(doc, output);
  const families = await familiesOf(job.fonts);
  const fonts = new Fonts((name, font) => {
    // pdfkit accepts a parsed font; its types only declare files.
    doc.registerFont(name, font as unknown as string);
  }, families);
  const targets = new PrintedTargets(entries);
  const direction = directionOfDocument(job.language, entries);
  // A page that is printed alone has no contents.
  const hasContents = entries.length > pages.length || pages.length > 1;
  const tags = new Tags(doc);
  const logo = await openLogo(doc, job.logo);
  const contents: Contents = hasContents
    ? planContents(new Flow(doc, fonts, 0, direction), job.title, entries, targets, logo)
    : [];
  const flow = new Flow(doc, fonts, contents.length, direction, tags);
  const { failed } = job;
  const printer = new Printer({
    doc,
    flow,
    targets,
    direction,
    failed,
    logo: hasContents ? undefined : logo,
    ready: written.ready,
  });
  if (firstBody) {
    await printer.print(...firstBody);
  } else if (!hasContents) {
    flow.newPage();
  }
  for await (const next of bodies) {
    await written.ready();
    await printer.print(...next);
  }
  flow.endPage();
  for (const entry of entries) {
    const link = targets.linkOf(entry);
    if (link && 'destination' in link) {
      flow.destinations.linked.add(link.destination);
    }
  }
  printer.addMissingDestinations();
  const numberOf = (name: string) => flow.destinations.existing.get(name);
  const closeContents = hasContents ? tags.openFirst('Sect') : () => undefined;
  printContents(new Flow(doc, fonts, 0, direction, tags), contents, numberOf, logo);
  closeContents();
  tags.end();
  addBookmarks(doc, entries, targets);
  listFirst(doc, contents.length);
  doc.end();
  await written.done();
}

/** Loads the families of packages. */
const familiesOf = async ({ text, mono }: SiteFonts = {}): Promise<DocumentFonts> => ({
  text: text === undefined ? undefined : await loadFamily(text),
  mono: mono === undefined ? undefined : await loadFamily(mono),
});

/** Number of pages that are read while a page is printed: other threads parse them. */
const MAX_PAGES_AHEAD = 4;

/** Reads pages in their order, some ahead. */
async function* readAhead(
  pages: readonly PrintedPage[],
): AsyncGenerator<[PrintedPage, PrintedBody], void, undefined> {
  const reading: Array<Promise<PrintedBody>> = [];
  for (const [at, page] of pages.entries()) {
    for (const ahead of pages.slice(at + reading.length, at + MAX_PAGES_AHEAD)) {
      const body = ahead.read();
      // Awaited in its turn; an earlier error must not count as an unhandled rejection.
      body.catch(() => undefined);
      reading.push(body);
    }
    const body = await reading.shift();
    if (body) {
      yield [page, body];
    }
  }
}

/** Moves the last pages of a document to the start. */
function listFirst(doc: Doc, count: number): void {
  if (count === 0) {
    return;
  }
  // The list of pages is private, and pdfkit can only append pages.
  const { Kids } = (doc as unknown as { _root: { data: { Pages: { data: { Kids: unknown[] } } } } })._root
    .data.Pages.data;
  Kids.unshift(...Kids.splice(Kids.length - count, count));
}

/** Writes a document to a stream no faster than it is consumed, and yields to other work in between. */
function writeTo(doc: Doc, output: Writable) {
  doc.on('data', (chunk: Buffer) => output.write(chunk));
  const ended = once(doc, 'end');
  // Awaited at the end; an earlier error must not count as an unhandled rejection.
  ended.catch(() => undefined);
  return {
    async ready(): Promise<void> {
      await setImmediate();
      if (output.destroyed) {
        throw closedEarly();
      }
      if (!output.writableNeedDrain) {
        return;
      }
      const controller = new AbortController();
      const leave = () => controller.abort(closedEarly());
      output.once('close', leave);
      try {
        await once(output, 'drain', { signal: controller.signal });
      } finally {
        output.off('close', leave);
      }
    },
    async done(): Promise<void> {
      await ended;
      output.end();
    },
  };
}

const closedEarly = (): Error =>
  new DOMException('The connection was closed before the PDF was complete.', 'AbortError');
