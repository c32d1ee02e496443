/** Boxes: what is drawn in a line like a character, such as images, icons and buttons. */
import type PDFDocument from 'pdfkit';
import type { PdfImage } from './images.ts';

export type PdfDoc = typeof PDFDocument.prototype;

/** Something that is drawn in a line like a character. Sizes are in points. */
export interface InlineBox {
  width: number;
  /** Height above the baseline. */
  ascent: number;
  /** Height below the baseline. */
  descent: number;
  /** Width without the space to its right. */
  solidWidth?: number;
  /** Description of an image. */
  alt?: string;
  /** Draws the box with its left end at `x`. */
  draw(doc: PdfDoc, x: number, baseline: number): void;
}

/** The object replacement character, which a box is in the text of its line. It is not drawn. */
export const BOX_CHARACTER = '\ufffc';

/** Returns a box with an image. */
export const imageBox = ({ source, width, height }: PdfImage): InlineBox => ({
  width,
  ascent: height,
  descent: 0,
  // pdfkit gets back the image that it opened; its types only declare the bytes of images.
  draw: (doc, x, baseline) => doc.image(source as Buffer, x, baseline - height, { width, height }),
});
