import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { contentTooLarge, unavailable } from '../../errors.ts';
import { MAX_INFLATION_RATIO, maxInflatedBytes } from '../../limits/inflation-ratio.ts';
import { Slots } from '../../limits/slots.ts';

/** Maximum number of bodies decompressed at the same time: file access and signatures share the thread pool. */
export const MAX_CONCURRENT_INFLATIONS = 2;

/** Maximum number of bodies waiting for decompression. */
export const MAX_WAITING_INFLATIONS = 64;
/** Maximum time that a body waits for decompression. */
export const INFLATION_TIMEOUT_MS = 5000;

const INFLATE_OPTIONS = { chunkSize: 65_536 };

const decoders = {
  gzip: () => createGunzip(INFLATE_OPTIONS),
  deflate: () => createInflate(INFLATE_OPTIONS),
  br: () => createBrotliDecompress(INFLATE_OPTIONS),
};

/** A supported content coding (RFC 9110, section 8.4.1). */
export type Coding = keyof typeof decoders;

/** Returns whether a content coding is supported. */
export const isCoding = (name: string): name is Coding => Object.hasOwn(decoders, name);

const slots = new Slots(MAX_CONCURRENT_INFLATIONS, MAX_WAITING_INFLATIONS, INFLATION_TIMEOUT_MS);

/**
 * Decompresses a body in chunks on the thread pool, and stops once the maximum size is exceeded.
 *
 * @param sent the compressed body
 * @param onChunk called with each decompressed chunk; an exception stops the decompression
 * @throws ContractError 413 if the compression ratio is too high, 503 if too many bodies are waiting
 * @throws Error if the body does not match its content coding
 */
export async function inflate(
  sent: readonly Buffer[],
  coding: Coding,
  onChunk: (chunk: Buffer) => void,
  maxRatio = MAX_INFLATION_RATIO,
): Promise<Buffer[]> {
  const sentBytes = sent.reduce((sum, { length }) => sum + length, 0);
  const maxBytes = maxInflatedBytes(sentBytes, maxRatio);
  const release = await slots.enter(unavailable);
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    await pipeline(Readable.from(sent), decoders[coding](), async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) {
        bytes += chunk.length;
        if (bytes > maxBytes) {
          throw ratioExceeded(maxRatio);
        }
        onChunk(chunk);
        chunks.push(chunk);
      }
    });
    return chunks;
  } finally {
    release();
  }
}

const ratioExceeded = (maxRatio: number) =>
  contentTooLarge(`The request body exceeds the compression ratio of ${maxRatio}. Send it uncompressed.`);
