import fc from 'fast-check';
import PDFDocument from 'pdfkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openImage } from '../../../server/content/pdf/document/drawn-images.ts';
import { encodePng } from '../../../server/content/pdf/pictures/png.ts';
import { MAX_DRAWN_SIDE_PIXELS, MAX_SVG_BYTES } from '../../../server/content/pdf/pictures/svg.ts';
import { MAX_WEBP_PIXELS } from '../../../server/content/pdf/pictures/webp.ts';
import { type ContentThreads, createContentThreads } from '../../../server/content/threads/threads.ts';
import {
  MAX_COSTLY_PICTURES,
  PICTURE_LIMITS,
  PrintedPictures,
} from '../../../server/content/transfer/printed-pictures.ts';
import { readPng, svg, TRANSPARENT_WEBP, WEBP } from '../../support/pdf/pictures.ts';
import { png } from '../../support/pdf/pngs.ts';
import { runs } from '../../support/seed.ts';

let threads: ContentThreads;
beforeAll(() => {
  threads = createContentThreads();
});
afterAll(() => threads.close());

const pictures = (limits = PICTURE_LIMITS) =>
  new PrintedPictures(threads.drawing, {
    owner: 'org',
    signal: new AbortController().signal,
    limits,
  });

let keys = 0;

/** Converts an image. */
async function drawn(image: Uint8Array) {
  keys += 1;
  const printable = await pictures().printable(String(keys), image);
  return printable && { ...readPng(printable.bytes), pixelRatio: printable.pixelRatio };
}

describe('an SVG', () => {
  test('is drawn in the resolution of a print, with its natural size', async () => {
    const image = await drawn(svg('<rect width="20" height="20" fill="#0a64c8"/>'));
    expect(image).toMatchObject({ width: 320, height: 160, pixelRatio: 8 });
    expect(image?.pixel(10, 10)).toEqual([10, 100, 200, 255]);
    expect(image?.pixel(300, 10)).toEqual([0, 0, 0, 0]);
  });

  test('of any size has a bounded number of pixels', async () => {
    for (const [size, ratio] of [
      ['width="3200" height="32"', 0.5],
      ['width="1e9" height="1e9"', MAX_DRAWN_SIDE_PIXELS / 1e9],
      ['viewBox="0 0 100 400"', 4],
    ] as const) {
      const image = await drawn(svg('<rect width="100%" height="100%"/>', size));
      expect(image?.pixelRatio, size).toBeCloseTo(ratio);
      expect(Math.max(image?.width ?? 0, image?.height ?? 0), size).toBe(MAX_DRAWN_SIDE_PIXELS);
    }
  });

  test('is drawn with its texts and styles', async () => {
    const styled = await drawn(
      svg('<style>rect { fill: #010203 }</style><rect width="40" height="20"/>', 'width="40" height="20"'),
    );
    expect(styled?.pixel(5, 5)).toEqual([1, 2, 3, 255]);
    const text = await drawn(svg('<text y="20" font-size="24" font-family="Unknown">HHH</text>'));
    const row = Array.from({ length: 320 }, (_, x) => text?.pixel(x, 100)[3]);
    expect(row.filter((opacity) => opacity === 255).length).toBeGreaterThan(30);
  });

  test('may start with a declaration, a byte order mark or spaces', async () => {
    const content = svg('<rect width="40" height="20" fill="#010203"/>').toString();
    for (const start of ['<?xml version="1.0"?>\n', '\u{feff}', ' \n\t', '<!-- Made by hand -->']) {
      expect((await drawn(Buffer.from(start + content)))?.pixel(5, 5), start).toEqual([1, 2, 3, 255]);
    }
  });

  test('reads no other files and addresses', async () => {
    const files = ['file:///etc/hostname', '/etc/hostname', 'http://127.0.0.1:9/a.png'];
    const content = files.map((file) => `<image href="${file}" width="40" height="20"/>`).join('');
    const image = await drawn(svg(`<style>@import url(http://127.0.0.1:9/a.css);</style>${content}`));
    expect(image?.pixel(5, 5)).toEqual([0, 0, 0, 0]);
  });

  test('that is broken or too large is not printed', async () => {
    for (const image of [
      Buffer.from('<svg'),
      Buffer.from('<html><body>Not found</body></html>'),
      svg('', 'width="0" height="0"'),
      svg('<rect', 'width="1" height="1"'),
      svg(' '.repeat(MAX_SVG_BYTES)),
      svg('<g>'.repeat(100_000) + '</g>'.repeat(100_000)),
    ]) {
      expect(await drawn(image), image.toString().slice(0, 60)).toBeUndefined();
    }
  });
});

describe('a WebP image', () => {
  test('is converted with its transparency', async () => {
    const opaque = await drawn(WEBP);
    expect(opaque).toMatchObject({ width: 4, height: 3, isOpaque: true, pixelRatio: undefined });
    expect(opaque?.pixel(3, 2)).toEqual([200, 30, 60, 255]);
    const transparent = await drawn(TRANSPARENT_WEBP);
    expect(transparent?.isOpaque).toBe(false);
    expect([transparent?.pixel(0, 0), transparent?.pixel(1, 0)]).toEqual([
      [200, 30, 60, 128],
      [200, 30, 60, 255],
    ]);
  });

  test('that is broken or too large is not printed', async () => {
    const large = Buffer.from(WEBP);
    // The sizes minus one, of 14 bits each (VP8L, 3).
    large.writeUInt32LE(0x3fff | (0x3fff << 14), 21);
    expect(2 ** 28).toBeGreaterThan(MAX_WEBP_PIXELS);
    for (const image of [WEBP.subarray(0, 20), WEBP.subarray(0, WEBP.length - 6), large]) {
      expect(await drawn(image)).toBeUndefined();
    }
  });
});

test('images are printed in their natural size', async () => {
  const doc = new PDFDocument({ autoFirstPage: false });
  const open = (pixelRatio?: number) =>
    openImage(doc, { bytes: png(40, 20), ...(pixelRatio !== undefined && { pixelRatio }) });
  expect(await open()).toMatchObject({ width: 40, height: 20 });
  expect(await open(8)).toMatchObject({ width: 5, height: 2.5 });
});

test('other images and other content are left to the printer', async () => {
  const image = png(2, 2);
  for (const bytes of [image, Buffer.from('text'), Buffer.alloc(0)]) {
    const printable = await pictures().printable('a', bytes);
    expect(printable).toEqual({ bytes: new Uint8Array(bytes) });
    expect(printable?.bytes.buffer).not.toBe(bytes.buffer);
  }
});

test('images beyond the limits are not printed, and after some of them no further ones', async () => {
  const costly = svg(
    `<filter id="f">${'<feTurbulence numOctaves="9"/>'.repeat(50)}</filter><rect width="40" height="20" filter="url(#f)"/>`,
  );
  const limited = pictures({ ...PICTURE_LIMITS, processorMs: 150 });
  const simple = svg('<rect width="1" height="1"/>');
  for (let at = 0; at < MAX_COSTLY_PICTURES; at++) {
    expect(await limited.printable('simple', simple)).toBeDefined();
    expect(await limited.printable(`costly ${at}`, costly)).toBeUndefined();
  }
  expect(await limited.printable('simple', simple)).toBeDefined();
  expect(await limited.printable('another', svg('<rect width="2" height="1"/>'))).toBeUndefined();
});

test('encodes any pixels', () => {
  const image = fc
    .record({ width: fc.integer({ min: 1, max: 9 }), height: fc.integer({ min: 1, max: 9 }) })
    .chain(({ width, height }) =>
      fc.record({
        width: fc.constant(width),
        height: fc.constant(height),
        data: fc.uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 }),
        isOpaque: fc.boolean(),
      }),
    );
  fc.assert(
    fc.property(image, ({ width, height, data, isOpaque }) => {
      const pixels = data.map((value, at) => (isOpaque && at % 4 === 3 ? 255 : value));
      const read = readPng(encodePng({ width, height, data: pixels }));
      expect(read).toMatchObject({ width, height });
      for (let at = 0; at < width * height; at++) {
        expect(read.pixel(at % width, Math.floor(at / width))).toEqual([...pixels.slice(at * 4, at * 4 + 4)]);
      }
    }),
    { numRuns: runs(100) },
  );
});
