import { OutgoingError } from '../errors.ts';
import { type GitProcess, type GitProcessOptions, startGit } from '../processes.ts';
import { BatchOutput, type GitObject, OutputEnded, outputError, parseHeader } from './objects.ts';
import type { ReadLimits } from './reading.ts';

const EMPTY = Buffer.alloc(0);

/** Header of a Git object. */
export interface ObjectHeader {
  oid: string;
  /** Size in bytes. */
  size: number;
}

/** A process that waits for commands. */
interface Reader {
  git: GitProcess;
  output: BatchOutput;
}

/**
 * Reads Git objects of a local repository. Reads in succession share a process, since starting one takes about as long
 * as reading a thousand small objects.
 */
export class ObjectReader {
  readonly #limits: ReadLimits;
  readonly #base: readonly string[];
  readonly #options: GitProcessOptions;
  /** A process that no read uses. */
  #idle: Reader | undefined;

  /** @param base first arguments of git */
  constructor(limits: ReadLimits, base: readonly string[], options: GitProcessOptions) {
    this.#limits = limits;
    this.#base = base;
    this.#options = options;
  }

  /**
   * Reads complete objects in the requested order.
   *
   * @param names IDs, or other names of objects without line breaks
   * @throws {OutgoingError} `too-large` if an object exceeds the limit, `not-found` if one is missing
   */
  async *read(names: Iterable<string>): AsyncGenerator<GitObject, void, undefined> {
    yield* this.#run('contents', [...names]);
  }

  /**
   * Reads the sizes of objects in the requested order, without their content.
   *
   * @throws {OutgoingError} `not-found` if an object is missing
   */
  async *readHeaders(oids: Iterable<string>): AsyncGenerator<ObjectHeader, void, undefined> {
    yield* this.#run('info', [...oids]);
  }

  /** Ends the process, if there is one. The next read starts another. */
  async close(): Promise<void> {
    const idle = this.#idle;
    this.#idle = undefined;
    if (idle) {
      await stop(idle);
    }
  }

  /** Runs a command for each name, and yields the responses. The content is empty if the command returns none. */
  async *#run(
    command: 'contents' | 'info',
    names: readonly string[],
  ): AsyncGenerator<ObjectHeader & GitObject, void, undefined> {
    if (names.length === 0) {
      return;
    }
    const reader = this.#takeReader();
    const { git, output } = reader;
    const hasContent = command === 'contents';
    const maxBytes = hasContent ? this.#limits.fileBytes : Number.POSITIVE_INFINITY;
    let unread = names.length;
    try {
      git.stdin.write(`${names.map((name) => `${command} ${name}\n`).join('')}flush\n`);
      for (const _ of names) {
        const header = await output.readLine();
        if (header === undefined) {
          throw new OutputEnded();
        }
        const { oid, size } = parseHeader(header, maxBytes);
        const content = hasContent ? await readContent(output, size) : EMPTY;
        unread -= 1;
        yield { oid, size, content };
      }
    } catch (error) {
      throw await outputError(error, git);
    } finally {
      await (unread === 0 && this.#idle === undefined ? this.#release(reader) : stop(reader));
    }
  }

  #takeReader(): Reader {
    const idle = this.#idle;
    this.#idle = undefined;
    if (idle) {
      return idle;
    }
    const git = startGit([...this.#base, 'cat-file', '--batch-command', '--buffer'], this.#options);
    return { git, output: new BatchOutput(git.stdout) };
  }

  #release(reader: Reader): void {
    this.#idle = reader;
    const forget = () => {
      if (this.#idle === reader) {
        this.#idle = undefined;
      }
    };
    // Its time limit also ends a process that waits.
    void reader.git.done.then(forget, forget);
  }
}

async function readContent(output: BatchOutput, size: number): Promise<Buffer> {
  output.remaining = size;
  const content = Buffer.concat(await Array.fromAsync(output.readContent()), size);
  await output.readLine();
  return content;
}

async function stop({ git }: Reader): Promise<void> {
  git.stop(new OutgoingError('aborted', 'Reading the repository was aborted.'));
  git.stdout.destroy();
  await git.done.catch(() => undefined);
}
