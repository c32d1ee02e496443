import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { Agent } from 'undici';
import { ObjectMissingError, ObjectStorageError } from './errors.ts';
import { httpHandler } from './http-handler.ts';
import { describeLocation, type ObjectStorageSettings } from './settings.ts';
import type { ObjectStorageOptions, SignedHeaders, StoredObject } from './types.ts';

/** Size of a part of an object, the minimum of the API: up to three of an upload are in memory. */
export const OBJECT_PART_BYTES = 5 * 1024 * 1024;
/** Validity of the signed URL of a download. */
export const SIGNED_DOWNLOAD_LIFETIME_MS = 5 * 60 * 1000;
/** Maximum attempts of a request to the object storage. */
export const MAX_OBJECT_REQUEST_ATTEMPTS = 3;
/** Time limit for connecting to the object storage. */
export const OBJECT_CONNECT_TIMEOUT_MS = 5000;
/** Time limit of an attempt until the response of the object storage starts. */
export const OBJECT_RESPONSE_TIMEOUT_MS = 20_000;
/** Time limit of the transfer of a part to the object storage, until its response starts. */
export const OBJECT_PART_TIMEOUT_MS = 60_000;
/** Maximum pause of a response of the object storage. */
export const OBJECT_PAUSE_TIMEOUT_MS = 20_000;
/** Maximum objects that are deleted at the same time. */
export const MAX_CONCURRENT_OBJECT_REMOVALS = 8;

/** The requests of `ObjectStorage`, sent by the client of Amazon, which refreshes temporary credentials. */
export class S3 {
  readonly #settings: ObjectStorageSettings;
  readonly #agent = new Agent({
    allowH2: false,
    connect: { timeout: OBJECT_CONNECT_TIMEOUT_MS },
    // Covered by the time limit of an attempt.
    headersTimeout: 0,
    bodyTimeout: OBJECT_PAUSE_TIMEOUT_MS,
  });
  readonly #client: S3Client;
  readonly #onFailure: ObjectStorageOptions['onFailure'];

  constructor(
    settings: ObjectStorageSettings,
    { responseTimeoutMs = OBJECT_RESPONSE_TIMEOUT_MS, onFailure }: ObjectStorageOptions,
  ) {
    this.#onFailure = onFailure;
    const { endpoint, region, usesPathStyle } = settings;
    this.#settings = settings;
    this.#client = new S3Client({
      ...(endpoint !== undefined && { endpoint }),
      ...(region !== undefined && { region }),
      forcePathStyle: usesPathStyle,
      maxAttempts: MAX_OBJECT_REQUEST_ATTEMPTS,
      // The HTTP client does not support it.
      expectContinueHeader: false,
      requestHandler: httpHandler(this.#agent, ({ body }) =>
        body instanceof Uint8Array ? OBJECT_PART_TIMEOUT_MS : responseTimeoutMs,
      ),
      // Signed requests contain the hash of their bytes. Many services know no other checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  async store(key: string, source: AsyncIterable<Uint8Array>): Promise<void> {
    await using parts = partsOf(source);
    const { value: first = Buffer.alloc(0) } = await parts.next();
    const second = await parts.next();
    if (second.done) {
      await this.#call(() => this.#client.send(new PutObjectCommand({ ...this.#at(key), Body: first })));
      return;
    }
    const { UploadId } = await this.#call(() =>
      this.#client.send(new CreateMultipartUploadCommand(this.#at(key))),
    );
    const upload = { ...this.#at(key), UploadId };
    try {
      const completed: CompletedPart[] = [];
      const send = async (Body: Uint8Array) => {
        const PartNumber = completed.length + 1;
        const { ETag } = await this.#call(() =>
          this.#client.send(new UploadPartCommand({ ...upload, PartNumber, Body })),
        );
        completed.push({ PartNumber, ETag });
      };
      await send(first);
      await send(second.value);
      for await (const part of parts) {
        await send(part);
      }
      await this.#call(() =>
        this.#client.send(
          new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: completed } }),
        ),
      );
    } catch (error) {
      // If this fails too, the removal of the object deletes the parts.
      await this.#client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
      throw error;
    }
  }

  async *read(key: string, first: number, last: number): AsyncGenerator<Uint8Array, void, undefined> {
    const { Body, ContentLength } = await this.#call(
      () => this.#client.send(new GetObjectCommand({ ...this.#at(key), Range: `bytes=${first}-${last}` })),
      key,
    );
    if (ContentLength !== last + 1 - first) {
      await Body?.transformToWebStream().cancel();
      throw new ObjectMissingError(key);
    }
    try {
      // In Node.js, the client returns the body of the HTTP handler, which is a stream of bytes.
      for await (const chunk of Body as AsyncIterable<Uint8Array>) {
        yield chunk;
      }
    } catch (error) {
      throw this.#failure(error);
    }
  }

  async sizeOf(key: string): Promise<number | undefined> {
    try {
      const { ContentLength } = await this.#call(
        () => this.#client.send(new HeadObjectCommand(this.#at(key))),
        key,
      );
      return ContentLength ?? 0;
    } catch (error) {
      if (error instanceof ObjectMissingError) {
        return undefined;
      }
      throw error;
    }
  }

  async *list(start: string): AsyncGenerator<StoredObject, void, undefined> {
    const { bucket, prefix } = this.#settings;
    const pages = paginateListObjectsV2({ client: this.#client }, { Bucket: bucket, Prefix: prefix + start });
    try {
      for await (const { Contents = [] } of pages) {
        for (const { Key = '', Size = 0 } of Contents) {
          yield { key: Key.slice(prefix.length), size: Size };
        }
      }
    } catch (error) {
      throw this.#failure(error);
    }
  }

  async remove(keys: readonly string[]): Promise<void> {
    const removed = new Set(keys);
    for (const folder of new Set(keys.map((key) => key.slice(0, key.indexOf('/') + 1)))) {
      await this.#abortUploads(folder, removed);
    }
    const rest = [...removed];
    while (rest.length > 0) {
      const batch = rest.splice(0, MAX_CONCURRENT_OBJECT_REMOVALS);
      await Promise.all(
        batch.map((key) => this.#call(() => this.#client.send(new DeleteObjectCommand(this.#at(key))))),
      );
    }
  }

  async signedUrl(key: string, { contentType, contentDisposition, caching }: SignedHeaders): Promise<string> {
    const command = new GetObjectCommand({
      ...this.#at(key),
      ResponseContentType: contentType,
      ResponseContentDisposition: contentDisposition,
      ResponseCacheControl: caching,
    });
    return await this.#call(() =>
      getSignedUrl(this.#client, command, { expiresIn: SIGNED_DOWNLOAD_LIFETIME_MS / 1000 }),
    );
  }

  async close(): Promise<void> {
    this.#client.destroy();
    await this.#agent.destroy();
  }

  /** Deletes the parts of incomplete objects, which a killed process has left. */
  async #abortUploads(folder: string, keys: ReadonlySet<string>): Promise<void> {
    const { bucket, prefix } = this.#settings;
    for (let after: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}; after; ) {
      const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix + folder, ...after });
      const page: ListMultipartUploadsCommandOutput = await this.#call(() => this.#client.send(command));
      const { Uploads = [], IsTruncated, NextKeyMarker, NextUploadIdMarker } = page;
      for (const { Key = '', UploadId } of Uploads) {
        if (keys.has(Key.slice(prefix.length))) {
          const upload = { Bucket: bucket, Key, UploadId };
          await this.#call(() => this.#client.send(new AbortMultipartUploadCommand(upload)));
        }
      }
      after =
        IsTruncated && NextKeyMarker !== undefined
          ? { KeyMarker: NextKeyMarker, ...(NextUploadIdMarker && { UploadIdMarker: NextUploadIdMarker }) }
          : undefined;
    }
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#settings.bucket, Key: this.#settings.prefix + key };
  }

  async #call<Result>(send: () => Promise<Result>, key?: string): Promise<Result> {
    try {
      return await send();
    } catch (error) {
      const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
      const isBucket = error instanceof Error && error.name === 'NoSuchBucket';
      // 416 if it is shorter than a requested range.
      throw (status === 404 || status === 416) && key !== undefined && !isBucket
        ? new ObjectMissingError(key)
        : this.#failure(error);
    }
  }

  #failure(error: unknown): ObjectStorageError {
    if (error instanceof ObjectStorageError) {
      return error;
    }
    const reason =
      error instanceof S3ServiceException
        ? `rejected a request with status ${error.$metadata.httpStatusCode} (${error.name})`
        : `is not available: ${causeOf(error)}`;
    const location = describeLocation(this.#settings);
    const failure = new ObjectStorageError(`The file storage ${location} ${reason.replace(/\.$/, '')}.`, {
      cause: error,
    });
    this.#onFailure?.(failure);
    return failure;
  }
}

/** Returns the message of the first cause of an error. */
function causeOf(error: unknown): string {
  if (error instanceof AggregateError) {
    return causeOf(error.errors[0]);
  }
  if (!(error instanceof Error)) {
    return String(error);
  }
  return error.cause === undefined ? error.message : causeOf(error.cause);
}

/** Divides bytes into parts of equal size, except for the last one. */
async function* partsOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  let part = Buffer.allocUnsafe(OBJECT_PART_BYTES);
  let filled = 0;
  for await (const chunk of source) {
    for (let at = 0; at < chunk.byteLength; ) {
      const piece = chunk.subarray(at, at + OBJECT_PART_BYTES - filled);
      part.set(piece, filled);
      filled += piece.byteLength;
      at += piece.byteLength;
      if (filled === OBJECT_PART_BYTES) {
        yield part;
        part = Buffer.allocUnsafe(OBJECT_PART_BYTES);
        filled = 0;
      }
    }
  }
  if (filled > 0) {
    yield part.subarray(0, filled);
  }
}
