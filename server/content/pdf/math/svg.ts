/** Draws the SVG of formulas, which has few kinds of elements (SVG 2). */
import type { LiteElement } from '@mathjax/src/js/adaptors/lite/Element.js';
import type { PdfDoc } from '../boxes.ts';
import { EM_PX, EM_UNITS, elementsOf, type FormulaPart } from './parts.ts';

/** Lines of tables, as in the style sheet of MathJax: thickness, and distances of dashes and of dots. */
const TABLE_LINE = { thickness: 70, dash: 140, dot: 140 };

/** Draws a text in characters that the font of MathJax lacks. */
export type TextPainter = (text: LiteElement) => void;

/** Draws a part of a formula in the current color, with the left end of its baseline at the origin. */
export function drawPart(doc: PdfDoc, part: FormulaPart, size: number, drawText: TextPainter): void {
  new SvgPainter(doc, part, drawText).draw(size);
}

class SvgPainter {
  readonly #doc: PdfDoc;
  readonly #part: FormulaPart;
  readonly #drawText: TextPainter;

  constructor(doc: PdfDoc, part: FormulaPart, drawText: TextPainter) {
    this.#doc = doc;
    this.#part = part;
    this.#drawText = drawText;
  }

  draw(size: number): void {
    const { svg, ascent } = this.#part;
    if (svg.attributes.viewBox === undefined) {
      // A formula with a number, which is as wide as its area: its coordinates start at the top left, in pixels.
      this.#doc.scale(size / EM_PX, size / EM_PX).translate(0, -ascent * EM_PX);
    } else {
      this.#doc.scale(size / EM_UNITS, size / EM_UNITS);
    }
    this.#children(svg);
  }

  #children(element: LiteElement): void {
    for (const child of elementsOf(element)) {
      this.#element(child);
    }
  }

  #element(element: LiteElement): void {
    const { transform, fill } = element.attributes;
    const isInherited = fill === undefined || fill === 'currentColor' || fill === 'none';
    if (transform === undefined && isInherited && element.kind === 'g') {
      this.#children(element);
      return;
    }
    const doc = this.#doc;
    doc.save();
    this.#transform(String(transform ?? ''));
    if (!isInherited) {
      doc.fillColor(fill).strokeColor(fill);
    }
    this.#shape(element);
    doc.restore();
  }

  #shape(element: LiteElement): void {
    const doc = this.#doc;
    const { attributes } = element;
    const number = (name: string): number => Number.parseFloat(attributes[name] ?? '') || 0;
    switch (element.kind) {
      case 'g':
        this.#children(element);
        return;
      case 'svg':
        this.#viewport(element, number);
        this.#children(element);
        return;
      case 'path':
        doc.path(attributes.d ?? '');
        break;
      case 'rect':
        doc.rect(number('x'), number('y'), number('width'), number('height'));
        break;
      case 'polygon':
        doc.polygon(...String(attributes.points).split(' ').map(numbersOf));
        break;
      case 'line':
        doc.moveTo(number('x1'), number('y1')).lineTo(number('x2'), number('y2'));
        break;
      case 'text':
        this.#drawText(element);
        return;
      default:
        return;
    }
    if (element.kind !== 'line' && attributes.fill !== 'none') {
      doc.fill();
      return;
    }
    if (attributes.class === 'mjx-dashed') {
      doc.dash(TABLE_LINE.dash);
    } else if (attributes.class === 'mjx-dotted') {
      doc.lineCap('round').dash(0, { space: TABLE_LINE.dot });
    }
    doc.lineWidth(number('stroke-width') || TABLE_LINE.thickness).stroke();
  }

  /** Moves and scales the coordinates of a nested `<svg>`, which repeats a part of a symbol, or aligns a table. */
  #viewport({ attributes }: LiteElement, number: (name: string) => number): void {
    const doc = this.#doc;
    const [left = 0, top = 0, width = 0, height = 0] = numbersOf(String(attributes.viewBox));
    if (attributes.width !== undefined) {
      doc.translate(number('x') - left, number('y') - top);
      doc.rect(left, top, width, height).clip();
      return;
    }
    const scale = EM_PX / EM_UNITS;
    const free = this.#part.width * EM_PX - width * scale;
    const ratio = String(attributes.preserveAspectRatio);
    doc.translate(ratio.startsWith('xMax') ? free : ratio.startsWith('xMid') ? free / 2 : 0, 0);
    doc.scale(scale, scale).translate(-left, -top);
  }

  #transform(functions: string): void {
    for (const call of functions.split(')')) {
      const [name = '', operands = ''] = call.trim().split('(');
      const [a = 0, b, c = 0, d = 0, e = 0, f = 0] = numbersOf(operands);
      if (name === 'translate') {
        this.#doc.translate(a, b ?? 0);
      } else if (name === 'scale') {
        this.#doc.transform(a, 0, 0, b ?? a, 0, 0);
      } else if (name === 'matrix') {
        this.#doc.transform(a, b ?? 0, c, d, e, f);
      }
    }
  }
}

const numbersOf = (text: string): number[] =>
  text
    .replaceAll(',', ' ')
    .split(' ')
    .filter((word) => word !== '')
    .map(Number);
