/**
 * Renders pages to a PDF, one after another: neither the texts of all pages nor the whole PDF are in memory at
 * any time.
 *
 * The table of contents needs the numbers of pages that come after it. Its layout is known from the titles alone,
 * and so is how many pages it takes; a PDF lists its pages apart from what is on them (ISO 32000-1, 7.7.3), so
 * those pages are written last and listed first. That takes one pass, and keeps no finished page.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import type { Reference } from '../markdown/document.ts';
import { Slugs } from '../markdown/slug.ts';
import { printBlocks } from './blocks.ts';
import { type Contents, planContents, printContents } from './contents.ts';
import { BODY, Flow, GAP, INK, PAGE } from './flow.ts';
import { Fonts } from './fonts.ts';
import { soundImage } from './images.ts';
import { type OpenedImage, type PageContext, placeOf, span, textWithin } from './inlines.ts';
import type { PrintedBody, PrintedPage } from './page.ts';

export type { PrintedBody, PrintedPage, Reached } from './page.ts';

export interface PrintJob {
  title: string;
  /** As BCP 47 names it. */
  language?: string;
  createdAt: Date;
  /** In the order of the tree. Each is read when its turn comes. */
  pages: readonly PrintedPage[];
  /** Is told of what could not be printed as it should; the rest is printed all the same. */
  failed?(error: unknown, what: string): void;
}

/** How long a long page keeps other work waiting, in milliseconds. */
const TURN = 20;

type Doc = typeof PDFDocument.prototype;

/**
 * Renders pages to a stream and ends it. Nothing is written before the first page was read.
 *
 * @throws what reading a page throws, and AbortError where the stream closes early; the stream is not ended then
 */
export async function renderPdf(job: PrintJob, output: Writable): Promise<void> {
  const [first, ...rest] = job.pages;
  const firstBody = await first?.read();
  const doc = new PDFDocument({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    autoFirstPage: false,
    fontLayoutCache: false,
    // The fonts are ours; pdfkit would load one of its own.
    font: '',
    displayTitle: true,
    pdfVersion: '1.7',
    ...(job.language !== undefined && { lang: job.language }),
    info: { Title: job.title, CreationDate: job.createdAt, Producer: 'Colophon', Creator: 'Colophon' },
  } as PDFKit.PDFDocumentOptions);
  const written = writeTo(doc, output);
  const fonts = new Fonts((name, font) => {
    // pdfkit takes a font that is already read; its types know files only.
    doc.registerFont(name, font as unknown as string);
  });
  const hasContents = job.pages.length > 1;
  const planner = new Flow(doc, fonts, 0);
  const contents: Contents = hasContents ? planContents(planner, job.title, job.pages) : [];
  const flow = new Flow(doc, fonts, contents.length);
  const printer = new Printer(job, doc, flow, written.ready);
  if (first && firstBody) await printer.print(first, firstBody);
  for (const page of rest) {
    await written.ready();
    await printer.print(page, await page.read());
  }
  if (!first) flow.newPage();
  flow.endPage();
  printContents(new Flow(doc, fonts, 0), contents, (id) => printer.numbers.get(id) ?? 0);
  listFirst(doc, contents.length);
  doc.end();
  await written.done();
}

/** Prints pages of the content, and remembers where they start. */
class Printer {
  readonly numbers = new Map<string, number>();
  readonly #job: PrintJob;
  readonly #doc: Doc;
  readonly #ready: () => Promise<void>;
  #rested = performance.now();
  readonly #flow: Flow;
  readonly #printed: ReadonlySet<string>;
  /** By the hash of their bytes: an image that is shown several times is in the document once. */
  readonly #images = new Map<string, OpenedImage>();
  readonly #parents: PDFKit.PDFOutline[];

  constructor(job: PrintJob, doc: Doc, flow: Flow, ready: () => Promise<void>) {
    this.#job = job;
    this.#ready = ready;
    this.#doc = doc;
    this.#flow = flow;
    this.#printed = new Set(job.pages.map(({ id }) => id));
    this.#parents = [doc.outline];
  }

  async print({ id, title, depth, description }: PrintedPage, body: PrintedBody): Promise<void> {
    const flow = this.#flow;
    const failed = (error: unknown, what: string) => this.#job.failed?.(error, `${what} of the page ${id}`);
    flow.newPage();
    this.numbers.set(id, flow.pageNumber);
    flow.name(placeOf(id));
    const level = Math.min(depth, this.#parents.length - 1);
    const parent = this.#parents[level] ?? this.#doc.outline;
    // The distance from the right: what is asked for is the left edge.
    const item = parent.addItem(title, { left: PAGE.width } as object);
    this.#parents.splice(level + 1, Infinity, item);
    flow.text([span(title, { ...BODY, size: 24, bold: true })]);
    if (description !== undefined && description !== '') {
      flow.space(4);
      flow.text([span(description, { ...BODY, size: 11, color: INK.muted })]);
    }
    flow.space(2 * GAP);
    const context: PageContext = {
      flow,
      id,
      body,
      slugs: new Slugs(),
      included: 0,
      isPrinted: (page) => this.#printed.has(page),
      pause: () => this.#pause(),
      openImage: this.#imageOpener(body, failed),
      failed,
    };
    await printBlocks(context, body.nodes);
  }

  async #pause(): Promise<void> {
    if (performance.now() - this.#rested < TURN) return;
    await this.#ready();
    this.#rested = performance.now();
  }

  #imageOpener(body: PrintedBody, failed: PageContext['failed']): PageContext['openImage'] {
    const opened = new Map<string, Promise<OpenedImage | undefined>>();
    const open = async (reference: Reference): Promise<OpenedImage | undefined> => {
      try {
        const bytes = await body.readImage(reference);
        const sound = bytes && (await soundImage(bytes));
        if (!sound) return undefined;
        const hash = createHash('sha256').update(sound).digest('hex');
        const known = this.#images.get(hash);
        if (known) return known;
        // pdfkit answers what it made of the image; the types leave the call out.
        const image = (this.#doc as unknown as ImageOpener).openImage(sound);
        if (!(image.width > 0 && image.height > 0)) return undefined;
        const isTurned = (image.orientation ?? 1) > 4;
        const [width, height] = isTurned ? [image.height, image.width] : [image.width, image.height];
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
      const known = opened.get(key) ?? open(reference);
      opened.set(key, known);
      return await known;
    };
  }
}

interface ImageOpener {
  openImage(bytes: Uint8Array): { width: number; height: number; orientation?: number };
}

/** Lists the last pages of a document first. */
function listFirst(doc: Doc, count: number): void {
  if (count === 0) return;
  // pdfkit keeps the list of pages to itself, and offers no way to put a page anywhere but at the end.
  const { Kids } = (doc as unknown as { _root: { data: { Pages: { data: { Kids: unknown[] } } } } })._root
    .data.Pages.data;
  Kids.unshift(...Kids.splice(Kids.length - count, count));
}

/** Writes a document to a stream no faster than the stream takes it, and gives way to other work in between. */
function writeTo(doc: Doc, output: Writable) {
  doc.on('data', (chunk: Buffer) => output.write(chunk));
  const ended = once(doc, 'end');
  // Awaited at the end; what fails before must not count as unhandled.
  ended.catch(() => undefined);
  return {
    async ready(): Promise<void> {
      await setImmediate();
      if (output.destroyed) throw closedEarly();
      if (!output.writableNeedDrain) return;
      const gone = new AbortController();
      const leave = () => gone.abort(closedEarly());
      output.once('close', leave);
      try {
        await once(output, 'drain', { signal: gone.signal });
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
  new DOMException('Whoever the PDF was for went away before its end.', 'AbortError');
