import { OutgoingError } from '../errors.ts';
import { type GitProcess, type GitProcessOptions, startGit } from '../processes.ts';
import { mebibytes, type ReadLimits, tooLarge, unexpectedOutput } from './reading.ts';

/** A Git object. */
export interface GitObject {
  oid: string;
  content: Buffer;
}

/** Returns the error of a read. If the output of git ended, the exit of git has the reason, such as a time limit. */
export async function outputError(error: unknown, git: GitProcess): Promise<unknown> {
  if (!(error instanceof OutputEnded)) {
    return error;
  }
  await git.done;
  return unexpectedOutput();
}

/** A Git object as a stream. */
export interface StreamedObject {
  oid: string;
  /** Size in bytes. */
  size: number;
  /** Must be read before the next object is requested; unread chunks are skipped. */
  chunks: AsyncIterable<Buffer>;
}

/** Maximum length of an object header: ID, type and size. */
const MAX_HEADER_BYTES = 1_024;

/**
 * Streams objects in the requested order, in one process, with only a few kilobytes in memory at a time. Leaving the
 * loop early ends the process.
 *
 * @throws {OutgoingError} `too-large` if an object exceeds the limit, `not-found` if one is missing
 */
export async function* streamObjects(
  names: Iterable<string>,
  limits: ReadLimits,
  base: readonly string[],
  options: GitProcessOptions,
): AsyncGenerator<StreamedObject, void, undefined> {
  const input = Array.from(names, (name) => `${name}\n`).join('');
  if (input === '') {
    return;
  }
  const git = startGit([...base, 'cat-file', '--batch', '--buffer'], options);
  git.stdin.end(input);
  const output = new BatchOutput(git.stdout);
  let ended = false;
  try {
    for (;;) {
      const header = await output.readLine();
      if (header === undefined) {
        break;
      }
      const { oid, size } = parseHeader(header, limits.fileBytes);
      output.remaining = size;
      yield { oid, size, chunks: { [Symbol.asyncIterator]: () => output.readContent() } };
      for await (const _ of output.readContent()) {
        // Skips unread content.
      }
      await output.readLine();
    }
    await git.done;
    ended = true;
  } catch (error) {
    throw await outputError(error, git);
  } finally {
    if (!ended) {
      git.stop(new OutgoingError('aborted', 'Reading the repository was aborted.'));
    }
    git.stdout.destroy();
  }
}

/** The output was truncated. */
export class OutputEnded extends Error {}

/** The output of `git cat-file --batch`: `<oid> <type> <size>`, newline, content, newline, and so on. */
export class BatchOutput {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  /** Number of unread bytes of the current content. */
  remaining = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Reads a line without its newline; returns undefined at the end. */
  async readLine(): Promise<string | undefined> {
    let end = this.#rest.indexOf(10);
    while (end === -1) {
      if (this.#rest.length > MAX_HEADER_BYTES) {
        throw unexpectedOutput();
      }
      const more = await this.#next();
      if (more === undefined) {
        if (this.#rest.length > 0) {
          throw new OutputEnded();
        }
        return undefined;
      }
      this.#rest = Buffer.concat([this.#rest, more]);
      end = this.#rest.indexOf(10);
    }
    const line = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    return line;
  }

  /** Reads the rest of the current content. */
  async *readContent(): AsyncGenerator<Buffer, void, undefined> {
    while (this.remaining > 0) {
      if (this.#rest.length === 0) {
        const more = await this.#next();
        if (more === undefined) {
          throw new OutputEnded();
        }
        this.#rest = more;
      }
      const chunk = this.#rest.subarray(0, this.remaining);
      this.#rest = this.#rest.subarray(chunk.length);
      this.remaining -= chunk.length;
      yield chunk;
    }
  }

  async #next(): Promise<Buffer | undefined> {
    const { value, done } = await this.#source.next();
    return done ? undefined : value;
  }
}

/**
 * Parses the header of an object.
 *
 * @throws {OutgoingError} `not-found` if it is missing, `too-large` if it exceeds a size
 */
export function parseHeader(line: string, maxBytes: number): { oid: string; size: number } {
  if (line.endsWith(' missing')) {
    throw new OutgoingError(
      'not-found',
      'The repository is missing an object of its tree. Check it with git fsck and push it again.',
    );
  }
  const [oid = '', , size] = line.split(' ');
  const bytes = Number(size);
  if (size === undefined || !Number.isSafeInteger(bytes)) {
    throw unexpectedOutput();
  }
  if (bytes > maxBytes) {
    throw tooLarge(`a file of more than ${mebibytes(maxBytes)}`);
  }
  return { oid, size: bytes };
}
