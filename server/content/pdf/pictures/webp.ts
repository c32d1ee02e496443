/** Converts WebP images. */
import { decode } from '@cwasm/webp';
import { imageSize } from 'image-size';
import type { PrintableImage } from '../images.ts';
import { encodePng } from './png.ts';

/** Maximum number of pixels of a WebP image in a PDF. Larger images are not decompressed. */
export const MAX_WEBP_PIXELS = 16_000_000;

/** Converts a WebP image; undefined if it is broken, animated or too large. */
export function convertWebp(bytes: Uint8Array): PrintableImage | undefined {
  try {
    const { width, height } = imageSize(bytes);
    return width * height > MAX_WEBP_PIXELS ? undefined : { bytes: encodePng(decode(bytes)) };
  } catch {
    return undefined;
  }
}
