/** Buttons: labels in frames, which are drawn apart from each other and from the text around them. */
import type { Icon } from '../markdown/icons.ts';
import type { InlineBox, PdfDoc } from './boxes.ts';
import type { Fonts } from './fonts.ts';
import { iconBox } from './icons.ts';
import { breakLines, type Line, type TextStyle } from './lines.ts';

/** Space between the label and the frame. */
const PADDING_POINTS = { x: 7, y: 3 };
/** Space to the right of a button. */
const MARGIN_POINTS = 6;
/** Maximum width of a line of the label. */
const MAX_LABEL_POINTS = 200;

/** A button. */
export interface Button {
  label: string;
  icon?: Icon | undefined;
  isPrimary: boolean;
  color: string;
  style: TextStyle;
}

/** Draws a line of text with its left end at `x`. */
export type DrawLine = (line: Line, x: number, top: number) => void;

/** Returns a box with a button. */
export function buttonBox(
  { label, icon, isPrimary, color, style }: Button,
  fonts: Fonts,
  drawLine: DrawLine,
): InlineBox {
  const ink = isPrimary ? '#ffffff' : color;
  const text = { ...style, bold: true, size: style.size * 0.95, color: ink };
  const lines = breakLines([{ text: label, style: text }], MAX_LABEL_POINTS, fonts);
  const image = icon && iconBox(icon, text.size, ink);
  const indent = PADDING_POINTS.x + (image ? image.width + 3 : 0);
  const height = lines.reduce((sum, line) => sum + line.height, 2 * PADDING_POINTS.y);
  const solidWidth = indent + Math.max(...lines.map(({ width }) => width)) + PADDING_POINTS.x;
  const ascent = PADDING_POINTS.y + (lines[0]?.baseline ?? 0);
  const drawFrame = (doc: PdfDoc, x: number, top: number) => {
    doc.roundedRect(x + 0.5, top + 0.5, solidWidth - 1, height - 1, 4);
    if (isPrimary) {
      doc.fill(color);
    } else {
      doc.lineWidth(0.8).stroke(color);
    }
  };
  return {
    width: solidWidth + MARGIN_POINTS,
    solidWidth,
    ascent,
    descent: height - ascent,
    draw(doc, x, baseline) {
      const top = baseline - ascent;
      drawFrame(doc, x, top);
      image?.draw(doc, x + PADDING_POINTS.x, baseline);
      let y = top + PADDING_POINTS.y;
      for (const line of lines) {
        drawLine(line, x + indent, y);
        y += line.height;
      }
    },
  };
}
