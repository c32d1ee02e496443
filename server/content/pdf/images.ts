/** Validates images before they are passed to pdfkit, because a broken image must not fail the whole document. */
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';

/** An image that the document can draw. Sizes are in points. */
export interface PdfImage {
  /** The image as opened by pdfkit. */
  source: unknown;
  width: number;
  height: number;
}

/** An image to print, which pdfkit can open. */
export interface PrintableImage {
  bytes: Uint8Array;
  /** Number of pixels per pixel of the page, in each direction; 1 by default. */
  pixelRatio?: number;
}

/** Maximum size of an image in a PDF, in bytes. Larger images are not read. */
export const MAX_PDF_IMAGE_BYTES = 16 * 1024 * 1024;
/** Maximum number of pixels of an image in a PDF. Larger images are not decompressed. */
export const MAX_PDF_IMAGE_PIXELS = 40_000_000;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const unpack = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflate);

/** Returns whether bytes start like an image of a printable type. */
const isPrintable = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xd8) || PNG.equals(bytes.subarray(0, PNG.length));

/**
 * Returns the bytes of an image for pdfkit; undefined if it cannot be printed. pdfkit decompresses images with
 * transparency asynchronously, where nothing catches its errors, so PNGs are decompressed here first.
 */
export async function validImage(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length > MAX_PDF_IMAGE_BYTES || !isPrintable(bytes)) {
    return undefined;
  }
  return bytes[0] === 0xff
    ? bytes
    : await validPng(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
}

interface Header {
  width: number;
  height: number;
  bits: number;
  colorType: number;
  interlaced: boolean;
}

/** Number of samples per pixel by color type (PNG, 11.2.2). */
const PNG_SAMPLES_PER_PIXEL: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const PNG_BIT_DEPTHS = new Set([1, 2, 4, 8, 16]);

async function validPng(bytes: Buffer): Promise<Uint8Array | undefined> {
  const chunks = chunksOf(bytes);
  const head = chunks?.[0];
  if (!chunks || head?.type !== 'IHDR' || head.data.length !== 13) {
    return undefined;
  }
  const header: Header = {
    width: head.data.readUInt32BE(0),
    height: head.data.readUInt32BE(4),
    bits: head.data.readUInt8(8),
    colorType: head.data.readUInt8(9),
    interlaced: head.data.readUInt8(12) === 1,
  };
  const samples = PNG_SAMPLES_PER_PIXEL[header.colorType];
  if (samples === undefined || !PNG_BIT_DEPTHS.has(header.bits) || header.width * header.height === 0) {
    return undefined;
  }
  if (header.width * header.height > MAX_PDF_IMAGE_PIXELS) {
    return undefined;
  }
  // pdfkit joins interlaced rows byte by byte, which fails for smaller pixels.
  if (header.interlaced && header.bits < 8) {
    return undefined;
  }
  const rows = rowsOf(header, samples * header.bits);
  const size = rows.reduce((sum, { count, length }) => sum + count * (length + 1), 0);
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  try {
    const pixels = await unpack(packed, { maxOutputLength: size });
    if (pixels.length !== size || !areFiltersSupported(pixels, rows)) {
      return undefined;
    }
  } catch {
    return undefined;
  }
  // pdfkit misreads the transparency of pixels smaller than a byte. Without it, they are drawn opaque.
  const isSupported = (type: string) => header.bits >= 8 || header.colorType !== 3 || type !== 'tRNS';
  const required = chunks.filter(({ type }) => RENDERED_PNG_CHUNKS.has(type) && isSupported(type));
  return Buffer.concat([PNG, ...required.map(({ whole }) => whole)]);
}

/** Types of chunks that affect the drawing; others, such as texts, are omitted. */
const RENDERED_PNG_CHUNKS = new Set(['IHDR', 'PLTE', 'IDAT', 'tRNS', 'IEND']);

interface Chunk {
  type: string;
  data: Buffer;
  whole: Buffer;
}

/** Returns the chunks of a PNG up to its end; undefined if it is truncated. */
function chunksOf(bytes: Buffer): Chunk[] | undefined {
  const chunks: Chunk[] = [];
  for (let at = PNG.length; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) {
      return undefined;
    }
    const type = bytes.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) });
    if (type === 'IEND') {
      return chunks;
    }
    at = end;
  }
  return undefined;
}

interface Rows {
  count: number;
  /** In bytes, without the byte that specifies the filter. */
  length: number;
}

/** Returns the rows of a PNG; of each pass if it is interlaced (PNG, 8.1). */
function rowsOf({ width, height, interlaced }: Header, pixel: number): Rows[] {
  const passes: ReadonlyArray<readonly [number, number, number, number]> = interlaced
    ? [
        [0, 0, 8, 8],
        [4, 0, 8, 8],
        [0, 4, 4, 8],
        [2, 0, 4, 4],
        [0, 2, 2, 4],
        [1, 0, 2, 2],
        [0, 1, 1, 2],
      ]
    : [[0, 0, 1, 1]];
  return passes.flatMap(([x, y, dx, dy]) => {
    const columns = Math.ceil((width - x) / dx);
    const count = Math.ceil((height - y) / dy);
    return columns > 0 && count > 0 ? [{ count, length: Math.ceil((columns * pixel) / 8) }] : [];
  });
}

function areFiltersSupported(pixels: Buffer, rows: readonly Rows[]): boolean {
  let at = 0;
  for (const { count, length } of rows) {
    for (let row = 0; row < count; row++, at += length + 1) {
      if ((pixels[at] ?? 5) > 4) {
        return false;
      }
    }
  }
  return true;
}

/** Returns the size of an image within bounds in points; a pixel is three quarters of a point. */
export function fitImage(
  image: { width: number; height: number },
  bounds: { width: number; height: number },
  requestedWidth?: number,
): { width: number; height: number } {
  const natural = requestedWidth ?? image.width * 0.75;
  const scale = Math.min(natural / image.width, bounds.width / image.width, bounds.height / image.height);
  return { width: image.width * scale, height: image.height * scale };
}
