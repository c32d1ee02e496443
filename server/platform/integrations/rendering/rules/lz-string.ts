/**
 * Decompresses the output of `compressToEncodedURIComponent` of lz-string. The package has no limit: 32 KB expand to
 * more than 100 MB.
 *
 * The compressed text is a sequence of codes of increasing width, least significant bit first, in characters of 6 bits,
 * most significant bit first. The codes 0 and 1 introduce a new character of 8 or 16 bits, 2 ends the text, and others
 * are entries of a dictionary. Each code adds an entry.
 *
 * @returns undefined if the text is invalid, or longer than the limit
 */
export function decompress(compressed: string, maxCharacters: number): string | undefined {
  const bits = new BitReader(compressed);
  const entries = new Map<number, string>();
  let next = FIRST_ENTRY;
  let width = 2;
  /** Number of codes until the width increases. */
  let remaining = 4;
  let previous = '';
  let length = 0;
  const parts: string[] = [];
  const count = () => {
    remaining -= 1;
    if (remaining === 0) {
      remaining = 2 ** width;
      width += 1;
    }
  };
  while (!bits.isAtEnd) {
    let code = bits.read(width);
    if (code === END) {
      return parts.join('');
    }
    if (code === NEW_BYTE || code === NEW_CHARACTER) {
      entries.set(next, String.fromCharCode(bits.read(code === NEW_BYTE ? 8 : 16)));
      code = next;
      next += 1;
      if (parts.length > 0) {
        count();
      } else {
        width = 3;
      }
    }
    const entry =
      entries.get(code) ?? (code === next && previous !== '' ? previous + previous[0] : undefined);
    length += entry?.length ?? 0;
    if (entry === undefined || length > maxCharacters) {
      return undefined;
    }
    if (parts.length > 0) {
      entries.set(next, previous + entry[0]);
      next += 1;
      count();
    }
    parts.push(entry);
    previous = entry;
  }
  return undefined;
}

const NEW_BYTE = 0;
const NEW_CHARACTER = 1;
const END = 2;
const FIRST_ENTRY = 3;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-$';
const BITS_PER_CHARACTER = 6;

class BitReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length * BITS_PER_CHARACTER;
  }

  /** Reads a number, least significant bit first. Bits after the end, and of unknown characters, are zero. */
  read(width: number): number {
    let value = 0;
    for (let bit = 0; bit < width; bit++) {
      const index = ALPHABET.indexOf(this.#text.charAt(Math.floor(this.#at / BITS_PER_CHARACTER)));
      const shift = BITS_PER_CHARACTER - 1 - (this.#at % BITS_PER_CHARACTER);
      value += ((Math.max(0, index) >> shift) & 1) * 2 ** bit;
      this.#at += 1;
    }
    return value;
  }
}
