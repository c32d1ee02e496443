/** Writes PNG files (PNG, 5). */
import { crc32, deflateSync } from 'node:zlib';

/** An image as rows of pixels: a byte each for red, green, blue and opacity. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8Array | Uint8ClampedArray;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const [RGB, RGBA] = [2, 6];
const BITS = 8;
/** The filter of a row whose bytes are the differences from those above. */
const UP = 2;
const OPAQUE = 255;

/** Encodes an image. One without transparency has no opacity, so that pdfkit copies its rows as they are. */
export function encodePng({ width, height, data }: Pixels): Buffer {
  const hasAlpha = isTransparent(data);
  const samples = hasAlpha ? 4 : 3;
  const length = width * samples + 1;
  const rows = Buffer.alloc(length * height);
  for (let y = 0; y < height; y++) {
    let to = y * length;
    rows[to++] = UP;
    for (let from = y * width * 4; from < (y + 1) * width * 4; from += 4) {
      for (let sample = 0; sample < samples; sample++) {
        const above = y === 0 ? 0 : (data[from + sample - width * 4] ?? 0);
        rows[to++] = (data[from + sample] ?? 0) - above;
      }
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(BITS, 8);
  header.writeUInt8(hasAlpha ? RGBA : RGB, 9);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function isTransparent(data: Pixels['data']): boolean {
  for (let at = 3; at < data.length; at += 4) {
    if (data[at] !== OPAQUE) {
      return true;
    }
  }
  return false;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([size, content, sum]);
}
