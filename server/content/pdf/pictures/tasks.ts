/** The tasks that convert images to those that pdfkit prints, in their own threads: an image may exceed their limits. */
import type { PrintableImage } from '../images.ts';
import { pictureKindOf } from './kind.ts';
import { drawSvg } from './svg.ts';
import { convertWebp } from './webp.ts';

export const pictureTasks = {
  /** Converts an image; undefined if it cannot be printed. */
  async draw(bytes: Uint8Array): Promise<PrintableImage | undefined> {
    return pictureKindOf(bytes) === 'webp' ? convertWebp(bytes) : await drawSvg(bytes);
  },
};

export type PictureTasks = typeof pictureTasks;
