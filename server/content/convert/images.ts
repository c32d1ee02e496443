import { OutgoingError } from '../../outgoing/errors.ts';
import { hashOf } from '../tree/hash.ts';
import type { Budget } from './budget.ts';
import { fileOf, isImage } from './files.ts';
import type { ConvertedFile } from './types.ts';

/** The largest image that comes along with an imported page. */
export const MAX_IMPORTED_IMAGE_BYTES = 26_214_400;

/** The images of pages, as files by the addresses that the pages name them by. */
export class PageImages {
  readonly files = new Map<string, ConvertedFile>();
  /** Images that are there, as far as can be told, and were not taken. */
  #left = 0;

  /** How many there are, taken or not. */
  get found(): number {
    return this.files.size + this.#left;
  }

  /** Counts an image that nobody went for. */
  leave(): void {
    this.#left++;
  }

  /** Keeps an image that stood in a page itself; answers the address that stands for it. */
  keep = (content: Uint8Array): string => {
    const hash = hashOf(content);
    const address = `embedded:${hash}`;
    if (!this.files.has(address))
      this.files.set(address, fileOf(address, `image-${hash.slice(0, 8)}`, content));
    return address;
  };

  /** Fetches an image. One that is not there, or is none, stays where it is. */
  async fetch(address: string, budget: Budget): Promise<void> {
    try {
      const { status, body, contentType, url } = await budget.fetch(address, {
        maxBytes: MAX_IMPORTED_IMAGE_BYTES,
        accept: 'image/*',
      });
      const file = fileOf(address, nameOf(url), body, contentType);
      if (status === 200 && isImage(file)) this.files.set(address, file);
    } catch (error) {
      if (!(error instanceof OutgoingError) || error.code === 'aborted') throw error;
      if (error.code === 'timeout' || error.code === 'too-large') this.leave();
    }
  }
}

/** The name of a file by its address. */
export function nameOf({ pathname }: URL): string {
  const last = pathname.replace(/\/+$/, '').split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
