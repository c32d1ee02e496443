import type { ImportHost } from '../../../content/convert/tasks.ts';
import type { PendingFiles } from '../../../content/store/pending-files.ts';

/** Stores the files of an import part by part, as its thread passes them on. */
export class FileReceiver implements Disposable {
  readonly #files: PendingFiles;
  /** The incomplete file. */
  #open: { writer: WritableStreamDefaultWriter<Uint8Array>; stored: Promise<unknown> } | undefined;
  /** The error of storing a file. The thread only reports its message. */
  failure: unknown;

  constructor(files: PendingFiles) {
    this.#files = files;
  }

  readonly host: ImportHost = {
    storePart: async (part) => {
      const { writer, stored } = this.#start();
      try {
        if (part) {
          await Promise.race([writer.write(part), stored]);
        } else {
          await writer.close();
          await stored;
          this.#open = undefined;
        }
      } catch (error) {
        // A failed write does not have the reason; the failed storing has.
        this.failure ??= await stored.then(
          () => error,
          (reason: unknown) => reason,
        );
        throw this.failure;
      }
    },
  };

  /** Aborts an incomplete file. */
  [Symbol.dispose](): void {
    this.#open?.writer
      .abort(new Error('The import ended before the file was complete.'))
      .catch(() => undefined);
  }

  #start() {
    if (this.#open) {
      return this.#open;
    }
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const stored = this.#files.add(readable);
    // The next part reports a failure.
    stored.catch(() => undefined);
    this.#open = { writer: writable.getWriter(), stored };
    return this.#open;
  }
}
