import type { ImportHost } from '../../../content/convert/tasks.ts';
import type { PendingFiles } from '../../../content/store/pending-files.ts';

/** Stores the files of an import part by part, as its thread hands them over. */
export class FileReceiver implements Disposable {
  readonly #files: PendingFiles;
  /** The file that is not whole yet. */
  #open: { writer: WritableStreamDefaultWriter<Uint8Array>; stored: Promise<unknown> } | undefined;
  /** Why a file could not be stored: a thread reports the text of an error alone. */
  failure: unknown;

  constructor(files: PendingFiles) {
    this.#files = files;
  }

  readonly host: ImportHost = {
    storePart: async (part) => {
      const { writer, stored } = this.#start();
      try {
        if (part) await Promise.race([writer.write(part), stored]);
        else {
          await writer.close();
          await stored;
          this.#open = undefined;
        }
      } catch (error) {
        // A write that fails because storing failed does not know why.
        this.failure ??= await stored.then(
          () => error,
          (reason: unknown) => reason,
        );
        throw this.failure;
      }
    },
  };

  /** Gives up a file that did not come to its end. */
  [Symbol.dispose](): void {
    this.#open?.writer.abort(new Error('The import ended.')).catch(() => undefined);
  }

  #start() {
    if (this.#open) return this.#open;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const stored = this.#files.add(readable);
    // Where it fails, the next part reports it.
    stored.catch(() => undefined);
    this.#open = { writer: writable.getWriter(), stored };
    return this.#open;
  }
}
