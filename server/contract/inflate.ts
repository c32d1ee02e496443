import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ContractError, unavailable } from './errors.ts';
import { Slots } from './slots.ts';

/** How many times its size a compressed body may unfold to, beyond {@link FREE_INFLATION_BYTES}. */
export const MAX_INFLATION_RATIO = 100;

/** Up to this size a body may be compressed however well: repetitive JSON is. */
export const FREE_INFLATION_BYTES = 1_048_576;

/** How many bodies are decompressed at the same time: files and signatures need the same few threads. */
export const MAX_CONCURRENT_INFLATIONS = 2;

/** How many more bodies may wait to be inflated. */
export const MAX_WAITING_INFLATIONS = 64;
/** How long a body may wait to be inflated. */
export const INFLATION_WAIT_MS = 5000;

const STEP = { chunkSize: 65_536 };

const decoders = {
  gzip: () => createGunzip(STEP),
  deflate: () => createInflate(STEP),
  br: () => createBrotliDecompress(STEP),
};

/** A content coding of RFC 9110, section 8.4.1, that bodies may have. */
export type Coding = keyof typeof decoders;

/** Whether the server decompresses a content coding. */
export const isCoding = (name: string): name is Coding => Object.hasOwn(decoders, name);

const slots = new Slots(MAX_CONCURRENT_INFLATIONS, MAX_WAITING_INFLATIONS, INFLATION_WAIT_MS);

/**
 * Decompresses a body in small steps, each on a thread of its own, and no further than it may be large.
 *
 * @param sent the whole body, compressed
 * @param onChunk called with each decompressed part; what it throws ends the work
 * @throws ContractError 413 for a body that unfolds too far, 503 where too many are decompressed already
 * @throws Error where it is not compressed as announced
 */
export async function inflate(
  sent: readonly Buffer[],
  coding: Coding,
  onChunk: (chunk: Buffer) => void,
): Promise<Buffer[]> {
  const sentBytes = sent.reduce((sum, { length }) => sum + length, 0);
  const most = Math.max(FREE_INFLATION_BYTES, sentBytes * MAX_INFLATION_RATIO);
  const release = await slots.enter(unavailable);
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    await pipeline(Readable.from(sent), decoders[coding](), async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) {
        bytes += chunk.length;
        if (bytes > most) throw inflatesTooFar();
        onChunk(chunk);
        chunks.push(chunk);
      }
    });
    return chunks;
  } finally {
    release();
  }
}

const inflatesTooFar = () =>
  new ContractError(
    413,
    `The body unfolds to more than ${MAX_INFLATION_RATIO} times its compressed size; send it uncompressed.`,
  );
