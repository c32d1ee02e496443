/** Places lines and boxes one below the other, across the pages of the document. */
import type { Direction } from '../html/options.ts';
import type { PdfDoc } from './boxes.ts';
import { Canvas } from './document/canvas.ts';
import type { FontStyle, Fonts } from './fonts.ts';
import { breakLines, type Line, type Span, type TextStyle } from './lines.ts';
import type { Tags } from './tags/tags.ts';

/** A4 (ISO 216), in points. */
export const PAGE = { width: 595.28, height: 841.89 };
export const MARGIN = { top: 60, bottom: 66, side: 60 };
export const BOTTOM_POINTS = PAGE.height - MARGIN.bottom;

/** Colors of printed content. */
export const INK = { text: '#1f2328', muted: '#59636e', link: '#0550ae', rule: '#d1d9e0', shade: '#f6f8fa' };

const PLAIN: FontStyle = { mono: false, bold: false, italic: false };
/** Style of running text. */
export const BODY: TextStyle = { ...PLAIN, size: 10, color: INK.text, strike: false, rise: 0 };

/** Space between blocks, in points. */
export const BLOCK_GAP_POINTS = 8;

/** Width of a bar at the start of a frame. */
const BAR_POINTS = 2.5;

/** Decoration drawn behind an indented part: a bar at its start, and a color. */
export interface Frame {
  bar?: string;
  shade?: string;
}

/** The current position in the document, where the next element is placed. */
export class Flow extends Canvas {
  readonly fonts: Fonts;
  left = MARGIN.side;
  right = PAGE.width - MARGIN.side;
  y = MARGIN.top;
  /** Direction of the current block. */
  direction: Direction;
  /** Positions of the destinations that exist. */
  readonly positions = new Map<string, unknown[]>();
  /** Number of the current page. */
  pageNumber: number;
  #frames: Array<Frame & { left: number; right: number; direction: Direction }> = [];
  #isOpen = false;
  #isFresh = true;
  #gap = 0;
  #onNextLine: Array<(y: number) => void> = [];

  /**
   * @param before number of pages before the first page of this flow
   * @param direction of the document
   * @param tags of the document; without them, nothing is drawn
   */
  constructor(doc: PdfDoc, fonts: Fonts, before: number, direction: Direction = 'ltr', tags?: Tags) {
    super(doc, tags);
    this.direction = direction;
    this.fonts = fonts;
    this.pageNumber = before;
  }

  get width(): number {
    return this.right - this.left;
  }

  newPage(): void {
    this.endPage();
    this.doc.addPage();
    this.pageNumber += 1;
    this.#isOpen = true;
    this.#isFresh = true;
    this.#gap = 0;
    this.y = MARGIN.top;
  }

  /** Prints the page number at the bottom of the page: last, because text readers read a page in drawing order. */
  endPage(): void {
    if (!this.#isOpen) {
      return;
    }
    this.#isOpen = false;
    const style = { ...BODY, size: 8, color: INK.muted };
    const [line] = breakLines([{ text: String(this.pageNumber), style }], PAGE.width, this.fonts);
    if (line) {
      this.artifact(() => this.drawLine(line, PAGE.width / 2 - line.width / 2, PAGE.height - 42));
    }
    this.tags?.endPage();
  }

  /** Adds space before the next element, unless it starts a page. Of several spaces the largest applies. */
  space(height = BLOCK_GAP_POINTS): void {
    this.#gap = Math.max(this.#gap, height);
  }

  /** Returns whether a height fits the rest of the page; anything fits an empty page. */
  fits(height: number): boolean {
    return this.#isFresh || this.y + this.#gap + height <= BOTTOM_POINTS;
  }

  /** Starts a new page if a height does not fit the rest of the page. */
  ensure(height: number): void {
    if (!this.fits(height)) {
      this.newPage();
    }
  }

  /** Reserves space on the page, and calls `draw` with its position. */
  place(height: number, draw: (x: number, y: number) => void): void {
    this.ensure(height);
    if (!this.#isFresh) {
      this.#advance(this.#gap);
    }
    this.#gap = 0;
    const y = this.y;
    this.#advance(height);
    this.#isFresh = false;
    for (const drawBefore of this.#onNextLine.splice(0)) {
      drawBefore(y);
    }
    draw(this.left, y);
  }

  /** Draws something right before the next element, at the same height. */
  onNextLine(draw: (y: number) => void): void {
    this.#onNextLine.push(draw);
  }

  /** Prints paragraphs in the current width. */
  text(spans: readonly Span[], options: { align?: 'start' | 'center' | 'end' | undefined } = {}): void {
    const close = this.paragraph();
    for (const line of this.lines(spans)) {
      this.line(line, options.align);
    }
    close();
  }

  /** Breaks a paragraph into lines, in the direction of the current block. */
  lines(spans: readonly Span[], width = this.width): Line[] {
    return breakLines(spans, width, this.fonts, this.direction);
  }

  line(line: Line, align: 'start' | 'center' | 'end' = 'start'): void {
    this.place(line.height, (x, y) => this.lineAt(line, x, y, this.width, align));
  }

  /** Draws a line at a position, aligned within a width. */
  lineAt(line: Line, x: number, y: number, width: number, align: 'start' | 'center' | 'end' = 'start'): void {
    const free = width - line.width;
    const start = align === 'center' ? free / 2 : (align === 'end') === line.rtl ? 0 : free;
    this.drawLine(line, x + start, y);
  }

  /** Prints content in a direction. */
  async inDirection(direction: Direction, print: () => Promise<void>): Promise<void> {
    const outer = this.direction;
    this.direction = direction;
    try {
      await print();
    } finally {
      this.direction = outer;
    }
  }

  /** Returns the left end of a box at the start of the current width. */
  startOf(width: number): number {
    return this.direction === 'rtl' ? this.right - width : this.left;
  }

  /** Prints content that is indented from its start in a frame, across as many pages as necessary. */
  async within(indent: number, frame: Frame, print: () => Promise<void>): Promise<void> {
    const { left, right } = this;
    const outer = this.#frames;
    if (frame.shade !== undefined || frame.bar !== undefined) {
      this.ensure(3 * BODY.size);
      this.place(0, () => undefined);
      this.#frames = [...outer, { ...frame, left, right, direction: this.direction }];
      this.#advance(frame.shade === undefined ? 0 : 5);
    }
    const shift = Math.min(indent, Math.max(0, this.width - 80));
    if (this.direction === 'rtl') {
      this.right -= shift;
    } else {
      this.left += shift;
    }
    try {
      await print();
    } finally {
      this.left = left;
      this.right = right;
      if (frame.shade !== undefined && this.y + 5 <= BOTTOM_POINTS) {
        this.#advance(5);
      }
      this.#frames = outer;
    }
  }

  /** Adds a named destination at the position of the next element. */
  addDestination(name: string, height = 0): void {
    this.ensure(height);
    this.destinations.existing.set(name, this.pageNumber);
    this.positions.set(name, [this.doc.page.dictionary, 'XYZ', 0, PAGE.height - this.y, 0]);
    this.doc.addNamedDestination(name, 'XYZ', 0, this.y, 0);
  }

  #advance(height: number): void {
    const bottom = Math.min(this.y + height, BOTTOM_POINTS + 6);
    if (height > 0 && this.#frames.length > 0) {
      this.artifact(() => this.#drawFrames(bottom));
    }
    this.y += height;
  }

  #drawFrames(bottom: number): void {
    for (const { bar, shade, left, right, direction } of this.#frames) {
      if (shade !== undefined) {
        this.doc.rect(left, this.y, right - left, bottom - this.y + 0.3).fill(shade);
      }
      if (bar !== undefined) {
        this.doc
          .rect(direction === 'rtl' ? right - BAR_POINTS : left, this.y, BAR_POINTS, bottom - this.y + 0.3)
          .fill(bar);
      }
    }
  }
}
