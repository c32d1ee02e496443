/** Draws formulas. */
import type { InlineBox, PdfDoc } from '../boxes.ts';
import type { Fonts } from '../fonts.ts';
import { drawText } from '../text.ts';
import type { MathBox, MathItem } from './boxes.ts';
import type { Formula } from './formula.ts';

/** Type size of formulas in text, as a multiple of its size. */
const FORMULA_SIZE_FACTOR = 1.15;

/** Colors by the names that formulas use. */
const COLORS: Readonly<Record<string, string>> = {
  black: '#000000',
  blue: '#0000ff',
  brown: '#a52a2a',
  cyan: '#00ffff',
  gray: '#808080',
  green: '#008000',
  lime: '#00ff00',
  magenta: '#ff00ff',
  olive: '#808000',
  orange: '#ffa500',
  pink: '#ffc0cb',
  purple: '#800080',
  red: '#ff0000',
  teal: '#008080',
  violet: '#ee82ee',
  white: '#ffffff',
  yellow: '#ffff00',
};

/** How formulas are drawn. */
export interface FormulaStyle {
  fonts: Fonts;
  /** Type size of the text around it. */
  size: number;
  color: string;
  /** Maximum width of a part; wider ones are drawn smaller. */
  maxWidth: number;
}

/** Returns the parts of a formula as boxes in a line. */
export function formulaBoxes({ boxes, text }: Formula, style: FormulaStyle): InlineBox[] {
  return boxes.map((box, at) => partBox(box, at === 0 ? text : '', style));
}

function partBox(box: MathBox, text: string, { fonts, color, ...style }: FormulaStyle): InlineBox {
  const size = Math.min(style.size * FORMULA_SIZE_FACTOR, style.maxWidth / Math.max(box.width, 0.01));
  return {
    width: box.width * size,
    ascent: box.height * size,
    descent: box.depth * size,
    draw(doc, x, baseline) {
      // Readers that search or copy get the text instead of the glyphs (ISO 32000-1, 14.9.4).
      const written = Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('hex');
      doc.addContent(`/Span <</ActualText <${written}>>> BDC`);
      for (const item of box.items) {
        drawItem(doc, fonts, item, { x, baseline, size, color });
      }
      doc.addContent('EMC');
    },
  };
}

/** Where an item is drawn, and how. */
interface DrawPosition {
  x: number;
  baseline: number;
  size: number;
  color: string;
}

function drawItem(doc: PdfDoc, fonts: Fonts, item: MathItem, position: DrawPosition): void {
  const { size } = position;
  const color = colorOf(item.color, position.color);
  const [x, y] = [position.x + item.x * size, position.baseline - item.y * size];
  switch (item.kind) {
    case 'text': {
      let at = x;
      for (const { face, text } of fonts.mathFaces(item.text, item.font)) {
        drawText(doc, { face, text, rtl: false, size: item.size * size, color }, at, y);
        at += face.font.widthOf(text, false) * item.size * size;
      }
      return;
    }
    case 'rule':
      doc.rect(x, y - item.height * size, item.width * size, item.height * size).fill(color);
      return;
    case 'line':
      doc.moveTo(x, y).lineTo(position.x + item.toX * size, position.baseline - item.toY * size);
      doc.lineWidth(item.thickness * size).stroke(color);
      return;
    case 'path': {
      const { clip } = item;
      const top = position.baseline - (clip.y + clip.height) * size;
      doc.save();
      doc.rect(position.x + clip.x * size, top, clip.width * size, clip.height * size).clip();
      doc.transform(item.scaleX * size, 0, 0, item.scaleY * size, x, y);
      doc.path(item.path).fill(color);
      doc.restore();
    }
  }
}

const colorOf = (color: string | undefined, inherited: string): string => {
  const name = color?.toLowerCase() ?? '';
  const hex = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/.exec(name);
  if (hex) {
    return `#${hex
      .slice(1)
      .map((digit) => digit.repeat(2))
      .join('')}`;
  }
  return /^#[0-9a-f]{6}$/.test(name) ? name : (COLORS[name] ?? inherited);
};
