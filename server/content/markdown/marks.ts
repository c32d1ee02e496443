/** Marks of text: their elements, order and equality. */
import type { Mark } from './document.ts';
import { htmlOpen } from './html.ts';
import type { Element } from './read/pieces.ts';

type PlainMark = Exclude<Mark['type'], 'color'>;

/** Elements that are read as marks. A color is a `<mark>` with a style. */
const MARK_TYPES: Record<string, PlainMark> = {
  strong: 'bold',
  b: 'bold',
  em: 'italic',
  i: 'italic',
  del: 'strikethrough',
  s: 'strikethrough',
  strike: 'strikethrough',
  u: 'underline',
  ins: 'underline',
  sup: 'superscript',
  sub: 'subscript',
  kbd: 'keyboard',
  code: 'code',
  tt: 'code',
  samp: 'code',
};

/** Elements that marks are written as. */
const ELEMENT_NAMES: Record<PlainMark, string> = {
  bold: 'strong',
  italic: 'em',
  strikethrough: 'del',
  underline: 'u',
  superscript: 'sup',
  subscript: 'sub',
  keyboard: 'kbd',
  code: 'code',
};

/** Nesting order of marks, outermost first. */
export const MARK_ORDER: readonly Mark['type'][] = [
  'color',
  'bold',
  'italic',
  'strikethrough',
  'underline',
  'superscript',
  'subscript',
  'keyboard',
  'code',
];

/** Returns the mark of an element; undefined if it is not a mark. */
export function markOf({ name, attributes }: Element): Mark | undefined {
  if (name === 'mark' || name === 'span' || name === 'font') {
    const color = name === 'font' && attributes.get('color');
    const highlight = name === 'mark' && attributes.size === 0;
    const style = color ? `color:${color}` : highlight ? 'background-color:yellow' : attributes.get('style');
    const isOnlyStyle = name === 'mark' || attributes.size === 1;
    const data = isOnlyStyle ? colors(style ?? '') : undefined;
    return data && { object: 'mark', type: 'color', data };
  }
  const type = Object.hasOwn(MARK_TYPES, name) ? MARK_TYPES[name] : undefined;
  return type && { object: 'mark', type };
}

function colors(style: string): { text?: string; background?: string } | undefined {
  const data: { text?: string; background?: string } = {};
  for (const declaration of style.split(';')) {
    if (declaration.trim() === '') {
      continue;
    }
    const [, property, value] =
      /^\s*(color|background-color)\s*:\s*([^;\s][^;]{0,63}?)\s*$/.exec(declaration) ?? [];
    if (property === undefined || value === undefined) {
      return undefined;
    }
    data[property === 'color' ? 'text' : 'background'] = value;
  }
  return data.text === undefined && data.background === undefined ? undefined : data;
}

/** Returns the opening and closing tags of a mark. */
export function markTags(mark: Mark): { open: string; close: string } {
  if (mark.type !== 'color') {
    return { open: `<${ELEMENT_NAMES[mark.type]}>`, close: `</${ELEMENT_NAMES[mark.type]}>` };
  }
  const { text, background } = mark.data;
  const style = `${text === undefined ? '' : `color:${text};`}${background === undefined ? '' : `background-color:${background};`}`;
  return { open: htmlOpen('mark', [['style', style]]), close: '</mark>' };
}

/** Adds a mark. Replaces a mark of the same type. */
export function withMark(marks: readonly Mark[], mark: Mark): Mark[] {
  const others = marks.filter((other) => other.type !== mark.type);
  return [...others, mark].sort((a, b) => MARK_ORDER.indexOf(a.type) - MARK_ORDER.indexOf(b.type));
}

/** Returns whether two marks are equal, or both undefined. */
export function sameMark(a: Mark | undefined, b: Mark | undefined): boolean {
  if (a?.type !== 'color' || b?.type !== 'color') {
    return a?.type === b?.type;
  }
  return a.data.text === b.data.text && a.data.background === b.data.background;
}

/** Returns whether two lists of marks are equal, including their order. */
export function sameMarks(a: readonly Mark[], b: readonly Mark[]): boolean {
  return a.length === b.length && a.every((mark, index) => sameMark(mark, b[index]));
}
