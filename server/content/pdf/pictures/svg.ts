/** Draws SVG images as pixels, without access to files and networks. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type CustomFontsOptions, initWasm, Resvg, type ResvgRenderOptions } from '@resvg/resvg-wasm';
import type { PrintableImage } from '../images.ts';

/** Maximum width and height of a drawn SVG, in pixels. */
export const MAX_DRAWN_SIDE_PIXELS = 1600;
/** Maximum number of drawn pixels per pixel of an SVG, in each direction. */
export const MAX_DRAWN_PIXEL_RATIO = 8;
/** Maximum size of an SVG, in bytes. */
export const MAX_SVG_BYTES = 4 * 1024 * 1024;

/** The fonts of texts; those of other families are drawn with the first one. */
const FONTS = ['DejaVuSans', 'DejaVuSans-Bold', 'DejaVuSansMono'];
const TEXT = /<(?:\w{1,20}:)?text\b/;

let program: Promise<void> | undefined;
let fonts: Promise<Uint8Array[]> | undefined;

/** Draws an SVG in the resolution of a print; undefined if it is broken or too large. */
export async function drawSvg(bytes: Uint8Array): Promise<PrintableImage | undefined> {
  if (bytes.length > MAX_SVG_BYTES) {
    return undefined;
  }
  program ??= readPackageFile('@resvg/resvg-wasm/index_bg.wasm').then(initWasm);
  await program;
  const text = new TextDecoder().decode(bytes);
  const font = {
    fontBuffers: TEXT.test(text) ? await readFonts() : [],
    defaultFontFamily: 'DejaVu Sans',
    sansSerifFamily: 'DejaVu Sans',
    monospaceFamily: 'DejaVu Sans Mono',
  };
  try {
    return draw(text, font);
  } catch {
    return undefined;
  }
}

function draw(text: string, font: CustomFontsOptions): PrintableImage {
  const { width, height } = measure(text, { font });
  const pixelRatio = Math.min(
    MAX_DRAWN_PIXEL_RATIO,
    MAX_DRAWN_SIDE_PIXELS / width,
    MAX_DRAWN_SIDE_PIXELS / height,
  );
  const drawn = new Resvg(text, { font, fitTo: { mode: 'zoom', value: pixelRatio } });
  const image = drawn.render();
  const png = image.asPng();
  image.free();
  drawn.free();
  return { bytes: png, pixelRatio };
}

function measure(text: string, options: ResvgRenderOptions): { width: number; height: number } {
  const svg = new Resvg(text, options);
  const { width, height } = svg;
  svg.free();
  return { width, height };
}

function readFonts(): Promise<Uint8Array[]> {
  fonts ??= Promise.all(FONTS.map((name) => readPackageFile(`dejavu-fonts-ttf/ttf/${name}.ttf`)));
  return fonts;
}

const readPackageFile = (file: string): Promise<Buffer> => readFile(fileURLToPath(import.meta.resolve(file)));
