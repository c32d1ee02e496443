/** PDFs that are being printed, each for all of its readers. */
import { once, setMaxListeners } from 'node:events';
import { ScratchFile, type ScratchRange } from '../../../threads/scratch-file.ts';

/** Maximum size of a PDF, in bytes. */
export const MAX_PDF_BYTES = 1024 * 1024 * 1024;

/** What a print writes to, and when it has to end. */
export interface PrintOutput {
  /** Aborts when no reader is left. */
  signal: AbortSignal;
  /** Appends bytes, which all readers receive. */
  write(bytes: Uint8Array): void;
  /** Returns everything that was written. From now on, the work is completed even without readers. */
  complete(): AsyncIterable<Uint8Array>;
}

/**
 * Prints with readers. Concurrent readers of the same PDF share one print: what it writes is stored in a temporary file
 * that each reads at its own pace, so that a slow reader does not occupy a thread.
 */
export class SharedPrints {
  readonly #folder: string;
  readonly #prints = new Map<string, SharedPrint>();

  /** @param folder an existing folder for temporary files */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Reads a PDF while it is printed. The print is aborted when the last reader stops.
   *
   * @param key identifies the PDF
   * @param print prints it, unless that is in progress
   * @param signal stops this reader
   * @throws errors of `print`, and the reason of the signal
   */
  async *read(
    key: string,
    print: (output: PrintOutput) => Promise<void>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    signal.throwIfAborted();
    const shared = this.#prints.get(key) ?? this.#start(key, print);
    shared.join();
    try {
      yield* shared.parts(signal);
    } finally {
      shared.leave();
    }
  }

  #start(key: string, print: (output: PrintOutput) => Promise<void>): SharedPrint {
    const shared = new SharedPrint(this.#folder, print);
    this.#prints.set(key, shared);
    // An aborted print has no readers: the next one starts another.
    const forget = () => this.#prints.get(key) === shared && this.#prints.delete(key);
    shared.aborted.addEventListener('abort', forget, { once: true });
    void shared.ended.then(forget);
    return shared;
  }
}

class SharedPrint {
  readonly #file: ScratchFile;
  readonly #ranges: ScratchRange[] = [];
  readonly #controller = new AbortController();
  readonly #events = new EventTarget();
  #outcome: { error?: unknown } | undefined;
  #bytes = 0;
  #readers = 0;
  #isComplete = false;
  #isReleased = false;
  /** Resolves when the print has ended, successfully or not. */
  readonly ended: Promise<void>;

  constructor(folder: string, print: (output: PrintOutput) => Promise<void>) {
    this.#file = new ScratchFile(folder);
    // Every reader waits for the next part. Node reports more than ten as a leak.
    setMaxListeners(0, this.#events);
    this.ended = this.#run(print);
  }

  /** Aborts when no reader is left. */
  get aborted(): AbortSignal {
    return this.#controller.signal;
  }

  join(): void {
    this.#readers += 1;
  }

  leave(): void {
    this.#readers -= 1;
    if (this.#readers === 0 && !this.#outcome && !this.#isComplete) {
      this.#controller.abort(new DOMException('The PDF has no readers left.', 'AbortError'));
    }
    this.#release();
  }

  /** Returns the parts of the PDF, each as soon as it is printed. */
  async *parts(signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = 0; ; ) {
      const range = this.#ranges[at];
      if (range) {
        at += 1;
        yield this.#file.read(range);
      } else if (!this.#outcome) {
        await once(this.#events, 'change', { signal });
      } else if ('error' in this.#outcome) {
        throw this.#outcome.error;
      } else {
        return;
      }
    }
  }

  async #run(print: (output: PrintOutput) => Promise<void>): Promise<void> {
    try {
      await print({
        signal: this.#controller.signal,
        write: (bytes) => this.#write(bytes),
        complete: () => this.#complete(),
      });
      this.#outcome = {};
    } catch (error) {
      this.#outcome = { error };
    }
    this.#events.dispatchEvent(new Event('change'));
    this.#release();
  }

  #write(bytes: Uint8Array): void {
    this.#controller.signal.throwIfAborted();
    this.#bytes += bytes.byteLength;
    if (this.#bytes > MAX_PDF_BYTES) {
      throw new Error(`The PDF exceeds ${MAX_PDF_BYTES} bytes.`);
    }
    this.#ranges.push(this.#file.append(bytes));
    this.#events.dispatchEvent(new Event('change'));
  }

  #complete(): AsyncIterable<Uint8Array> {
    this.#isComplete = true;
    return this.#all();
  }

  async *#all(): AsyncGenerator<Uint8Array, void, undefined> {
    for (const range of this.#ranges) {
      yield this.#file.read(range);
    }
  }

  /** Closes the file when it has no users left. */
  #release(): void {
    if (this.#outcome && this.#readers === 0 && !this.#isReleased) {
      this.#isReleased = true;
      this.#file[Symbol.dispose]();
    }
  }
}
