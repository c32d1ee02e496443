/**
 * The fonts that pages are printed with, all from packages: DejaVu for most scripts of the world and for code,
 * further families for what it lacks, and at the end UnifontEX, which has a picture of nearly every character.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';
import { type ShapedFont, shapedFont } from './shaping.ts';
import { unpackWoff } from './woff.ts';

const { resolve } = createRequire(import.meta.url);

/** What a text looks like, as far as it takes another font. */
export interface FontStyle {
  mono: boolean;
  bold: boolean;
  italic: boolean;
}

/** A font of a document. */
export interface Face extends ShapedFont {
  /** Under this name the document knows it. */
  name: string;
  /** Whether it has to be drawn thicker to look bold: the family has no bold font. */
  thicken: boolean;
  /** Whether it has to be slanted to look italic. */
  slant: boolean;
}

interface Candidate {
  file: string;
  bold: boolean;
  italic: boolean;
}

const DEJAVU = 'dejavu-fonts-ttf/ttf/DejaVu';
const GOOGLE = '@expo-google-fonts/';

/** Where no earlier font has a character, the first of these that has it. */
const FALLBACKS: ReadonlyArray<{ regular: string; bold?: string }> = [
  {
    regular: `${GOOGLE}noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf`,
    bold: `${GOOGLE}noto-sans-thai/700Bold/NotoSansThai_700Bold.ttf`,
  },
  {
    regular: `${GOOGLE}noto-sans-devanagari/400Regular/NotoSansDevanagari_400Regular.ttf`,
    bold: `${GOOGLE}noto-sans-devanagari/700Bold/NotoSansDevanagari_700Bold.ttf`,
  },
  {
    regular: `${GOOGLE}nanum-gothic/400Regular/NanumGothic_400Regular.ttf`,
    bold: `${GOOGLE}nanum-gothic/700Bold/NanumGothic_700Bold.ttf`,
  },
  { regular: `${GOOGLE}chocolate-classical-sans/400Regular/ChocolateClassicalSans_400Regular.ttf` },
  { regular: '@fontsource/unifontex/files/unifontex-latin-400-normal.woff' },
];

/** The fonts to look a character up in, in order. */
function candidates({ mono, bold, italic }: FontStyle): Candidate[] {
  const own = (family: string, name: string, style: Omit<Candidate, 'file'>): Candidate => ({
    file: `${DEJAVU}${family}${name}.ttf`,
    ...style,
  });
  const families = mono ? ['SansMono', 'SansCondensed'] : ['SansCondensed'];
  const slanted = bold ? '-BoldOblique' : '-Oblique';
  return [
    ...families.flatMap((family) => [
      ...(italic ? [own(family, slanted, { bold, italic })] : []),
      ...(bold ? [own(family, '-Bold', { bold, italic: false })] : []),
      own(family, '', { bold: false, italic: false }),
    ]),
    ...FALLBACKS.map((family) => ({
      file: bold && family.bold !== undefined ? family.bold : family.regular,
      bold: bold && family.bold !== undefined,
      italic: false,
    })),
  ];
}

const loaded = new Map<string, Font>();

/** A font from its file, which is read when a document first needs it and kept for all of them. */
function loadFont(file: string): Font {
  const known = loaded.get(file);
  if (known) return known;
  const font = create(unpackWoff(readFileSync(resolve(file))));
  if (!('hasGlyphForCodePoint' in font)) throw new Error(`${file} is a collection of fonts, not a font.`);
  loaded.set(file, font);
  return font;
}

/** Choices that are remembered before all are forgotten: texts in many scripts hold many characters. */
const REMEMBERED = 20_000;

/** What does not show by itself, and needs no glyph of its own. */
const INVISIBLE = /\u200c|\u200d|[\ufe00-\ufe0f]/gu;

/** The fonts of one document. */
export class Fonts {
  readonly #faces = new Map<string, Face>();
  readonly #fonts = new Map<string, ShapedFont>();
  readonly #chosen = new Map<string, Face>();
  readonly #register: (name: string, font: Font) => void;

  /** @param register makes a font known to the document by its name */
  constructor(register: (name: string, font: Font) => void) {
    this.#register = register;
  }

  /** The font for a character, or for a cluster of a base and what belongs to it, in a style. */
  faceFor(cluster: string, style: FontStyle): Face {
    const key = `${+style.mono}${+style.bold}${+style.italic}${cluster}`;
    const known = this.#chosen.get(key);
    if (known) return known;
    const face = this.#choose(cluster.replace(INVISIBLE, ''), style);
    if (this.#chosen.size >= REMEMBERED) this.#chosen.clear();
    this.#chosen.set(key, face);
    return face;
  }

  #choose(cluster: string, style: FontStyle): Face {
    const all = candidates(style);
    const points = [...cluster].map((character) => character.codePointAt(0) ?? 0);
    const covers = ({ file }: Candidate, wanted: readonly number[]) =>
      wanted.every((point) => loadFont(file).hasGlyphForCodePoint(point));
    const found =
      all.find((candidate) => covers(candidate, points)) ??
      all.find((candidate) => covers(candidate, points.slice(0, 1))) ??
      all.at(-1);
    if (!found) throw new Error('There are no fonts to print with.');
    return this.#face(found, style);
  }

  #face({ file, bold, italic }: Candidate, style: FontStyle): Face {
    const [thicken, slant] = [style.bold && !bold, style.italic && !italic];
    const key = `${file}${thicken ? ' thick' : ''}${slant ? ' slanted' : ''}`;
    const known = this.#faces.get(key);
    if (known) return known;
    const face = { ...this.#shaped(file), name: file, thicken, slant };
    this.#faces.set(key, face);
    return face;
  }

  /** However it is drawn, a font is in the document once. */
  #shaped(file: string): ShapedFont {
    const known = this.#fonts.get(file);
    if (known) return known;
    const shaped = shapedFont(loadFont(file));
    this.#fonts.set(file, shaped);
    this.#register(file, shaped.font);
    return shaped;
  }
}
