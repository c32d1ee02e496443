import { badRequest, ContractError } from './errors.ts';

/** How deeply arrays and objects of a body may nest: validators and handlers walk them by recursion. */
export const MAX_BODY_DEPTH = 200;

/**
 * How many values and keys the JSON of a body may hold. Parsing and validating one takes up to a microsecond of the
 * thread that serves everybody, so that no accepted body holds it for more than about 0.2 seconds. A Document of
 * 8,000 paragraphs fits, and so does any text that is sent as one string.
 */
export const MAX_BODY_TOKENS = 200_000;

const [QUOTE, BACKSLASH, COMMA, COLON, SPACE] = [0x22, 0x5c, 0x2c, 0x3a, 0x20];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts the depth and the values and keys of JSON while its bytes arrive, so that a body that would take long to
 * parse is refused before it is parsed, or even received. Malformed JSON is left to the parser.
 */
export class JsonScanner {
  #depth = 0;
  #tokens = 0;
  #inString = false;
  #isEscaped = false;
  /** Within a number or a name such as `true`. */
  #inLiteral = false;

  /**
   * @param chunk the next bytes, divided anywhere
   * @throws ContractError 400 for JSON that nests too deeply, 413 for too many values and keys
   */
  push(chunk: Uint8Array): void {
    let index = 0;
    while (index < chunk.length)
      index = this.#inString ? this.#passString(chunk, index) : this.#step(chunk, index);
  }

  /** Passes over the rest of a string, and returns where it goes on after it. */
  #passString(chunk: Uint8Array, start: number): number {
    let isEscaped = this.#isEscaped;
    for (let index = start; index < chunk.length; index++) {
      const byte = chunk[index];
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) {
        this.#isEscaped = false;
        this.#inString = false;
        return index + 1;
      }
    }
    this.#isEscaped = isEscaped;
    return chunk.length;
  }

  #step(chunk: Uint8Array, index: number): number {
    const byte = chunk[index] ?? SPACE;
    if (byte <= SPACE || byte === COMMA || byte === COLON) this.#inLiteral = false;
    else if (byte === QUOTE) {
      this.#count();
      this.#inString = true;
      this.#inLiteral = false;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.#count();
      this.#inLiteral = false;
      if (++this.#depth > MAX_BODY_DEPTH) throw tooDeep();
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.#inLiteral = false;
      this.#depth--;
    } else if (!this.#inLiteral) {
      this.#count();
      this.#inLiteral = true;
    }
    return index + 1;
  }

  #count(): void {
    if (++this.#tokens > MAX_BODY_TOKENS) throw tooManyTokens();
  }
}

function tooDeep(): ContractError {
  const message = `must not be nested deeper than ${MAX_BODY_DEPTH} levels`;
  return badRequest(`The request does not fit the contract: the body ${message}.`, [
    { in: 'body', path: '', message },
  ]);
}

const tooManyTokens = () =>
  new ContractError(
    413,
    `The JSON of the body holds more than ${MAX_BODY_TOKENS} values and keys. Send it as several requests.`,
  );
