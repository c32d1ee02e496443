/** Kinds of images that are converted before they are printed. */
export type PictureKind = 'svg' | 'webp';

/** Number of bytes before the start tag of an SVG that may be white space or a byte order mark. */
const MAX_LEADING_BYTES = 64;

/** Returns the kind of an image that pdfkit cannot print itself; undefined for other images and other content. */
export function pictureKindOf(bytes: Uint8Array): PictureKind | undefined {
  const ascii = (from: number, to: number) => Buffer.from(bytes.subarray(from, to)).toString('latin1');
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') {
    return 'webp';
  }
  const start = new TextDecoder().decode(bytes.subarray(0, MAX_LEADING_BYTES));
  return start.trimStart().startsWith('<') ? 'svg' : undefined;
}
