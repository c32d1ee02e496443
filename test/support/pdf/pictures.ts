/** Small images of kinds that are converted before they are printed, and their pixels. */
import { PNG } from 'pngjs';

/** A WebP image of 4 by 3 pixels without transparency: (200, 30, 60). */
export const WEBP = Buffer.from('UklGRh4AAABXRUJQVlA4TBEAAAAvA4AAAAdQjyKXp/+BiOh/AAA=', 'base64');
/** The same image with each fifth pixel half transparent. */
export const TRANSPARENT_WEBP = Buffer.from(
  'UklGRiYAAABXRUJQVlA4TBoAAAAvA4AAEA8wHoM8PP8DjAcoBBAARQBNRP/jAA==',
  'base64',
);

/** Returns an SVG of 40 by 20 pixels. */
export const svg = (content: string, attributes = 'width="40" height="20"'): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`);

/** Returns the size of a PNG, and a function that reads its pixels: red, green, blue and opacity. */
export function readPng(bytes: Uint8Array) {
  const { width, height, data, alpha } = PNG.sync.read(Buffer.from(bytes));
  const pixel = (x: number, y: number): number[] => {
    const start = (y * width + x) * 4;
    return [...data.subarray(start, start + 4)];
  };
  return { width, height, isOpaque: !alpha, pixel };
}
