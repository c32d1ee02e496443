/**
 * Writes text to pages (ISO 32000-1, 9.4). pdfkit would shape each text three times, and write each glyph separately.
 */
import type { PdfDoc } from './boxes.ts';
import type { Shape, ShapedWord } from './fonts/shaping.ts';
import type { Face } from './fonts.ts';

/** Text in one font and direction. Sizes are in points. */
export interface DrawnText {
  face: Face;
  text: string;
  /** Whether it runs from right to left. */
  rtl: boolean;
  size: number;
  color: string;
}

/** The parts of a document of pdfkit that its types omit. */
interface FontTarget {
  _font: EmbeddedFont;
  page: { fonts: Record<string, unknown> };
}

/** A font of a document, which is embedded with the glyphs in its subset, their widths and their texts. */
interface EmbeddedFont {
  id: string;
  subset: { includeGlyph(id: number): number };
  widths: number[];
  unicode: number[][];
  /** Converts units of the font to thousandths of the type size. */
  scale: number;
  ref(): unknown;
}

/** Horizontal shift per height of text that is slanted. */
const SLANT_FACTOR = 0.25;
/** Thickness of the outline of text that is emboldened, as a fraction of its size. */
const OUTLINE_FACTOR = 0.03;

/** Draws a text with the left end of its baseline at a position. */
export function drawText(
  doc: PdfDoc,
  { face, text, rtl, size, color }: DrawnText,
  x: number,
  y: number,
): void {
  doc.font(face.name);
  // As declared above.
  const { _font: font, page } = doc as unknown as FontTarget;
  page.fonts[font.id] ??= font.ref();
  const out: string[] = [];
  const ink = colorOperands(color);
  if (face.emboldened) {
    out.push(`q 2 Tr ${round(size * OUTLINE_FACTOR)} w ${ink} RG`);
  }
  // Pages of pdfkit are upside down.
  const move = (dx: number, dy: number) =>
    out.push(`1 0 ${face.slant ? SLANT_FACTOR : 0} -1 ${round(x + dx)} ${round(y - dy)} Tm`);
  out.push(`BT ${ink} rg /${font.id} ${round(size)} Tf`);
  move(0, 0);
  const thousandth = size / 1000;
  let line = '';
  let advance = 0;
  const finish = () => {
    if (line !== '') {
      // Adjacent glyphs are one string.
      out.push(`[${line.replaceAll('><', '')}] TJ`);
      line = '';
    }
  };
  for (const word of face.font.shape(text, rtl)) {
    if (word.shapes.every(({ position }) => position.xOffset === 0 && position.yOffset === 0)) {
      word.written ??= writeWord(font, word);
      line += word.written;
      advance += word.advance * font.scale;
      continue;
    }
    for (const shape of word.shapes) {
      const { xOffset, yOffset, xAdvance } = shape.position;
      finish();
      move((advance + xOffset * font.scale) * thousandth, yOffset * font.scale * thousandth);
      line = `<${writeGlyph(font, shape)}>`;
      advance += xAdvance * font.scale;
    }
    finish();
    move(advance * thousandth, 0);
  }
  finish();
  out.push(face.emboldened ? 'ET Q' : 'ET');
  doc.addContent(out.join(' '));
}

/** Returns the glyphs of a word as strings, and the corrections of their advances as numbers between them. */
function writeWord(font: EmbeddedFont, { shapes }: ShapedWord): string {
  let written = '';
  for (const shape of shapes) {
    const correction = round((shape.advanceWidth - shape.position.xAdvance) * font.scale);
    written += `<${writeGlyph(font, shape)}>${correction === 0 ? '' : correction}`;
  }
  return written;
}

/** Adds a glyph to the subset of its font, and returns its index there as four hexadecimal digits. */
function writeGlyph(font: EmbeddedFont, { id, advanceWidth, codePoints }: Shape): string {
  const index = font.subset.includeGlyph(id);
  font.widths[index] ??= advanceWidth * font.scale;
  font.unicode[index] ??= [...codePoints];
  return index.toString(16).padStart(4, '0');
}

const colors = new Map<string, string>();
/** Number of cached colors before the cache is cleared. */
const MAX_CACHED_COLORS = 1000;

/** Converts a color such as `#1f2328` to the operands of a color operator. */
function colorOperands(color: string): string {
  const cached = colors.get(color);
  if (cached !== undefined) {
    return cached;
  }
  const value = Number.parseInt(color.slice(1), 16);
  const operands = [16, 8, 0].map((shift) => round(((value >> shift) & 255) / 255)).join(' ');
  if (colors.size >= MAX_CACHED_COLORS) {
    colors.clear();
  }
  colors.set(color, operands);
  return operands;
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
