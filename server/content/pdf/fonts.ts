/**
 * The fonts of PDFs, all from packages: those of the site, DejaVu for most scripts and for code, further families for scripts that it
 * lacks, and finally UnifontEX, which has a glyph for almost every character.
 */
import type { Font } from 'fontkit';
import type { FontFamily } from './fonts/family.ts';
import { loadFont } from './fonts/files.ts';
import { type ShapedFont, shapedFont } from './fonts/shaping.ts';

/** Properties of a text style that require different fonts. */
export interface FontStyle {
  mono: boolean;
  bold: boolean;
  italic: boolean;
}

/** A font of a document. */
export interface Face {
  font: ShapedFont;
  /** Name of the font in the document. */
  name: string;
  /** Whether it must be drawn thicker to look bold, because the family has no bold font. */
  emboldened: boolean;
  /** Whether it must be slanted to look italic. */
  slant: boolean;
}

interface Candidate {
  file: string;
  bold: boolean;
  italic: boolean;
}

const DEJAVU = 'dejavu-fonts-ttf/ttf/DejaVu';
const GOOGLE = '@expo-google-fonts/';

/** Fonts for characters that the previous fonts lack. The first font with the character is used. */
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

/** The families of a document for text and for code; by default DejaVu. */
export interface DocumentFonts {
  text?: FontFamily | undefined;
  mono?: FontFamily | undefined;
}

/** Returns the fonts to search for a character, in order. */
function candidates({ mono, bold, italic }: FontStyle, families: DocumentFonts): Candidate[] {
  const chosen = mono ? [families.mono] : [families.text];
  const dejavu = (family: string, name: string, style: Omit<Candidate, 'file'>): Candidate => ({
    file: `${DEJAVU}${family}${name}.ttf`,
    ...style,
  });
  const dejavuFamilies = mono ? ['SansMono', 'SansCondensed'] : ['SansCondensed'];
  const slanted = bold ? '-BoldOblique' : '-Oblique';
  return [
    ...chosen
      .flatMap((family) => (bold ? family?.bold : family?.regular) ?? [])
      .map((file) => ({
        file,
        bold,
        italic: false,
      })),
    ...dejavuFamilies.flatMap((family) => [
      ...(italic ? [dejavu(family, slanted, { bold, italic })] : []),
      ...(bold ? [dejavu(family, '-Bold', { bold, italic: false })] : []),
      dejavu(family, '', { bold: false, italic: false }),
    ]),
    ...FALLBACKS.map((family) => ({
      file: bold && family.bold !== undefined ? family.bold : family.regular,
      bold: bold && family.bold !== undefined,
      italic: false,
    })),
  ];
}

/** Maximum number of cached font choices before the cache is cleared: texts in many scripts have many characters. */
const MAX_CACHED_FONT_CHOICES = 20_000;

/** Invisible characters, which need no glyph. */
const INVISIBLE = /\u200c|\u200d|[\ufe00-\ufe0f]/gu;

/** The fonts of one document. */
export class Fonts {
  readonly #faces = new Map<string, Face>();
  readonly #fonts = new Map<string, ShapedFont>();
  readonly #faceByCluster = new Map<string, Face>();
  readonly #register: (name: string, font: Font) => void;
  readonly #families: DocumentFonts;

  /** @param register adds a font to the document under a name */
  constructor(register: (name: string, font: Font) => void, families: DocumentFonts = {}) {
    this.#register = register;
    this.#families = families;
  }

  /** Returns the font for a character or grapheme cluster in a style. */
  faceFor(cluster: string, style: FontStyle): Face {
    const key = `${+style.mono}${+style.bold}${+style.italic}${cluster}`;
    const cached = this.#faceByCluster.get(key);
    if (cached) {
      return cached;
    }
    const face = this.#choose(cluster.replace(INVISIBLE, ''), style);
    if (this.#faceByCluster.size >= MAX_CACHED_FONT_CHOICES) {
      this.#faceByCluster.clear();
    }
    this.#faceByCluster.set(key, face);
    return face;
  }

  #choose(cluster: string, style: FontStyle): Face {
    const all = candidates(style, this.#families);
    const points = [...cluster].map((character) => character.codePointAt(0) ?? 0);
    const covers = ({ file }: Candidate, required: readonly number[]) =>
      required.every((point) => loadFont(file).hasGlyphForCodePoint(point));
    const candidate =
      all.find((candidate) => covers(candidate, points)) ??
      all.find((candidate) => covers(candidate, points.slice(0, 1))) ??
      all.at(-1);
    if (!candidate) {
      throw new Error('No fonts are available.');
    }
    return this.#face(candidate, style);
  }

  #face({ file, bold, italic }: Candidate, style: FontStyle): Face {
    const [emboldened, slant] = [style.bold && !bold, style.italic && !italic];
    const key = `${file}${emboldened ? ' thick' : ''}${slant ? ' slanted' : ''}`;
    const cached = this.#faces.get(key);
    if (cached) {
      return cached;
    }
    const face = { font: this.#shaped(file), name: file, emboldened, slant };
    this.#faces.set(key, face);
    return face;
  }

  /** Each font is embedded once, however it is drawn. */
  #shaped(file: string): ShapedFont {
    const cached = this.#fonts.get(file);
    if (cached) {
      return cached;
    }
    const shaped = shapedFont(loadFont(file));
    this.#fonts.set(file, shaped);
    this.#register(file, shaped.font);
    return shaped;
  }
}
