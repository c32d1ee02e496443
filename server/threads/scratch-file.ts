import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A byte range of a {@link ScratchFile}. */
export interface ScratchRange {
  position: number;
  length: number;
}

/**
 * A temporary file for data that exceeds the memory. It is unlinked while it is open, so that nothing is left behind
 * even if the process is killed.
 */
export class ScratchFile implements Disposable {
  /** File descriptor, which other threads of the process can read from, see {@link readScratch}. */
  readonly descriptor: number;
  #length = 0;

  /** @param folder an existing folder */
  constructor(folder: string) {
    const path = join(folder, `texts-${randomUUID()}`);
    this.descriptor = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
  }

  /** Size in bytes. */
  get size(): number {
    return this.#length;
  }

  /** Appends bytes and returns their range. */
  append(bytes: Uint8Array): ScratchRange {
    const range = { position: this.#length, length: bytes.length };
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.descriptor, bytes, written, bytes.length - written, range.position + written);
    }
    this.#length += bytes.length;
    return range;
  }

  /** Appends a stream, one chunk at a time. Must not run concurrently with other appends. */
  async appendAll(parts: AsyncIterable<Uint8Array>): Promise<ScratchRange> {
    const position = this.#length;
    for await (const part of parts) {
      this.append(part);
    }
    return { position, length: this.#length - position };
  }

  read(range: ScratchRange): Uint8Array {
    return readScratch(this.descriptor, range);
  }

  [Symbol.dispose](): void {
    closeSync(this.descriptor);
  }
}

/**
 * Reads from a {@link ScratchFile} by its descriptor.
 *
 * @throws {Error} if the file ends before the range
 */
export function readScratch(descriptor: number, { position, length }: ScratchRange): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const read = readSync(descriptor, bytes, done, length - done, position + done);
    if (read === 0) {
      throw new Error(`The scratch file is truncated at byte ${position + done}.`);
    }
    done += read;
  }
  return bytes;
}

/** Texts by name. Implemented by `Map` for texts in memory. */
export interface Texts extends Iterable<[name: string, text: string]> {
  readonly size: number;
  get(name: string): string | undefined;
  set(name: string, text: string): unknown;
  delete(name: string): boolean;
  keys(): Iterable<string>;
}

/** Texts by name, stored in a temporary file. */
export class TextsOnDisk implements Texts, Disposable {
  readonly #file: ScratchFile;
  readonly #ranges = new Map<string, ScratchRange>();

  /** @param folder an existing folder */
  constructor(folder: string) {
    this.#file = new ScratchFile(folder);
  }

  get size(): number {
    return this.#ranges.size;
  }

  get(name: string): string | undefined {
    const range = this.#ranges.get(name);
    return range && Buffer.from(this.#file.read(range)).toString('utf8');
  }

  set(name: string, text: string): void {
    this.#ranges.set(name, this.#file.append(Buffer.from(text)));
  }

  delete(name: string): boolean {
    return this.#ranges.delete(name);
  }

  keys(): Iterable<string> {
    return this.#ranges.keys();
  }

  *[Symbol.iterator](): Iterator<[string, string]> {
    for (const name of this.#ranges.keys()) {
      yield [name, this.get(name) ?? ''];
    }
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}
