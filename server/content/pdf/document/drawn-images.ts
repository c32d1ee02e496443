/** Images as opened by pdfkit. */
import type { PdfDoc } from '../boxes.ts';
import { type PrintableImage, validImage } from '../images.ts';
import type { OpenedImage } from '../inlines.ts';

interface ImageOpener {
  openImage(bytes: Uint8Array): { width: number; height: number; orientation?: number };
}

/** Opens a valid image, see `validImage`; undefined if it has no size. */
export function openValidImage(
  doc: PdfDoc,
  { bytes, pixelRatio = 1 }: PrintableImage,
): OpenedImage | undefined {
  // pdfkit returns the opened image; its types omit the method.
  const image = (doc as unknown as ImageOpener).openImage(bytes);
  if (!(image.width > 0 && image.height > 0)) {
    return undefined;
  }
  const isRotated = (image.orientation ?? 1) > 4;
  const [width, height] = isRotated ? [image.height, image.width] : [image.width, image.height];
  return { source: image, width: width / pixelRatio, height: height / pixelRatio };
}

/** Opens an image; undefined if it cannot be drawn. */
export async function openImage(doc: PdfDoc, image: PrintableImage): Promise<OpenedImage | undefined> {
  try {
    const bytes = await validImage(image.bytes);
    return bytes && openValidImage(doc, { ...image, bytes });
  } catch {
    return undefined;
  }
}
