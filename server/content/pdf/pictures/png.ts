/** Writes PNG files. */
import { PNG } from 'pngjs';

/** An image as rows of pixels: a byte each for red, green, blue and opacity. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8Array | Uint8ClampedArray;
}

/** Color types of PNG (PNG, 6.1). */
const [RGB, RGBA] = [2, 6] as const;
/** The filter of rows that consist of the differences from the bytes above. */
const UP = 2;
const OPAQUE = 255;
const COMPRESSION_LEVEL = 6;

/** Encodes an image. One without transparency has no opacity, so that pdfkit copies its rows as they are. */
export function encodePng({ width, height, data }: Pixels): Buffer {
  const image = new PNG({ width, height });
  image.data = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const colorType = isTransparent(data) ? RGBA : RGB;
  return PNG.sync.write(image, { colorType, filterType: UP, deflateLevel: COMPRESSION_LEVEL });
}

function isTransparent(data: Pixels['data']): boolean {
  for (let at = 3; at < data.length; at += 4) {
    if (data[at] !== OPAQUE) {
      return true;
    }
  }
  return false;
}
