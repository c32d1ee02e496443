/** Writes formulas as one line of text, for search, copying and screen readers: `(a + b)/2`, `√x`, `x^2`. */
import type { Element, ElementContent, Nodes } from 'hast';

/** Operators that are not visible. */
const INVISIBLE = /[\u200b\u2061-\u2064]/g;

/** Returns the text of MathML. */
export function linearText(node: Nodes): string {
  switch (node.type) {
    case 'text':
      return node.value.replace(INVISIBLE, '');
    case 'element':
      return elementText(node);
    case 'root':
      return node.children.map(linearText).join('');
    default:
      return '';
  }
}

function elementText(element: Element): string {
  const parts = element.children.filter((child) => child.type === 'element');
  const [first, second, third] = parts.map(linearText);
  switch (element.tagName) {
    case 'annotation':
      return '';
    case 'mfrac':
      return `${grouped(first)}/${grouped(second)}`;
    case 'msqrt':
      return `√${grouped(element.children.map(linearText).join(''))}`;
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
    case 'mtable':
      return parts.map(rowText).join('; ');
    case 'mspace':
      return ' ';
    default:
      return element.children.map(linearText).join('');
  }
}

const rowText = (row: ElementContent): string =>
  row.type === 'element'
    ? row.children
        .map(linearText)
        .filter((cell) => cell.trim() !== '')
        .join(', ')
    : '';

const grouped = (text = ''): string => ([...text].length > 1 ? `(${text})` : text);
