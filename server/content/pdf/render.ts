/**
 * Renders pages to a PDF one by one: neither the texts of all pages nor the whole PDF are ever in memory.
 *
 * The table of contents contains the numbers of pages that follow it. Its layout, and thus its number of pages, depend
 * on the titles alone. A PDF lists its pages separately from their contents (ISO 32000-1, 7.7.3), so the table of
 * contents is written last and listed first. That takes a single pass and retains no finished page.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import type { Reference } from '../markdown/document.ts';
import { Slugs } from '../markdown/slug.ts';
import { textWithin } from '../markdown/text-within.ts';
import { printBlocks } from './blocks.ts';
import { type Contents, planContents, printContents } from './contents.ts';
import { BLOCK_GAP_POINTS, BODY, Flow, INK, PAGE } from './flow.ts';
import { Fonts } from './fonts.ts';
import { validImage } from './images.ts';
import { destinationOf, labelSpans, type OpenedImage, type PageContext, span } from './inlines.ts';
import { Formulas } from './math/formula.ts';
import type { PrintedBody, PrintedPage } from './page.ts';

export type { PrintedBody, PrintedPage, ReferenceLink } from './page.ts';

export interface PrintJob {
  title: string;
  /** Language tag (BCP 47). */
  language?: string;
  createdAt: Date;
  /** In the order of the tree. Each is read when it is about to be printed. */
  pages: readonly PrintedPage[];
  /** Called with content that could not be printed as intended; everything else is printed nevertheless. */
  failed?(error: unknown, subject: string): void;
}

/** Maximum time in milliseconds before printing a long page yields to other work. */
const YIELD_INTERVAL_MS = 20;

type Doc = typeof PDFDocument.prototype;

/**
 * Renders pages to a stream and ends it. Nothing is written before the first page was read.
 *
 * @throws errors of reading a page, and AbortError if the stream closes early; the stream is not ended then
 */
export async function renderPdf(job: PrintJob, output: Writable): Promise<void> {
  const bodies = readAhead(job.pages);
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
    ...(job.language !== undefined && { lang: job.language }),
    info: { Title: job.title, CreationDate: job.createdAt, Producer: 'Colophon', Creator: 'Colophon' },
  } as PDFKit.PDFDocumentOptions);
  const written = writeTo(doc, output);
  const fonts = new Fonts((name, font) => {
    // pdfkit accepts a parsed font; its types only declare files.
    doc.registerFont(name, font as unknown as string);
  });
  const hasContents = job.pages.length > 1;
  const planner = new Flow(doc, fonts, 0);
  const contents: Contents = hasContents ? planContents(planner, job.title, job.pages) : [];
  const flow = new Flow(doc, fonts, contents.length);
  const printer = new Printer(job, doc, flow, written.ready);
  if (firstBody) {
    await printer.print(...firstBody);
  } else {
    flow.newPage();
  }
  for await (const next of bodies) {
    await written.ready();
    await printer.print(...next);
  }
  flow.endPage();
  printer.addMissingDestinations();
  printContents(new Flow(doc, fonts, 0), contents, (id) => printer.numbers.get(id) ?? 0);
  listFirst(doc, contents.length);
  doc.end();
  await written.done();
}

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

/** Prints pages of the content and records where they start. */
class Printer {
  readonly numbers = new Map<string, number>();
  readonly #starts = new Map<string, unknown>();
  readonly #job: PrintJob;
  readonly #doc: Doc;
  readonly #ready: () => Promise<void>;
  #rested = performance.now();
  readonly #flow: Flow;
  readonly #printed: ReadonlySet<string>;
  /** By hash of their bytes: an image that is shown several times is embedded once. */
  readonly #images = new Map<string, OpenedImage>();
  readonly #parents: PDFKit.PDFOutline[];
  readonly #formulas: Formulas;

  constructor(job: PrintJob, doc: Doc, flow: Flow, ready: () => Promise<void>) {
    this.#job = job;
    this.#ready = ready;
    this.#doc = doc;
    this.#flow = flow;
    this.#printed = new Set(job.pages.map(({ id }) => id));
    this.#parents = [doc.outline];
    this.#formulas = new Formulas((text, font) =>
      flow.fonts
        .mathFaces(text, font)
        .reduce((sum, part) => sum + part.face.font.widthOf(part.text, false), 0),
    );
  }

  async print({ id, title, depth, description, emoji, icon }: PrintedPage, body: PrintedBody): Promise<void> {
    const flow = this.#flow;
    const failed = (error: unknown, subject: string) =>
      this.#job.failed?.(error, `${subject} of the page ${id}`);
    flow.newPage();
    this.numbers.set(id, flow.pageNumber);
    this.#starts.set(id, this.#doc.page.dictionary);
    flow.addDestination(destinationOf(id));
    const level = Math.min(depth, this.#parents.length - 1);
    const parent = this.#parents[level] ?? this.#doc.outline;
    // The left edge, which pdfkit measures from the right.
    const item = parent.addItem(title, { left: PAGE.width } as object);
    this.#parents.splice(level + 1, Infinity, item);
    const heading = { ...BODY, size: 24, bold: true };
    flow.text([...labelSpans({ emoji, icon }, heading), span(title, heading)]);
    if (description !== undefined && description !== '') {
      flow.space(4);
      flow.text([span(description, { ...BODY, size: 11, color: INK.muted })]);
    }
    flow.space(2 * BLOCK_GAP_POINTS);
    const context: PageContext = {
      flow,
      id,
      body,
      slugs: new Slugs(),
      formulas: this.#formulas,
      included: 0,
      isPrinted: (page) => this.#printed.has(page),
      pause: () => this.#pause(),
      openImage: this.#imageOpener(body, failed),
      failed,
    };
    await printBlocks(context, body.nodes);
  }

  /** Has links to missing anchors lead to the start of their page. */
  addMissingDestinations(): void {
    const { existing, linked } = this.#flow.destinations;
    // The list of destinations is private, and pdfkit can only add destinations on the current page.
    const { Dests } = (this.#doc as unknown as DestinationTarget)._root.data.Names.data;
    for (const name of linked.difference(existing)) {
      const start = this.#starts.get(name.slice(destinationOf('').length).split('#', 1)[0] ?? '');
      if (start) {
        Dests.add(name, [start, 'XYZ', 0, PAGE.height, 0]);
      }
    }
  }

  async #pause(): Promise<void> {
    if (performance.now() - this.#rested < YIELD_INTERVAL_MS) {
      return;
    }
    await this.#ready();
    this.#rested = performance.now();
  }

  #imageOpener(body: PrintedBody, failed: PageContext['failed']): PageContext['openImage'] {
    const opened = new Map<string, Promise<OpenedImage | undefined>>();
    const open = async (reference: Reference): Promise<OpenedImage | undefined> => {
      try {
        const bytes = await body.readImage(reference);
        const valid = bytes && (await validImage(bytes));
        if (!valid) {
          return undefined;
        }
        const hash = createHash('sha256').update(valid).digest('hex');
        const cached = this.#images.get(hash);
        if (cached) {
          return cached;
        }
        // pdfkit returns the opened image; its types omit the method.
        const image = (this.#doc as unknown as ImageOpener).openImage(valid);
        if (!(image.width > 0 && image.height > 0)) {
          return undefined;
        }
        const isRotated = (image.orientation ?? 1) > 4;
        const [width, height] = isRotated ? [image.height, image.width] : [image.width, image.height];
        const opened = { source: image, width, height };
        this.#images.set(hash, opened);
        return opened;
      } catch (error) {
        failed(error, `the image ${textWithin(reference)}`);
        return undefined;
      }
    };
    return async (reference) => {
      const key = JSON.stringify(reference);
      const image = opened.get(key) ?? open(reference);
      opened.set(key, image);
      return await image;
    };
  }
}

interface DestinationTarget {
  _root: { data: { Names: { data: { Dests: { add(name: string, destination: unknown[]): void } } } } };
}

interface ImageOpener {
  openImage(bytes: Uint8Array): { width: number; height: number; orientation?: number };
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
