import { type ContractError, contentTooLarge, requestMalformed } from '../../errors.ts';

/** Maximum nesting depth of a body. Validators and handlers traverse it recursively. */
export const MAX_BODY_DEPTH = 200;

/**
 * Maximum number of JSON values and keys in a body. Parsing and validating one takes up to a microsecond of the
 * main thread, so no accepted body blocks it for more than about 0.2 seconds. A document of 8,000 paragraphs fits,
 * and so does any text that is sent as one string.
 */
export const MAX_BODY_TOKENS = 200_000;

/** Minimum length of an integer that a number cannot represent: 9007199254740993. */
const MIN_ROUNDED_CHARACTERS = 16;

const [QUOTE, BACKSLASH, COMMA, COLON, SPACE, LOWERCASE_U] = [0x22, 0x5c, 0x2c, 0x3a, 0x20, 0x75];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Measures the depth and the number of values and keys of JSON while it is received, so that an expensive body is
 * rejected before it is parsed, and detects escapes. Does not detect malformed JSON.
 */
export class JsonScanner {
  readonly #maxDepth: number;
  readonly #maxTokens: number;
  #depth = 0;
  #tokens = 0;
  #inString = false;
  #isEscaped = false;
  /** Whether the position is within a number or a literal such as `true`. */
  #inLiteral = false;
  #literalBytes = 0;
  #hasUnicodeEscapes = false;
  #hasLongNumbers = false;

  /**
   * Whether a string contains an escape such as `\u0000`. Searching a whole body for them blocks the main thread if it
   * has many other escapes.
   */
  get hasUnicodeEscapes(): boolean {
    return this.#hasUnicodeEscapes;
  }

  /** Whether a number has enough characters to be rounded when it is parsed. */
  get hasLongNumbers(): boolean {
    return this.#hasLongNumbers;
  }

  constructor({ maxDepth = MAX_BODY_DEPTH, maxTokens = MAX_BODY_TOKENS } = {}) {
    this.#maxDepth = maxDepth;
    this.#maxTokens = maxTokens;
  }

  /**
   * @param chunk the next bytes; chunk boundaries may be anywhere
   * @throws ContractError 400 if the JSON is nested too deeply, 413 if it has too many values and keys
   */
  push(chunk: Uint8Array): void {
    let index = 0;
    while (index < chunk.length) {
      if (this.#inString) {
        index = this.#skipString(chunk, index);
      } else if (this.#inLiteral) {
        index = this.#skipLiteral(chunk, index);
      } else {
        index = this.#step(chunk, index);
      }
    }
  }

  /** Skips the rest of a string and returns the index after it. */
  #skipString(chunk: Uint8Array, start: number): number {
    let isEscaped = this.#isEscaped;
    for (let index = start; index < chunk.length; index++) {
      const byte = chunk[index];
      if (isEscaped) {
        isEscaped = false;
        this.#hasUnicodeEscapes ||= byte === LOWERCASE_U;
      } else if (byte === BACKSLASH) {
        isEscaped = true;
      } else if (byte === QUOTE) {
        this.#isEscaped = false;
        this.#inString = false;
        return index + 1;
      }
    }
    this.#isEscaped = isEscaped;
    return chunk.length;
  }

  /** Skips the rest of a number or a literal such as `true`, and returns the index after it. */
  #skipLiteral(chunk: Uint8Array, start: number): number {
    let index = start;
    while (index < chunk.length && isInLiteral(chunk[index] ?? SPACE)) {
      index++;
    }
    this.#literalBytes += index - start;
    this.#hasLongNumbers ||= this.#literalBytes >= MIN_ROUNDED_CHARACTERS;
    this.#inLiteral = index === chunk.length;
    return index;
  }

  #step(chunk: Uint8Array, index: number): number {
    const byte = chunk[index] ?? SPACE;
    if (byte <= SPACE || byte === COMMA || byte === COLON) {
      return index + 1;
    }
    if (byte === QUOTE) {
      this.#count();
      this.#inString = true;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.#count();
      if (++this.#depth > this.#maxDepth) {
        throw tooDeep(this.#maxDepth);
      }
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.#depth--;
    } else {
      this.#count();
      this.#literalBytes = 0;
      return this.#skipLiteral(chunk, index);
    }
    return index + 1;
  }

  #count(): void {
    if (++this.#tokens > this.#maxTokens) {
      throw tooManyTokens(this.#maxTokens);
    }
  }
}

/** Whether a byte outside of strings is none of the spaces, separators, quotes and brackets. */
const isInLiteral = (byte: number) =>
  byte > SPACE &&
  byte !== COMMA &&
  byte !== COLON &&
  byte !== QUOTE &&
  byte !== OPEN_OBJECT &&
  byte !== CLOSE_OBJECT &&
  byte !== OPEN_ARRAY &&
  byte !== CLOSE_ARRAY;

function tooDeep(limit: number): ContractError {
  const message = `must not exceed a nesting depth of ${limit}`;
  return requestMalformed(`Invalid request: body ${message}.`, [{ in: 'body', path: '', message }]);
}

const tooManyTokens = (limit: number) =>
  contentTooLarge(
    `The request body contains more than ${limit} JSON values and keys. Split it into several requests.`,
  );
