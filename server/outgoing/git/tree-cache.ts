import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CachedTrees, TreeEntry } from './trees.ts';

/** Maximum size of the cached trees of a copy of a Git repository; larger ones are not cached. */
export const MAX_CACHED_TREES_BYTES = 67_108_864;

// Another format needs another name.
const NAME = 'trees-1';

/**
 * The trees of a commit by their IDs, in a file of a local copy, so that the next import reads only trees that changed.
 * Depends on nothing but the objects of the repository.
 */
export class TreeCache implements CachedTrees {
  readonly #path: string;
  /** Lines of the file by ID, parsed on access. */
  #lines = new Map<string, string>();
  readonly #used = new Set<string>();
  #isChanged = false;

  /** @param folder of the copy */
  constructor(folder: string) {
    this.#path = join(folder, NAME);
  }

  /** Reads the file. Without this call or without a file, no trees are cached. */
  async open(): Promise<void> {
    const isSmall = await stat(this.#path).then(
      ({ size }) => size <= MAX_CACHED_TREES_BYTES,
      () => false,
    );
    const lines = isSmall ? (await readFile(this.#path, 'utf8')).split('\n') : [];
    this.#lines = new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line]));
  }

  get(oid: string): readonly TreeEntry[] | undefined {
    const line = this.#lines.get(oid);
    if (line === undefined) {
      return undefined;
    }
    try {
      // Only `add` writes these lines.
      const entries = JSON.parse(line.slice(oid.length + 1)) as TreeEntry[];
      this.#used.add(oid);
      return entries;
    } catch {
      // A power cut may leave a part of the file.
      return undefined;
    }
  }

  add(oid: string, entries: readonly TreeEntry[]): void {
    this.#lines.set(oid, `${oid} ${JSON.stringify(entries)}`);
    this.#used.add(oid);
    this.#isChanged = true;
  }

  /** Writes the trees that were used or added, in place of earlier ones. */
  async save(): Promise<void> {
    const text = Array.from(this.#used, (oid) => this.#lines.get(oid)).join('\n');
    if (!this.#isChanged || Buffer.byteLength(text) > MAX_CACHED_TREES_BYTES) {
      return;
    }
    await writeFile(`${this.#path}.new`, text, { mode: 0o600 });
    await rename(`${this.#path}.new`, this.#path);
  }
}
