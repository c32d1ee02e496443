/** Marks of text: the elements that stand for them, their order, and when two are the same. */
import type { Mark } from './document.ts';
import { htmlOpen } from './html.ts';
import type { Element } from './read/pieces.ts';

type PlainMark = Exclude<Mark['type'], 'color'>;

/** The elements that are read as marks; a color is a `<mark>` with a style. */
const READ: Record<string, PlainMark> = {
  strong: 'bold',
  b: 'bold',
  em: 'italic',
  i: 'italic',
  del: 'strikethrough',
  s: 'strikethrough',
  strike: 'strikethrough',
  sup: 'superscript',
  sub: 'subscript',
  kbd: 'keyboard',
  code: 'code',
};

/** The elements that marks are written as. */
const WRITTEN: Record<PlainMark, string> = {
  bold: 'strong',
  italic: 'em',
  strikethrough: 'del',
  superscript: 'sup',
  subscript: 'sub',
  keyboard: 'kbd',
  code: 'code',
};

/** The order that marks stand in, outermost first. */
export const MARK_ORDER: readonly Mark['type'][] = [
  'color',
  'bold',
  'italic',
  'strikethrough',
  'superscript',
  'subscript',
  'keyboard',
  'code',
];

/** The mark that an element stands for; undefined for an element that stands for none. */
export function markOf({ name, attributes }: Element): Mark | undefined {
  if (name === 'mark') {
    const data = colors(attributes.get('style') ?? '');
    return data && { object: 'mark', type: 'color', data };
  }
  const type = READ[name];
  return type && (attributes.size === 0 || type === 'bold') ? { object: 'mark', type } : undefined;
}

function colors(style: string): { text?: string; background?: string } | undefined {
  const data: { text?: string; background?: string } = {};
  for (const declaration of style.split(';')) {
    if (declaration.trim() === '') continue;
    const [, property, value] =
      /^\s*(color|background-color)\s*:\s*([^;\s][^;]{0,63}?)\s*$/.exec(declaration) ?? [];
    if (property === undefined || value === undefined) return undefined;
    data[property === 'color' ? 'text' : 'background'] = value;
  }
  return data.text === undefined && data.background === undefined ? undefined : data;
}

/** The opening and closing tags of a mark. */
export function markTags(mark: Mark): { open: string; close: string } {
  if (mark.type !== 'color') return { open: `<${WRITTEN[mark.type]}>`, close: `</${WRITTEN[mark.type]}>` };
  const { text, background } = mark.data;
  const style = `${text === undefined ? '' : `color:${text};`}${background === undefined ? '' : `background-color:${background};`}`;
  return { open: htmlOpen('mark', [['style', style]]), close: '</mark>' };
}

/** Marks with one more, which replaces one of its type. */
export function withMark(marks: readonly Mark[], mark: Mark): Mark[] {
  const others = marks.filter((other) => other.type !== mark.type);
  return [...others, mark].sort((a, b) => MARK_ORDER.indexOf(a.type) - MARK_ORDER.indexOf(b.type));
}

/** Whether two marks, or two lacks of one, are the same. */
export function sameMark(a: Mark | undefined, b: Mark | undefined): boolean {
  if (a?.type !== 'color' || b?.type !== 'color') return a?.type === b?.type;
  return a.data.text === b.data.text && a.data.background === b.data.background;
}

/** Whether two texts have the same marks, in the same order. */
export function sameMarks(a: readonly Mark[], b: readonly Mark[]): boolean {
  return a.length === b.length && a.every((mark, index) => sameMark(mark, b[index]));
}
