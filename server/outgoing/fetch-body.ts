import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { OutgoingError } from './errors.ts';

/** The media type of a `Content-Type`, and its charset. Source: RFC 9110, section 8.3. */
export function contentTypeOf(header: string | undefined): {
  contentType: string;
  charset: string | undefined;
} {
  const [type = '', ...parameters] = (header ?? '').split(';');
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^\s"]+)"?\s*$/i.exec(parameter)?.[1])
    .find((value) => value !== undefined);
  return { contentType: type.trim().toLowerCase(), charset };
}

/** What the reader of a body threw, as opposed to the body. */
export class ReaderError extends Error {
  constructor(cause: unknown) {
    super('The reader of a body failed.', { cause });
    this.name = 'ReaderError';
  }
}

/**
 * Reads a body, decompressed. Stops as soon as either form is longer than the limit, so that a small body that
 * swells costs no more than a long one.
 *
 * @param read gets the parts as they arrive, and no more of them than it takes
 * @throws OutgoingError `too-large`, or `failed` for an encoding that was not asked for or cannot be read
 * @throws ReaderError for what `read` throws
 */
export async function readBody<Result>(
  body: Readable,
  encoding: string | undefined,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
  read: (parts: AsyncIterable<Buffer>) => Promise<Result>,
): Promise<Result> {
  const decoder = decoderOf(encoding);
  const limited = (parts: AsyncIterable<Buffer>) => upTo(maxBytes, parts);
  if (decoder === undefined) return await readWith(read, limited(body));
  // The pipeline does not pass on what its last step returns.
  const results: Result[] = [];
  try {
    await pipeline(
      body,
      limited,
      decoder,
      async (parts: AsyncIterable<Buffer>) => {
        results.push(await readWith(read, limited(parts)));
      },
      { signal },
    );
  } catch (error) {
    if (error instanceof OutgoingError || error instanceof ReaderError || signal.aborted) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    throw new OutgoingError(
      'failed',
      `The answer cannot be decompressed: ${cause}. Its server is at fault.`,
      {
        cause: error,
      },
    );
  }
  for (const result of results) return result;
  throw new Error('The pipeline ended before the body was read.');
}

/** Calls a reader, and tells its failures from those of the body. */
async function readWith<Result>(
  read: (parts: AsyncIterable<Buffer>) => Promise<Result>,
  parts: AsyncIterable<Buffer>,
): Promise<Result> {
  let isBroken = false;
  async function* watched() {
    try {
      yield* parts;
    } catch (error) {
      isBroken = true;
      throw error;
    }
  }
  try {
    return await read(watched());
  } catch (error) {
    throw isBroken ? error : new ReaderError(error);
  }
}

async function* upTo(maxBytes: number, parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const part of parts) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield part;
  }
}

function decoderOf(encoding: string | undefined) {
  switch ((encoding ?? '').trim().toLowerCase()) {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new OutgoingError(
        'failed',
        `The answer is encoded as "${encoding}", which nobody asked for. Its server is at fault.`,
      );
  }
}

function tooLarge(maxBytes: number): OutgoingError {
  return new OutgoingError(
    'too-large',
    `The answer is longer than the ${maxBytes} bytes that may come. Use a smaller source.`,
  );
}
