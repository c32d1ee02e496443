/**
 * Responses as JSON, however large: what is small is written at once, and what is large in pieces between which
 * others get their turn.
 */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { cutOffStalled } from './stall.ts';

/** A value of a response that is JSON already, in UTF-8. It is sent as it is. */
export class JsonBytes {
  readonly bytes: Uint8Array;

  private constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Stands for the value that the JSON represents: a response is only ever written, never read. */
  static of<Value>(bytes: Uint8Array): Value {
    return new JsonBytes(bytes) as Value;
  }
}

/** How long a large response is worked on before others get their turn. */
const TURN_MS = 5;
/** Characters, or bytes, that are sent together. */
const CHUNK_LENGTH = 65_536;

/**
 * Sends a value as the body of a response whose head is set. One that is large is sent no faster than the caller
 * takes it.
 *
 * @param stallMs a caller that takes nothing for so long is cut off
 * @throws what `JSON.stringify` throws; not where the caller hangs up, or is cut off
 */
export async function sendJson(res: ServerResponse, value: unknown, stallMs?: number): Promise<void> {
  cutOffStalled(res, stallMs);
  if (isLight(value)) {
    res.end(JSON.stringify(value));
    return;
  }
  try {
    await pipeline(Readable.from(chunks(value)), res);
  } catch (error) {
    const hungUp = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!hungUp) throw error;
  }
}

/** The JSON of a value, large or not, as one text. */
export function jsonText(value: unknown): string {
  const decoder = new TextDecoder();
  return [...jsonPieces(value)]
    .map((piece) => (typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })))
    .join('');
}

/** The JSON of a value in UTF-8, made without keeping others waiting. */
export async function jsonBytes(value: unknown): Promise<Uint8Array> {
  return await buffer(chunks(value));
}

async function* chunks(value: unknown): AsyncGenerator<string | Uint8Array> {
  let text = '';
  let started = performance.now();
  for (const piece of jsonPieces(value)) {
    if (typeof piece === 'string') text += piece;
    if (typeof piece !== 'string' || text.length >= CHUNK_LENGTH) {
      if (text !== '') yield text;
      text = '';
      if (typeof piece !== 'string') yield piece;
    }
    if (performance.now() - started > TURN_MS) {
      await setImmediate();
      started = performance.now();
    }
  }
  if (text !== '') yield text;
}

/** What is written at once, in nodes and 64ths of characters: about half a millisecond of work. */
const MAX_WEIGHT = 2000;

/** The pieces of a value's JSON: texts and bytes, of some hundred kilobytes at most. */
export function* jsonPieces(value: unknown): Generator<string | Uint8Array> {
  if (value instanceof JsonBytes) {
    yield* bytePieces(value.bytes);
    return;
  }
  if (typeof value === 'string' && value.length > CHUNK_LENGTH) {
    yield* textPieces(value);
    return;
  }
  if (typeof value !== 'object' || value === null || isLight(value)) {
    yield JSON.stringify(value) ?? 'null';
    return;
  }
  if (Array.isArray(value)) {
    let separator = '[';
    for (const item of value) {
      yield separator;
      yield* jsonPieces(item);
      separator = ',';
    }
    yield separator === '[' ? '[]' : ']';
    return;
  }
  let separator = '{';
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* jsonPieces(item);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

function* bytePieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK_LENGTH)
    yield bytes.subarray(start, start + CHUNK_LENGTH);
}

function* textPieces(text: string): Generator<string> {
  yield '"';
  for (let start = 0; start < text.length; ) {
    let end = start + CHUNK_LENGTH;
    // Half a surrogate pair would be written as an escape.
    if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end += 1;
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

/** About how many bytes of memory a value of a response holds; 0 for one that is small. */
export function sizeOf(value: unknown): number {
  return isLight(value) ? 0 : measure(value);
}

function measure(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (value instanceof JsonBytes) return value.bytes.length;
  let size = 0;
  for (const item of Array.isArray(value) ? value : Object.values(value)) size += 16 + measure(item);
  return size;
}

/** Whether a value is plain and small enough to be written at once. */
const isLight = (value: unknown): boolean => weigh(value, MAX_WEIGHT) >= 0;

/** What is left of a budget after a value; negative where it is not enough. */
function weigh(value: unknown, budget: number): number {
  if (typeof value === 'string') return budget - 1 - value.length / 64;
  if (typeof value !== 'object' || value === null) return budget - 1;
  if (value instanceof JsonBytes) return -1;
  let left = budget - 1;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    left = weigh(item, left);
    if (left < 0) return left;
  }
  return left;
}
