import { crc32, deflateSync } from 'node:zlib';

/** A gray PNG of the given size (PNG, color type 0). */
export const png = (width: number, height: number): Buffer => encode({ width, height, rows: height }, 0, 1);

/**
 * A PNG with transparency (PNG, color type 6).
 *
 * @param rows number of rows in its data, if it differs from its header
 */
export const transparentPng = (width: number, height: number, rows = height): Buffer =>
  encode({ width, height, rows }, 6, 4);

function encode(
  { width, height, rows }: { width: number; height: number; rows: number },
  colorType: number,
  samples: number,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colorType, 0, 0, 0], 8);
  const rowBytes = width * samples + 1;
  const pixels = Buffer.alloc(rowBytes * rows, 0x80);
  // Each row starts with its filter.
  for (let row = 0; row < rows; row++) {
    pixels[row * rowBytes] = 0;
  }
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
