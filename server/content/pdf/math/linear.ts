/** Writes formulas as one line of text, for search, copying and screen readers: `(a + b)/2`, `√x`, `x^2`. */
import type { LiteElement, LiteNode } from '@mathjax/src/js/adaptors/lite/Element.js';
import { elementsOf, isElement } from './parts.ts';

/** Operators that are not visible. */
const INVISIBLE = /[\u200b\u2061-\u2064]/g;

/** Returns the text of MathML. */
export const linearText = (node: LiteNode): string =>
  isElement(node) ? elementText(node) : node.value.replace(INVISIBLE, '');

function elementText(element: LiteElement): string {
  const { kind, children } = element;
  if (kind === 'annotation') {
    return '';
  }
  if (kind === 'mtable') {
    return elementsOf(element).map(rowText).join('; ');
  }
  // Each child is written once: writing it again would double the time at each level.
  const texts = children.map(linearText);
  const [first, second, third] = texts.filter((_, at) => 'children' in (children[at] ?? {}));
  switch (kind) {
    case 'mfrac':
      return `${grouped(first)}/${grouped(second)}`;
    case 'msqrt':
      return `√${grouped(texts.join(''))}`;
    case 'mroot':
      return `${grouped(second)}√${grouped(first)}`;
    case 'msup':
    case 'mover':
      return `${first}^${grouped(second)}`;
    case 'msub':
    case 'munder':
      return `${first}_${grouped(second)}`;
    case 'msubsup':
    case 'munderover':
      return `${first}_${grouped(second)}^${grouped(third)}`;
    case 'mspace':
      return ' ';
    default:
      return texts.join('');
  }
}

const rowText = (row: LiteElement): string =>
  row.children
    .map(linearText)
    .filter((cell) => cell.trim() !== '')
    .join(', ');

const grouped = (text = ''): string => ([...text].length > 1 ? `(${text})` : text);
