/** Icons in lines of text. */
import { ICON_UNITS, type Icon } from '../markdown/icons.ts';
import type { InlineBox } from './boxes.ts';

/** Height of the middle of capital letters, as a fraction of the type size. */
const MIDDLE_EM = 0.36;

/** Returns a box with an icon for text of a size in points. */
export function iconBox({ path, size: units }: Icon, size: number, color: string): InlineBox {
  const scale = size / ICON_UNITS;
  const side = units * scale;
  const ascent = MIDDLE_EM * size + side / 2;
  return {
    width: side,
    ascent,
    descent: side - ascent,
    draw(doc, x, baseline) {
      doc.save();
      doc.translate(x, baseline - ascent).scale(scale);
      doc.path(path).fill(color);
      doc.restore();
    },
  };
}
