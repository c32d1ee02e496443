import { OutgoingError } from '../../outgoing/errors.ts';
import { trimEndOf } from '../markdown/text-ends.ts';
import type { ContentProblem } from '../repository/types.ts';
import { hashOf } from '../tree/hash.ts';
import type { Budget } from './budget.ts';
import { fileOf, isImage } from './files.ts';
import { fetchProblem } from './problems.ts';
import type { ConvertedFile } from './types.ts';

/** Maximum size of an image of an imported page. */
export const MAX_IMPORTED_IMAGE_BYTES = 26_214_400;

/** Collects the images of pages as files, by the URLs in the pages. */
export class PageImages {
  readonly files = new Map<string, ConvertedFile>();
  /** Images that presumably exist and were not imported. */
  readonly problems: ContentProblem[] = [];
  /** Number of images that are not fetched. */
  #skipped = 0;

  /** Number of images, imported or not. */
  get count(): number {
    return this.files.size + this.problems.length + this.#skipped;
  }

  /** Counts an image that is not fetched. */
  skip(): void {
    this.#skipped++;
  }

  /** Stores an image embedded in a page and returns the URL that replaces it. */
  add = (content: Uint8Array): string => {
    const hash = hashOf(content);
    const address = `embedded:${hash}`;
    if (!this.files.has(address)) {
      this.files.set(address, fileOf(address, `image-${hash.slice(0, 8)}`, content));
    }
    return address;
  };

  /** Fetches an image. A missing or invalid one is left at its URL. */
  async fetch(address: string, budget: Budget): Promise<void> {
    try {
      const { status, body, contentType, url } = await budget.fetch(address, {
        maxBytes: MAX_IMPORTED_IMAGE_BYTES,
        accept: 'image/*',
      });
      const file = fileOf(address, urlFileName(url), body, contentType);
      if (status === 200 && isImage(file)) {
        this.files.set(address, file);
      }
    } catch (error) {
      if (!(error instanceof OutgoingError) || error.code === 'aborted') {
        throw error;
      }
      if (error.code === 'timeout' || error.code === 'too-large') {
        this.problems.push(fetchProblem(address, error));
      }
    }
  }
}

/** Returns the file name of a URL. */
export function urlFileName({ pathname }: URL): string {
  const last = trimEndOf(pathname, '/').split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
