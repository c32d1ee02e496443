/**
 * Serializes responses of any size as JSON. Small values are written at once; large ones in chunks, yielding to the
 * event loop in between.
 */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { isPlain } from './plain.ts';
import { closeWhenStalled, endResponse } from './stall.ts';

/** A response value that is already serialized as JSON in UTF-8. Sent unchanged. */
export class JsonBytes {
  readonly bytes: Uint8Array;

  private constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Returns the bytes typed as the value they represent. Safe because response values are only serialized. */
  static of<Value>(bytes: Uint8Array): Value {
    return new JsonBytes(bytes) as Value;
  }
}

/**
 * A response value that is created when it is serialized, and discarded then: a response with many of them is never in
 * memory as a whole, and serialization yields to the event loop between them.
 */
export class DeferredJson {
  /** Creates the value. `JSON.stringify` calls it, too. */
  readonly toJSON: () => unknown;

  private constructor(toJSON: () => unknown) {
    this.toJSON = toJSON;
  }

  /**
   * Returns a deferred value typed as the value itself. Safe because response values are only serialized.
   *
   * @param create must not throw: part of the response may already be sent
   */
  static of<Value>(create: () => Value): Value {
    return new DeferredJson(create) as Value;
  }
}

/** Serialization time before yielding to the event loop. */
const YIELD_INTERVAL_MS = 5;
/** Size of a chunk in characters or bytes. */
const CHUNK_CHARACTERS = 65_536;

/** The JSON body of a response: a small one is serialized once and at once, a large one while it is sent. */
export class JsonBody {
  readonly #value: unknown;
  readonly #serialized: string | Uint8Array | undefined;

  /** @throws what `JSON.stringify` throws, if the body is small */
  constructor(value: unknown) {
    this.#value = value;
    this.#serialized = serializeSmall(value);
  }

  /** The approximate memory size of a large body in bytes; 0 for a small one. */
  get memoryBytes(): number {
    return this.#serialized === undefined ? measure(this.#value) : 0;
  }

  /** The length in bytes; undefined for a large body. */
  get length(): number | undefined {
    return this.#serialized === undefined ? undefined : Buffer.byteLength(this.#serialized);
  }

  /** Returns the value as callers receive it. It must not be modified. */
  received(): unknown {
    if (this.#serialized !== undefined && isPlain(this.#value)) {
      return this.#value;
    }
    const text = this.#serialized ?? jsonText(this.#value);
    return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString());
  }

  /**
   * Sends the body. The headers of the response must be set. Respects backpressure.
   *
   * @param stallMs time without progress before the connection is closed
   * @throws what `JSON.stringify` throws. Does not throw if the connection is closed.
   */
  async send(res: ServerResponse, stallMs?: number): Promise<void> {
    if (this.#serialized !== undefined) {
      endResponse(res, this.#serialized, stallMs);
      return;
    }
    closeWhenStalled(res, stallMs);
    try {
      await pipeline(Readable.from(chunks(this.#value)), res);
    } catch (error) {
      const isClosed =
        error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (!isClosed) {
        throw error;
      }
    }
  }
}

/** Serializes a small value; returns undefined for a large one. */
function serializeSmall(value: unknown): string | Uint8Array | undefined {
  const weight = weightOf(value);
  if (weight === 'large') {
    return undefined;
  }
  if (weight === 'small') {
    return JSON.stringify(value);
  }
  return value instanceof JsonBytes ? value.bytes : joined(jsonPieces(value));
}

/** Joins pieces, with few buffers: the text between two byte arrays is encoded at once. */
function joined(pieces: Iterable<string | Uint8Array>): Uint8Array {
  const parts: Uint8Array[] = [];
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece;
    } else {
      parts.push(Buffer.from(text), piece);
      text = '';
    }
  }
  return Buffer.concat([...parts, Buffer.from(text)]);
}

/** Serializes a value of any size to a string. */
export function jsonText(value: unknown): string {
  const decoder = new TextDecoder();
  return [...jsonPieces(value)]
    .map((piece) => (typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })))
    .join('');
}

/** Serializes a value to UTF-8, yielding to the event loop. */
export async function jsonBytes(value: unknown): Promise<Uint8Array> {
  return await buffer(chunks(value));
}

async function* chunks(value: unknown): AsyncGenerator<string | Uint8Array> {
  let text = '';
  let started = performance.now();
  for (const piece of jsonPieces(value)) {
    if (typeof piece === 'string') {
      text += piece;
    }
    if (typeof piece !== 'string' || text.length >= CHUNK_CHARACTERS) {
      if (text !== '') {
        yield text;
      }
      text = '';
      if (typeof piece !== 'string') {
        yield piece;
      }
    }
    if (performance.now() - started > YIELD_INTERVAL_MS) {
      await setImmediate();
      started = performance.now();
    }
  }
  if (text !== '') {
    yield text;
  }
}

/** Maximum weight of a value that is serialized at once (one per node and per 64 characters): about 0.5 ms. */
const MAX_UNYIELDED_WEIGHT = 2000;

/** Serializes a value in pieces of at most a few hundred kilobytes. */
export function* jsonPieces(value: unknown): Generator<string | Uint8Array> {
  if (value instanceof JsonBytes) {
    yield* bytePieces(value.bytes);
    return;
  }
  if (value instanceof DeferredJson) {
    yield* jsonPieces(value.toJSON());
    return;
  }
  if (typeof value === 'string' && value.length > CHUNK_CHARACTERS) {
    yield* textPieces(value);
    return;
  }
  if (typeof value !== 'object' || value === null || weightOf(value) === 'small') {
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
    if (item === undefined) {
      continue;
    }
    yield `${separator}${JSON.stringify(name)}:`;
    yield* jsonPieces(item);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

function* bytePieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK_CHARACTERS) {
    yield bytes.subarray(start, start + CHUNK_CHARACTERS);
  }
}

function* textPieces(text: string): Generator<string> {
  yield '"';
  for (let start = 0; start < text.length; ) {
    let end = start + CHUNK_CHARACTERS;
    // JSON.stringify would escape an unpaired surrogate.
    if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) {
      end += 1;
    }
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

/** Approximate memory size of a value that is not created yet. */
const DEFERRED_BYTES = 64;

/** Returns the approximate memory size of a response value in bytes. */
function measure(value: unknown): number {
  if (typeof value === 'string') {
    return value.length;
  }
  if (typeof value !== 'object' || value === null) {
    return 8;
  }
  if (value instanceof JsonBytes) {
    return value.bytes.length;
  }
  if (value instanceof DeferredJson) {
    return DEFERRED_BYTES;
  }
  let size = 0;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    size += 16 + measure(item);
  }
  return size;
}

/** Whether the value that was weighed last contains {@link JsonBytes}. A variable, so that weighing creates no object. */
let containsBytes = false;

/** Returns whether a value is small enough to be serialized at once, and if so, whether `JSON.stringify` can. */
function weightOf(value: unknown): 'small' | 'small with bytes' | 'large' {
  containsBytes = false;
  if (weigh(value, MAX_UNYIELDED_WEIGHT) < 0) {
    return 'large';
  }
  return containsBytes ? 'small with bytes' : 'small';
}

/** An array, or an object with own fields. */
type Composite = unknown[] | Record<string, unknown>;

const isComposite = (value: unknown): value is Composite => typeof value === 'object' && value !== null;

/** Returns the remaining budget after a value; negative if it is exceeded. */
function weigh(value: unknown, budget: number): number {
  if (typeof value === 'string') {
    return budget - 1 - value.length / 64;
  }
  if (!isComposite(value)) {
    return budget - 1;
  }
  if (value instanceof JsonBytes) {
    containsBytes = true;
    return budget - 1 - value.bytes.length / 64;
  }
  if (value instanceof DeferredJson) {
    return -1;
  }
  let left = budget - 1;
  if (Array.isArray(value)) {
    for (const item of value) {
      left = weigh(item, left);
      if (left < 0) {
        return left;
      }
    }
    return left;
  }
  // Creates no array, unlike `Object.values`: every value of every response is weighed.
  for (const name in value) {
    left = weigh(value[name], left);
    if (left < 0) {
      return left;
    }
  }
  return left;
}
