/** Prints pages of the content and records where they start. */
import { createHash } from 'node:crypto';
import type PDFDocument from 'pdfkit';
import { MAX_HIGHLIGHT_MS } from '../../html/code/highlight.ts';
import type { Direction } from '../../html/options.ts';
import type { PageAnchors } from '../../markdown/anchors/page-anchors.ts';
import type { Reference } from '../../markdown/document.ts';
import { textWithin } from '../../markdown/text-within.ts';
import { anchorsOf } from '../anchors.ts';
import { printBlocks } from '../blocks.ts';
import { BLOCK_GAP_POINTS, BODY, type Flow, INK, PAGE } from '../flow.ts';
import { type PdfImage, validImage } from '../images.ts';
import { labelSpans, type OpenedImage, type PageContext, span } from '../inlines.ts';
import { widthOfSvg } from '../math/draw.ts';
import { Formulas } from '../math/formula.ts';
import type { PrintedBody, PrintedPage } from '../page.ts';
import { directionOfPage } from './direction.ts';
import { openValidImage } from './drawn-images.ts';
import { destinationOf, type PrintedTargets, pageOfDestination } from './entries.ts';
import { drawLogo, LOGO_GAP_POINTS } from './logo.ts';

/** Maximum time in milliseconds before printing a long page yields to other work. */
const YIELD_INTERVAL_MS = 20;

/** Maximum processor time for highlighting the code of a document, besides that of each page. */
export const MAX_DOCUMENT_HIGHLIGHT_MS = 60_000;

type Doc = typeof PDFDocument.prototype;

/** How pages are printed. */
export interface PrinterOptions {
  doc: Doc;
  flow: Flow;
  targets: PrintedTargets;
  /** Of the document. */
  direction: Direction;
  /** Image above the title of the first page. */
  logo?: PdfImage | undefined;
  /** Resolves when the consumer of the document has space for more. */
  ready(): Promise<void>;
  failed?: ((error: unknown, subject: string) => void) | undefined;
}

export class Printer {
  readonly #starts = new Map<string, unknown>();
  readonly #anchors = new Map<string, PageAnchors>();
  readonly #options: PrinterOptions;
  #rested = performance.now();
  /** By hash of their bytes: an image that is shown several times is embedded once. */
  readonly #images = new Map<string, OpenedImage>();
  readonly #formulas: Formulas;
  #highlightMs = MAX_DOCUMENT_HIGHLIGHT_MS;

  constructor(options: PrinterOptions) {
    this.#options = options;
    const { fonts } = options.flow;
    this.#formulas = new Formulas((text) => widthOfSvg(text, fonts));
  }

  /** Prints a page as a part of the structure of the document. */
  async print(page: PrintedPage, body: PrintedBody): Promise<void> {
    await this.#options.flow.tagged('Sect', () => this.#printPage(page, body));
  }

  async #printPage({ id, title, description, emoji, icon }: PrintedPage, body: PrintedBody): Promise<void> {
    const { doc, flow, targets } = this.#options;
    flow.direction = directionOfPage(this.#options.direction, title, body.nodes);
    const failed = (error: unknown, subject: string) =>
      this.#options.failed?.(error, `${subject} of the page ${id}`);
    flow.newPage();
    this.#starts.set(id, doc.page.dictionary);
    flow.addDestination(destinationOf(id));
    const { logo } = this.#options;
    if (logo && this.#starts.size === 1) {
      flow.place(logo.height, (_, y) => flow.artifact(() => drawLogo(flow, logo, y)));
      flow.space(LOGO_GAP_POINTS);
    }
    const heading = { ...BODY, size: 24, bold: true };
    const closeTitle = flow.open('H1');
    flow.text([...labelSpans({ emoji, icon }, heading), { ...span(title, heading), isolated: true }]);
    closeTitle();
    if (description !== undefined && description !== '') {
      flow.space(4);
      const close = flow.open('P');
      flow.text([span(description, { ...BODY, size: 11, color: INK.muted })]);
      close();
    }
    flow.space(2 * BLOCK_GAP_POINTS);
    const highlightMs = Math.min(MAX_HIGHLIGHT_MS, this.#highlightMs);
    const highlighting = { highlightMs };
    const anchors = anchorsOf(title, body);
    this.#anchors.set(id, anchors);
    const context: PageContext = {
      flow,
      id,
      body,
      anchors,
      formulas: this.#formulas,
      highlighting,
      included: 0,
      targets,
      pause: () => this.#pause(),
      openImage: this.#imageOpener(body, failed),
      failed,
    };
    await printBlocks(context, body.nodes);
    this.#highlightMs -= highlightMs - highlighting.highlightMs;
  }

  /** Has links lead to anchors in other forms of them, and those to missing anchors to the start of their page. */
  addMissingDestinations(): void {
    const { doc, flow } = this.#options;
    const { existing, linked } = flow.destinations;
    // The list of destinations is private, and pdfkit can only add destinations on the current page.
    const { Dests } = (doc as unknown as DestinationTarget)._root.data.Names.data;
    for (const name of linked) {
      const page = pageOfDestination(name);
      const start = this.#starts.get(page);
      if (start && !existing.has(name)) {
        const id = this.#anchors.get(page)?.find(name.slice(destinationOf(page, '').length));
        const same = id === undefined ? undefined : destinationOf(page, id);
        const position = same === undefined ? undefined : flow.positions.get(same);
        existing.set(name, existing.get(position && same ? same : destinationOf(page)) ?? 0);
        Dests.add(name, position ?? [start, 'XYZ', 0, PAGE.height, 0]);
      }
    }
  }

  async #pause(): Promise<void> {
    if (performance.now() - this.#rested < YIELD_INTERVAL_MS) {
      return;
    }
    await this.#options.ready();
    this.#rested = performance.now();
  }

  #imageOpener(body: PrintedBody, failed: PageContext['failed']): PageContext['openImage'] {
    const opened = new Map<string, Promise<OpenedImage | undefined>>();
    const open = async (reference: Reference): Promise<OpenedImage | undefined> => {
      try {
        const image = await body.readImage(reference);
        const bytes = image && (await validImage(image.bytes));
        if (!bytes) {
          return undefined;
        }
        const hash = createHash('sha256').update(`${image.pixelRatio} `).update(bytes).digest('hex');
        const cached = this.#images.get(hash);
        if (cached) {
          return cached;
        }
        const opened = openValidImage(this.#options.doc, { ...image, bytes });
        if (!opened) {
          return undefined;
        }
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
