import { setImmediate } from 'node:timers/promises';
import type { Request, Response } from 'express';
import {
  ContractError,
  contentTooLarge,
  type Fault,
  requestMalformed,
  unsupportedMediaType,
} from '../../errors.ts';
import { type Coding, inflate, isCoding } from './inflate.ts';
import { receive } from './receive.ts';

/** The limits of one body. */
export interface BodyBounds {
  bytes: number;
  deadlineMs: number;
  inflationRatio: number;
  /** Reserves memory for a chunk; throws if the memory limit is exceeded. */
  reserve: (bytes: number) => void;
}

/** How a body is checked while it arrives. */
export interface ChunkChecks {
  /** Called before the first chunk, even if it is compressed. */
  onFirst: () => void;
  /** Called with each decompressed chunk. An exception stops receiving. */
  onChunk?: (chunk: Buffer) => void;
}

/** Returns the decompressed bytes of a body after checking them against its limits. */
export async function readBuffered(
  req: Request,
  res: Response,
  { bytes, deadlineMs, inflationRatio, reserve }: BodyBounds,
  { onFirst, onChunk: check = () => undefined }: ChunkChecks,
): Promise<Buffer[]> {
  const coding = codingOf(req);
  const [checkReceived, checkInflated] = [limited(bytes, reserve), limited(bytes, reserve)];
  let isFirst = true;
  const onChunk = (chunk: Buffer) => {
    if (isFirst) {
      onFirst();
    }
    isFirst = false;
    checkReceived(chunk);
    if (!coding) {
      check(chunk);
    }
  };
  try {
    const chunks = await receive(req, res, { deadlineMs, onChunk });
    if (!coding || chunks.length === 0) {
      return chunks;
    }
    const onInflated = (chunk: Buffer) => {
      checkInflated(chunk);
      check(chunk);
    };
    return await inflate(chunks, coding, onInflated, inflationRatio);
  } catch (error) {
    throw error instanceof ContractError ? error : unreadable();
  }
}

/** @throws ContractError 415 for an unsupported content coding */
export function codingOf({ headers }: Request): Coding | undefined {
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'identity') {
    return undefined;
  }
  if (isCoding(coding)) {
    return coding;
  }
  throw unsupportedMediaType(
    'Unsupported Content-Encoding. Send the body uncompressed, or as gzip, deflate or br.',
  );
}

/** Returns a function that throws a 413 for the chunk that exceeds the limit, and reserves memory for the others. */
function limited(limit: number, reserve: (bytes: number) => void): (chunk: Buffer) => void {
  let bytes = 0;
  return ({ length }) => {
    bytes += length;
    if (bytes > limit) {
      throw bodyTooLarge(limit);
    }
    reserve(length);
  };
}

/** Returns the total length of chunks in bytes. */
export const lengthOf = (chunks: readonly Buffer[]) => chunks.reduce((sum, { length }) => sum + length, 0);

/** Maximum size of a body that is processed without yielding to other requests. */
const UNYIELDED_BYTES = 262_144;

/** Yields to the event loop after a synchronous step over a large body. */
export async function yieldAfter(bytes: number): Promise<void> {
  if (bytes > UNYIELDED_BYTES) {
    await setImmediate();
  }
}

/**
 * Decodes a body.
 *
 * @throws TypeError if the bytes are not valid in their charset
 */
export async function decode(chunks: readonly Buffer[], charset = 'utf-8'): Promise<string> {
  const decoder = new TextDecoder(charset, { fatal: true });
  let text = '';
  let bytes = 0;
  for (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.length;
    if (bytes <= UNYIELDED_BYTES) {
      continue;
    }
    await yieldAfter(bytes);
    bytes = 0;
  }
  return text + decoder.decode();
}

/** Returns the reason why a valid text is not accepted; undefined if it is. */
export function unsafeText(text: string): string | undefined {
  if (text.includes('\0')) {
    return 'must not contain the character U+0000';
  }
  return text.isWellFormed() ? undefined : 'must not contain an unpaired surrogate';
}

/** Creates a fault of the body, or of a part of it. */
export const bodyFault = (message: string, path = ''): Fault => ({ in: 'body', path, message });

/** Creates a 413. */
export const bodyTooLarge = (limit: number) =>
  contentTooLarge(`The request body exceeds the limit of ${limit} bytes.`);

function unreadable(): ContractError {
  const message = 'does not match its Content-Length or Content-Encoding';
  return requestMalformed(`The request body ${message}.`, [bodyFault(message)]);
}
