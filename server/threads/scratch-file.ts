import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Where bytes are in a {@link ScratchFile}. */
export interface ScratchPlace {
  position: number;
  length: number;
}

/**
 * A file for what is too much for the memory. It has no name while it is in use, so nothing is left of it, even by a
 * process that is killed.
 */
export class ScratchFile implements Disposable {
  /** Of the whole process: its threads can read from it, see {@link readScratch}. */
  readonly descriptor: number;
  #length = 0;

  /** @param folder an existing one */
  constructor(folder: string) {
    const path = join(folder, `texts-${randomUUID()}`);
    this.descriptor = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
  }

  append(bytes: Uint8Array): ScratchPlace {
    const place = { position: this.#length, length: bytes.length };
    for (let written = 0; written < bytes.length; )
      written += writeSync(this.descriptor, bytes, written, bytes.length - written, place.position + written);
    this.#length += bytes.length;
    return place;
  }

  /** Appends what arrives, of which a part at a time is in memory. Nothing else may be appended meanwhile. */
  async appendAll(parts: AsyncIterable<Uint8Array>): Promise<ScratchPlace> {
    const position = this.#length;
    for await (const part of parts) this.append(part);
    return { position, length: this.#length - position };
  }

  read(place: ScratchPlace): Uint8Array {
    return readScratch(this.descriptor, place);
  }

  [Symbol.dispose](): void {
    closeSync(this.descriptor);
  }
}

/**
 * Reads from a {@link ScratchFile} by its descriptor.
 *
 * @throws {Error} if the file ends before the place does
 */
export function readScratch(descriptor: number, { position, length }: ScratchPlace): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const read = readSync(descriptor, bytes, done, length - done, position + done);
    if (read === 0) throw new Error(`A scratch file ends at byte ${position + done}, before its content.`);
    done += read;
  }
  return bytes;
}

/** Texts by name. A `Map` holds them in memory. */
export interface Texts extends Iterable<[name: string, text: string]> {
  readonly size: number;
  get(name: string): string | undefined;
  set(name: string, text: string): unknown;
  delete(name: string): boolean;
  keys(): Iterable<string>;
}

/** Texts in a file on the disk: each is in memory only while it is used. */
export class TextsOnDisk implements Texts, Disposable {
  readonly #file: ScratchFile;
  readonly #places = new Map<string, ScratchPlace>();

  /** @param folder an existing one */
  constructor(folder: string) {
    this.#file = new ScratchFile(folder);
  }

  get size(): number {
    return this.#places.size;
  }

  get(name: string): string | undefined {
    const place = this.#places.get(name);
    return place && Buffer.from(this.#file.read(place)).toString('utf8');
  }

  set(name: string, text: string): void {
    this.#places.set(name, this.#file.append(Buffer.from(text)));
  }

  delete(name: string): boolean {
    return this.#places.delete(name);
  }

  keys(): Iterable<string> {
    return this.#places.keys();
  }

  *[Symbol.iterator](): Iterator<[string, string]> {
    for (const name of this.#places.keys()) yield [name, this.get(name) ?? ''];
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}
