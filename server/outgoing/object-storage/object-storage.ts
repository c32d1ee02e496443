import type { S3 } from './s3.ts';
import { describeLocation, type ObjectStorageSettings } from './settings.ts';
import type { ObjectStorageOptions, SignedHeaders, StoredObject } from './types.ts';

/**
 * Immutable objects by key, in a bucket with the API of Amazon S3. Every method ends within the time limits of
 * `s3.ts`, and throws `ObjectStorageError` if the storage does not respond or rejects a request.
 *
 * The operator chooses its address, so that it may be private. The client is loaded with the first request.
 */
export class ObjectStorage {
  /** The bucket and the prefix as operators read them. */
  readonly location: string;
  /** Whether new files are stored here. */
  readonly receivesFiles: boolean;
  /** Whether downloads of large files are redirected to signed URLs. */
  readonly redirectsDownloads: boolean;
  readonly #settings: ObjectStorageSettings;
  readonly #options: ObjectStorageOptions;
  #client: Promise<S3> | undefined;

  constructor(settings: ObjectStorageSettings, options: ObjectStorageOptions = {}) {
    this.#settings = settings;
    this.#options = options;
    this.location = describeLocation(settings);
    this.receivesFiles = settings.receivesFiles;
    this.redirectsDownloads = settings.redirectsDownloads;
  }

  /**
   * Stores an object while its bytes arrive, in parts of limited size. An object that was not stored completely does
   * not exist; the parts that a killed process leaves are deleted by {@link remove}.
   *
   * @throws also errors of `source`
   */
  async store(key: string, source: AsyncIterable<Uint8Array>): Promise<void> {
    const client = await this.#open();
    await client.store(key, source);
  }

  /**
   * Reads the bytes from `first` to `last`, both inclusive.
   *
   * @throws also ObjectMissingError
   */
  async *read(
    key: string,
    { first, last }: { first: number; last: number },
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const client = await this.#open();
    yield* client.read(key, first, last);
  }

  /** Returns the size of an object in bytes; undefined if it does not exist. */
  async sizeOf(key: string): Promise<number | undefined> {
    return await (await this.#open()).sizeOf(key);
  }

  /** Lists the objects whose keys start with a text. */
  async *list(start: string): AsyncGenerator<StoredObject, void, undefined> {
    yield* (await this.#open()).list(start);
  }

  /** Deletes objects, which may not exist, and the parts of incomplete ones. */
  async remove(keys: readonly string[]): Promise<void> {
    await (await this.#open()).remove(keys);
  }

  /** Returns a URL at which the storage itself sends an object for a few minutes, with these headers. */
  async signedUrl(key: string, headers: SignedHeaders): Promise<string> {
    return await (await this.#open()).signedUrl(key, headers);
  }

  async close(): Promise<void> {
    await (await this.#client)?.close();
  }

  #open(): Promise<S3> {
    this.#client ??= import('./s3.ts').then(({ S3 }) => new S3(this.#settings, this.#options));
    return this.#client;
  }
}

/** Creates the object storage of a configuration. It connects with the first request. */
export const openObjectStorage = (
  settings: ObjectStorageSettings | undefined,
  options?: ObjectStorageOptions,
): ObjectStorage | undefined => settings && new ObjectStorage(settings, options);
