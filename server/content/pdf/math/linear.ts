/** Writes formulas as one line of text, for search, copying and screen readers: `(a + b)/2`, `√x`, `x^2`. */
import type { Element, Nodes } from 'hast';

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
  const { tagName, children } = element;
  if (tagName === 'annotation') {
    return '';
  }
  if (tagName === 'mtable') {
    return children
      .filter((child) => child.type === 'element')
      .map(rowText)
      .join('; ');
  }
  // Each child is written once: writing it again would double the time at each level.
  const texts = children.map(linearText);
  const [first, second, third] = texts.filter((_, at) => children[at]?.type === 'element');
  switch (tagName) {
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

const rowText = (row: Element): string =>
  row.children
    .map(linearText)
    .filter((cell) => cell.trim() !== '')
    .join(', ');

const grouped = (text = ''): string => ([...text].length > 1 ? `(${text})` : text);
