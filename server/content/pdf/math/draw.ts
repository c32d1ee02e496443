/** Draws formulas. */
import type { LiteElement } from '@mathjax/src/js/adaptors/lite/Element.js';
import type { InlineBox, PdfDoc } from '../boxes.ts';
import { loadFont } from '../fonts/files.ts';
import type { FontStyle, Fonts } from '../fonts.ts';
import { type Piece, piecesOf, widthOf } from '../lines/pieces.ts';
import { drawText } from '../text.ts';
import type { Formula } from './formula.ts';
import { EM_UNITS, type FormulaPart, isElement } from './parts.ts';
import { drawPart } from './svg.ts';

/** Type size of formulas in text, as a multiple of its size. */
const FORMULA_SIZE_FACTOR = 1.15;

/** What the width and height of a part count at least, because a space can have none. */
const MIN_EM = 0.001;

/** How formulas are drawn. */
export interface FormulaStyle {
  fonts: Fonts;
  /** Type size of the text around it. */
  size: number;
  color: string;
  /** Maximum size of a part; larger ones are drawn smaller. */
  maxWidth: number;
  maxHeight: number;
}

/** Returns the width of an area in ems of formulas in it. */
export const emsOf = ({ size, maxWidth }: Pick<FormulaStyle, 'size' | 'maxWidth'>): number =>
  maxWidth / (size * FORMULA_SIZE_FACTOR);

/** Returns the parts of a formula as boxes in a line. */
export function formulaBoxes({ parts, text }: Formula, style: FormulaStyle): InlineBox[] {
  const boxes = parts.map((part, at) => partBox(part, parts[at + 1]?.space ?? 0, style));
  const [first] = boxes;
  if (first) {
    const { draw } = first;
    const width = boxes.reduce((sum, box) => sum + box.width, 0);
    first.draw = (doc, x, baseline) => {
      drawInvisible(doc, piecesOfText(text, style.fonts, style.size), { x, baseline, width });
      draw(doc, x, baseline);
    };
  }
  return boxes;
}

/** @param space the space to its right, in ems */
function partBox(
  part: FormulaPart,
  space: number,
  { fonts, color, maxWidth, maxHeight, ...style }: FormulaStyle,
): InlineBox {
  const size = Math.min(
    style.size * FORMULA_SIZE_FACTOR,
    maxWidth / Math.max(part.width, MIN_EM),
    maxHeight / Math.max(part.ascent + part.descent, MIN_EM),
  );
  return {
    width: (part.width + space) * size,
    solidWidth: part.width * size,
    ascent: part.ascent * size,
    descent: part.descent * size,
    draw(doc, x, baseline) {
      doc.save();
      doc.translate(x, baseline).fillColor(color).strokeColor(color);
      drawPart(doc, part, size, (text) => drawOutlines(doc, piecesOfSvg(text, fonts)));
      doc.restore();
    },
  };
}

/** Draws invisible text over a formula, for search, copying and screen readers. */
function drawInvisible(
  doc: PdfDoc,
  pieces: readonly Piece[],
  { x, baseline, width }: { x: number; baseline: number; width: number },
): void {
  doc.save();
  doc.addContent('3 Tr');
  // A formula that continues in the next line can be wider than the page.
  const scale = Math.min(width, doc.page.width - x) / Math.max(widthOf(pieces), MIN_EM);
  doc.transform(scale, 0, 0, 1, x, baseline);
  let at = 0;
  for (const { face, text, style, width: advance } of pieces) {
    drawText(doc, { face, text, rtl: false, size: style.size, color: style.color }, at, 0);
    at += advance;
  }
  doc.restore();
}

/** Draws text as shapes: the text of the formula contains it already. */
function drawOutlines(doc: PdfDoc, pieces: readonly Piece[]): void {
  let at = 0;
  for (const { face, text, style, width } of pieces) {
    const font = loadFont(face.name);
    const { glyphs, positions } = font.layout(text);
    const scale = style.size / font.unitsPerEm;
    doc.save();
    doc.transform(scale, 0, 0, -scale, at, 0);
    for (const [index, { path }] of glyphs.entries()) {
      const { xOffset = 0, yOffset = 0, xAdvance = 0 } = positions[index] ?? {};
      doc.path(path.translate(xOffset, yOffset).toSVG()).fill();
      doc.translate(xAdvance, 0);
    }
    doc.restore();
    at += width;
  }
}

/** Returns the width of an SVG text, in ems. */
export const widthOfSvg = (text: LiteElement, fonts: Fonts): number =>
  widthOf(piecesOfSvg(text, fonts)) / EM_UNITS;

function piecesOfSvg({ attributes, children }: LiteElement, fonts: Fonts): Piece[] {
  const text = children.map((child) => (isElement(child) ? '' : child.value)).join('');
  return piecesOfText(text, fonts, EM_UNITS, {
    mono: attributes['font-family'] === 'monospace',
    bold: attributes['font-weight'] === 'bold',
    italic: attributes['font-style'] === 'italic',
  });
}

function piecesOfText(text: string, fonts: Fonts, size: number, style = PLAIN): Piece[] {
  const span = { text, style: { ...style, size, color: '#000000', strike: false, rise: 0 } };
  return piecesOf([span], text, 0, text.length, undefined, fonts);
}

const PLAIN: FontStyle = { mono: false, bold: false, italic: false };
