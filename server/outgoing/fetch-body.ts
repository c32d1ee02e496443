import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { MAX_INFLATION_RATIO, maxInflatedBytes } from '../contract/limits/inflation-ratio.ts';
import { OutgoingError } from './errors.ts';

/** Parses the media type and charset of a `Content-Type` header (RFC 9110, section 8.3). */
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

/** An error thrown by the consumer of a body, as opposed to the transfer. */
export class ReaderError extends Error {
  constructor(cause: unknown) {
    super('The consumer of the response body failed.', { cause });
    this.name = 'ReaderError';
  }
}

/**
 * Reads and decompresses a body. The compressed size, the decompressed size and their ratio are limited.
 *
 * @param read consumes the chunks as they arrive, with backpressure
 * @throws OutgoingError `too-large`, or `failed` for an unsupported or invalid content coding
 * @throws ReaderError if `read` throws
 */
export async function readBody<Result>(
  body: Readable,
  encoding: string | undefined,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
  read: (parts: AsyncIterable<Buffer>) => Promise<Result>,
): Promise<Result> {
  const decoder = decoderOf(encoding);
  if (decoder === undefined) {
    return await readWith(read, upTo(maxBytes, body));
  }
  let received = 0;
  async function* compressed(parts: AsyncIterable<Buffer>) {
    for await (const part of upTo(maxBytes, parts)) {
      received += part.byteLength;
      yield part;
    }
  }
  async function* decompressed(parts: AsyncIterable<Buffer>) {
    let bytes = 0;
    for await (const part of upTo(maxBytes, parts)) {
      bytes += part.byteLength;
      if (bytes > maxInflatedBytes(received)) {
        throw ratioExceeded();
      }
      yield part;
    }
  }
  // The pipeline does not return the result of its last step.
  const results: Result[] = [];
  try {
    await pipeline(
      body,
      compressed,
      decoder,
      async (parts: AsyncIterable<Buffer>) => {
        results.push(await readWith(read, decompressed(parts)));
      },
      { signal },
    );
  } catch (error) {
    if (error instanceof OutgoingError || error instanceof ReaderError || signal.aborted) {
      throw error;
    }
    const cause = error instanceof Error ? error.message : String(error);
    throw new OutgoingError(
      'failed',
      `The response cannot be decompressed: ${cause}. This is an error of the remote server.`,
      {
        cause: error,
      },
    );
  }
  for (const result of results) {
    return result;
  }
  throw new Error('The pipeline ended before the body was read.');
}

/** Calls the consumer of a body and wraps its errors in {@link ReaderError}. */
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

/**
 * Passes the chunks of a body on.
 *
 * @throws OutgoingError `too-large` as soon as it exceeds the limit
 */
export async function* upTo(maxBytes: number, parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const part of parts) {
    bytes += part.byteLength;
    if (bytes > maxBytes) {
      throw tooLarge(maxBytes);
    }
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
        `The response has the content coding "${encoding}", which was not requested. This is an error of the remote server.`,
      );
  }
}

function ratioExceeded(): OutgoingError {
  return new OutgoingError(
    'too-large',
    `The response exceeds the compression ratio of ${MAX_INFLATION_RATIO}. Use a source that sends it uncompressed.`,
  );
}

function tooLarge(maxBytes: number): OutgoingError {
  return new OutgoingError(
    'too-large',
    `The response exceeds the limit of ${maxBytes} bytes. Use a smaller source.`,
  );
}
