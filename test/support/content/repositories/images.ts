/**
 * A gray baseline JPEG of the given size (ITU-T T.81): a table of one code each for "no change" and "end of
 * block" makes every block two bits.
 *
 * @param orientation how a viewer has to turn it (Exif, Orientation); left out for none
 */
export function jpeg(width: number, height: number, orientation?: number): Uint8Array {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const scan = Buffer.alloc(Math.ceil((blocks * 2) / 8));
  // The bits that fill the last byte are ones.
  if (blocks % 4 !== 0) {
    scan[scan.length - 1] = 0xff >> ((blocks % 4) * 2);
  }
  const oneCode = [1, ...Array<number>(15).fill(0), 0];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...(orientation === undefined ? [] : [segment(0xe1, exif(orientation))]),
    segment(0xdb, [0, ...Array<number>(64).fill(1)]),
    segment(0xc0, [8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]),
    segment(0xc4, [0x00, ...oneCode]),
    segment(0xc4, [0x10, ...oneCode]),
    segment(0xda, [1, 1, 0, 0, 63, 0]),
    scan,
    Buffer.from([0xff, 0xd9]),
  ]);
}

function segment(marker: number, content: readonly number[] | Uint8Array): Uint8Array {
  const length = content.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 255, ...content]);
}

/** One directory with one entry: tag 0x0112, a short. */
function exif(orientation: number): Uint8Array {
  const directory = [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0];
  return Buffer.concat([
    Buffer.from('Exif\0\0MM\0*', 'latin1'),
    Buffer.from([0, 0, 0, 8]),
    Buffer.from(directory),
  ]);
}

/** A drawing of the given size (SVG 2). */
export function svg(width: number, height: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}"/></svg>\n`;
}
