import type { Transaction } from '../../database/database.ts';
import type { Dimensions, StoredFile } from '../tree/records.ts';
import { finishUpload, type PendingUpload, storePendingUpload, type UploadServices } from './blob-uploads.ts';
import { abandonUploads } from './expired-uploads.ts';

/**
 * Files that are stored while they arrive, ahead of the revision that will refer to them. {@link publish} makes them
 * part of its transaction; unpublished files are deleted on disposal (`await using`).
 */
export class PendingFiles implements AsyncDisposable {
  readonly organization: string;
  readonly #services: UploadServices;
  readonly #dimensionsOf: (head: Uint8Array) => Dimensions | undefined;
  readonly #uploads: Omit<PendingUpload, 'head'>[] = [];

  /** @param dimensionsOf returns the dimensions of an image from its first bytes, undefined for other content */
  constructor(
    services: UploadServices,
    organization: string,
    dimensionsOf: (head: Uint8Array) => Dimensions | undefined,
  ) {
    this.#services = services;
    this.organization = organization;
    this.#dimensionsOf = dimensionsOf;
  }

  /**
   * Stores a file while it arrives, in constant memory.
   *
   * @throws FileTooLargeError beyond `maxBytes`, and errors of `source`; nothing is retained then
   */
  async add(source: AsyncIterable<Uint8Array>, maxBytes?: number): Promise<StoredFile> {
    const { head, ...upload } = await storePendingUpload(this.#services, this.organization, source, maxBytes);
    this.#uploads.push(upload);
    const dimensions = this.#dimensionsOf(head);
    return { blob: upload.hash, size: upload.size, ...(dimensions && { dimensions }) };
  }

  /**
   * Makes the files available to revisions when the transaction commits.
   *
   * @throws ContractError 403 if the organization would have too many bytes
   */
  async publish(trx: Transaction): Promise<void> {
    for (const upload of this.#uploads) {
      await finishUpload(trx, this.#services, upload);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const contents = this.#uploads.map(({ content }) => content);
    await abandonUploads(this.#services, this.organization, contents);
  }
}
