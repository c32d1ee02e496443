/** Converts images to those that pdfkit prints, in threads. */
import { LRUCache } from 'lru-cache';
import type { TaskLimits } from '../../threads/thread.ts';
import { TaskLimitError, type Threads } from '../../threads/threads.ts';
import type { PrintableImage } from '../pdf/images.ts';
import { pictureKindOf } from '../pdf/pictures/kind.ts';
import type { PictureTasks } from '../pdf/pictures/tasks.ts';

/** Limits of converting an image. */
export const PICTURE_LIMITS = { processorMs: 5000, timeMs: 20_000, memoryBytes: 512 * 1024 * 1024 };
/** Maximum number of images of a PDF that may exceed these limits. Afterwards no further images are converted. */
export const MAX_COSTLY_PICTURES = 5;
/** Maximum size of the converted images of a PDF that are retained for further pages, in bytes. */
export const MAX_RETAINED_PICTURE_BYTES = 32 * 1024 * 1024;

/** The images of a PDF. */
export class PrintedPictures {
  readonly #threads: Threads<PictureTasks>;
  readonly #options: { owner: string; signal: AbortSignal; limits: TaskLimits };
  readonly #converted = new LRUCache<string, PrintableImage>({
    maxSize: MAX_RETAINED_PICTURE_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length + 1,
  });
  #costly = 0;

  constructor(
    threads: Threads<PictureTasks>,
    options: { owner: string; signal: AbortSignal; limits?: TaskLimits },
  ) {
    this.#threads = threads;
    this.#options = { limits: PICTURE_LIMITS, ...options };
  }

  /**
   * Returns an image to print, with bytes that may be transferred; undefined if it cannot be printed.
   *
   * @param key of the image, to convert it once
   * @throws ThreadsBusyError, and the reason of the signal
   */
  async printable(key: string, image: Uint8Array): Promise<PrintableImage | undefined> {
    if (pictureKindOf(image) === undefined) {
      return { bytes: new Uint8Array(image) };
    }
    const retained = this.#converted.get(key) ?? (await this.#convert(image));
    if (!retained) {
      return undefined;
    }
    this.#converted.set(key, retained);
    return { ...retained, bytes: new Uint8Array(retained.bytes) };
  }

  async #convert(image: Uint8Array): Promise<PrintableImage | undefined> {
    if (this.#costly >= MAX_COSTLY_PICTURES) {
      return undefined;
    }
    const options = { ...this.#options, bytes: image.length };
    try {
      return await this.#threads.run('draw', image, options);
    } catch (error) {
      if (!(error instanceof TaskLimitError)) {
        throw error;
      }
      this.#costly += 1;
      return undefined;
    }
  }
}
