/** The files of fonts, which are read on first use and cached for all documents of a thread. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';
import { unpackWoff } from './woff.ts';

const { resolve } = createRequire(import.meta.url);

const loaded = new Map<string, Font>();

/** Parses a font. */
export function parseFont(bytes: Buffer, file: string): Font {
  const font = create(bytes);
  if (!('hasGlyphForCodePoint' in font)) {
    throw new Error(`${file} is a font collection, not a font.`);
  }
  return font;
}

/** Returns the font of a file of a package, or one that was added under this name. */
export function loadFont(file: string): Font {
  const cached = loaded.get(file);
  if (cached) {
    return cached;
  }
  const font = parseFont(unpackWoff(readFileSync(resolve(file))), file);
  loaded.set(file, font);
  return font;
}

/** Adds a font under a name. */
export function addFont(name: string, font: Font): void {
  loaded.set(name, font);
}
