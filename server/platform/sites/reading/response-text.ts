/** Texts that are sent many times, of which only a nonce differs between responses: they are compressed once. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { NONCE, NONCE_CHARACTERS } from './templates/nonce.ts';

const deflate = promisify(deflateRaw);

/** Header of a gzip file without a name and a time (RFC 1952, section 2.3). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0xff]);
/** Maximum distance of a reference to earlier text (RFC 1951, section 2). */
const WINDOW_BYTES = 32 * 1024;
const TAG_CHARACTERS = 22;
/** Takes the place of a nonce in the text that references are searched in. HTML does not contain it. */
const GAP = Buffer.alloc(NONCE_CHARACTERS);

/** A text of responses, with {@link NONCE} in the places of their nonce. */
export class ResponseText {
  /** Size with a nonce. */
  readonly bytes: number;
  /** The text between the nonces. */
  readonly #parts: readonly Buffer[];
  #tag: string | undefined;
  #compressed: Promise<readonly Buffer[]> | undefined;

  constructor(text: string) {
    this.#parts = text.split(NONCE.text).map((part) => Buffer.from(part));
    const nonces = this.#parts.length - 1;
    this.bytes = this.#parts.reduce((total, part) => total + part.length, nonces * NONCE_CHARACTERS);
  }

  /** Entity tag, without quotes: the same in each process, whatever the nonce is. */
  get tag(): string {
    this.#tag ??= this.#parts
      .reduce((hash, part) => hash.update(part), createHash('sha256'))
      .digest('base64url')
      .slice(0, TAG_CHARACTERS);
    return this.#tag;
  }

  /** Returns the text with the nonce of a response. */
  withNonce(nonce = ''): Buffer {
    return Buffer.concat(separated(this.#parts, Buffer.from(nonce)));
  }

  /**
   * Returns the text with the nonce of a response in the gzip format. Only the first call compresses it: each part ends
   * at the boundary of a byte, so that blocks with a nonce fit in between.
   */
  async gzip(nonce = ''): Promise<Buffer> {
    this.#compressed ??= compress(this.#parts);
    const bytes = Buffer.from(nonce);
    const checksum = separated(this.#parts, bytes).reduce((sum, part) => crc32(part, sum), 0);
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(checksum, 0);
    trailer.writeUInt32LE(this.bytes, 4);
    return Buffer.concat([GZIP_HEADER, ...separated(await this.#compressed, storedBlock(bytes)), trailer]);
  }
}

/** Returns some parts with a separator between them. */
const separated = (parts: readonly Buffer[], separator: Buffer): Buffer[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));

/** Compresses the parts of a text. No reference leads to a nonce, which differs. */
async function compress(parts: readonly Buffer[]): Promise<Buffer[]> {
  const refers = !parts.some((part) => part.includes(0));
  const compressed: Buffer[] = [];
  let preceding = Buffer.alloc(0);
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    compressed.push(
      await deflate(part, {
        finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
        ...(refers && preceding.length > 0 && { dictionary: preceding }),
      }),
    );
    preceding = Buffer.concat([preceding, part, GAP]).subarray(-WINDOW_BYTES);
  }
  return compressed;
}

/** Returns a block without compression that is not the last one (RFC 1951, section 3.2.4). */
function storedBlock(bytes: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt16LE(bytes.length, 1);
  header.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return Buffer.concat([header, bytes]);
}
