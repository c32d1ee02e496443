/** Small images of kinds that are converted before they are printed, and their pixels. */
import { inflateSync } from 'node:zlib';

/** A WebP image of 4 by 3 pixels without transparency: (200, 30, 60). */
export const WEBP = Buffer.from('UklGRh4AAABXRUJQVlA4TBEAAAAvA4AAAAdQjyKXp/+BiOh/AAA=', 'base64');
/** The same image, of which each fifth pixel is half transparent. */
export const TRANSPARENT_WEBP = Buffer.from(
  'UklGRiYAAABXRUJQVlA4TBoAAAAvA4AAEA8wHoM8PP8DjAcoBBAARQBNRP/jAA==',
  'base64',
);

/** Returns an SVG of 40 by 20 pixels. */
export const svg = (content: string, attributes = 'width="40" height="20"'): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`);

/** Returns the size of a PNG, and a function that reads its pixels: red, green, blue and opacity. */
export function readPng(bytes: Uint8Array) {
  const png = Buffer.from(bytes);
  const [width, height, type] = [png.readUInt32BE(16), png.readUInt32BE(20), png.readUInt8(25)];
  const samples = type === 6 ? 4 : 3;
  const packed: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') {
      packed.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
    }
  }
  const rows = inflateSync(Buffer.concat(packed));
  const length = width * samples;
  const data = Buffer.alloc(length * height);
  for (let at = 0; at < data.length; at++) {
    const [x, y] = [at % length, Math.floor(at / length)];
    const left = x < samples ? 0 : (data[at - samples] ?? 0);
    const above = y === 0 ? 0 : (data[at - length] ?? 0);
    const corner = x < samples || y === 0 ? 0 : (data[at - length - samples] ?? 0);
    data[at] = (rows[at + y + 1] ?? 0) + predicted(rows[y * (length + 1)] ?? 0, left, above, corner);
  }
  const pixel = (x: number, y: number): number[] => {
    const start = y * length + x * samples;
    return [...data.subarray(start, start + samples), ...(samples === 3 ? [255] : [])];
  };
  return { width, height, isOpaque: type === 2, pixel };
}

/** Returns what a filter adds to a byte (PNG, 9.2). */
function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter < 4) {
    return [0, left, above, Math.floor((left + above) / 2)][filter] ?? 0;
  }
  const distances = [left, above, corner].map((value) => Math.abs(left + above - corner - value));
  return [left, above, corner][distances.indexOf(Math.min(...distances))] ?? 0;
}
