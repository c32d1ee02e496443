/** Converts the marks of texts to styles. */
import type { Leaf } from '../markdown/document.ts';
import { INK } from './flow.ts';
import type { TextStyle } from './lines.ts';

/** Returns the style of a leaf in a text of a style. */
export function marked(leaf: Leaf, style: TextStyle): TextStyle {
  const result = { ...style };
  if (leaf.raw) {
    result.mono = true;
  }
  for (const mark of leaf.marks) {
    switch (mark.type) {
      case 'bold':
        result.bold = true;
        break;
      case 'italic':
        result.italic = true;
        break;
      case 'code':
      case 'keyboard':
        Object.assign(result, { mono: true, size: result.size * 0.92, background: INK.shade });
        break;
      case 'strikethrough':
        result.strike = true;
        break;
      case 'underline':
        result.underline = true;
        break;
      case 'superscript':
        Object.assign(result, { rise: 0.5, size: result.size * 0.7 });
        break;
      case 'subscript':
        Object.assign(result, { rise: -0.2, size: result.size * 0.7 });
        break;
      case 'color':
        if (isColor(mark.data.text)) {
          result.color = mark.data.text;
        }
        if (isColor(mark.data.background)) {
          result.background = mark.data.background;
        }
    }
  }
  return result;
}

/** Returns whether a color is literal. Named colors of a theme are unknown here. */
export const isColor = (color: string | undefined): color is string => /^#[0-9a-f]{6}$/i.test(color ?? '');
