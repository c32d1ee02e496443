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

/**
 * The bytes of a body, decompressed. Stops as soon as either form is longer than the limit, so that a small body
 * that swells costs no more than a long one.
 *
 * @throws OutgoingError `too-large`, or `failed` for an encoding that was not asked for or cannot be read
 */
export async function readBody(
  body: Readable,
  encoding: string | undefined,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const decoder = decoderOf(encoding);
  if (decoder === undefined) return await collect(body, maxBytes);
  const limited = async function* (source: AsyncIterable<Buffer>) {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  };
  let bytes: Uint8Array = new Uint8Array();
  try {
    await pipeline(
      body,
      limited,
      decoder,
      async (source) => {
        bytes = await collect(source, maxBytes);
      },
      { signal },
    );
  } catch (error) {
    if (error instanceof OutgoingError || signal.aborted) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    throw new OutgoingError(
      'failed',
      `The answer cannot be decompressed: ${cause}. Its server is at fault.`,
      {
        cause: error,
      },
    );
  }
  return bytes;
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

async function collect(source: AsyncIterable<Buffer>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(maxBytes: number): OutgoingError {
  return new OutgoingError(
    'too-large',
    `The answer is longer than the ${maxBytes} bytes that may come. Use a smaller source.`,
  );
}
