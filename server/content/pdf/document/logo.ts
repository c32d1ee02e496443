/** The logo of a site, above the title of the document. */
import type { PdfDoc } from '../boxes.ts';
import type { Flow } from '../flow.ts';
import { fitImage, type PdfImage, type PrintableImage } from '../images.ts';
import { openImage } from './drawn-images.ts';

const MAX_LOGO_POINTS = { width: 200, height: 32 };
/** Space below the logo. */
export const LOGO_GAP_POINTS = 22;

/** Opens a logo; undefined if it cannot be drawn. */
export async function openLogo(doc: PdfDoc, logo: PrintableImage | undefined): Promise<PdfImage | undefined> {
  const image = logo && (await openImage(doc, logo));
  return image && { source: image.source, ...fitImage(image, MAX_LOGO_POINTS) };
}

/** Draws a logo at the start of the current width. */
export function drawLogo(flow: Flow, { source, width, height }: PdfImage, y: number): void {
  // pdfkit gets back the image that it opened; its types only declare the bytes of images.
  flow.doc.image(source as Buffer, flow.startOf(width), y, { width, height });
}
