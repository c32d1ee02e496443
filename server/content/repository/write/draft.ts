import type { Texts } from '../../../threads/scratch-file.ts';
import type { RepositoryFile, RepositoryFiles } from '../files.ts';
import { decodeText } from '../text.ts';

/** A repository with the changes applied. */
export class Draft {
  readonly texts: Texts;
  /** The repository without the changes. */
  readonly head: RepositoryFiles;
  readonly #files: Map<string, RepositoryFile>;

  constructor(head: RepositoryFiles, removed: readonly string[], written: Iterable<string>, texts: Texts) {
    this.head = head;
    this.texts = texts;
    this.#files = new Map(head.list().map((file) => [file.path, file]));
    for (const path of removed) {
      this.#files.delete(path);
    }
    for (const path of written) {
      this.#files.set(path, newFile(path));
    }
  }

  /** Returns the current files; their texts are read on access. */
  files(): RepositoryFiles {
    const files = this.list();
    return {
      list: () => files,
      read: (path) => {
        const text = this.texts.get(path);
        return text === undefined ? this.head.read(path) : Buffer.from(text);
      },
      readIncluded: (path) => {
        const text = this.texts.get(path);
        if (text !== undefined) {
          return Buffer.from(text);
        }
        return this.head.readIncluded ? this.head.readIncluded(path) : this.head.read(path);
      },
      ...(this.head.findOutside && { findOutside: this.head.findOutside }),
      skipped: this.head.skipped ?? [],
    };
  }

  list(): RepositoryFile[] {
    const fresh = [...this.texts.keys()].filter((path) => !this.#files.has(path));
    return [...this.#files.values(), ...fresh.map(newFile)];
  }

  /** Whether the repository has a file, of any kind. */
  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** Returns the current text at a path. */
  textAtHead(path: string): string | undefined {
    const content = this.#files.has(path) ? this.head.read(path) : undefined;
    return content && decodeText(content);
  }
}

function newFile(path: string): RepositoryFile {
  return { path, oid: '', size: 0, mode: '100644' };
}
