/**
 * Lays out formulas from the HTML of KaTeX, whose elements are boxes with lengths in ems. A stack (`vlist-t`) has rows
 * at given heights; everything else is one line.
 */
import type { Element, ElementContent } from 'hast';
import { addBox, emptyBox, type MathBox } from './boxes.ts';
import type { MathContext } from './context.ts';
import { alignmentOf, fontOf, isLine, isStretched, sizeFactor, spacesOf, styleOf } from './css.ts';
import { layoutDrawing } from './drawings.ts';

/** Width of the space of an omitted delimiter. */
const NULL_DELIMITER_EM = 0.12;

/** Lays out elements as one line. */
export function layoutLine(nodes: readonly ElementContent[], context: MathContext): MathBox {
  const line = emptyBox();
  for (const node of nodes) {
    const box =
      node.type === 'text'
        ? layoutText(node.value, context)
        : node.type === 'element'
          ? layoutElement(node, context)
          : emptyBox();
    addBox(line, box, line.width, 0);
    line.width += box.width;
  }
  return line;
}

function layoutText(value: string, { size, font, color, widthOf }: MathContext): MathBox {
  // Zero-width spaces have no glyphs.
  const text = value.replace(/[\u200b\u2060]/g, '');
  if (text === '') {
    return emptyBox();
  }
  const item = { kind: 'text' as const, x: 0, y: 0, text, font, size, color };
  return { width: widthOf(text, font) * size, height: 0.7 * size, depth: 0, items: [item] };
}

function layoutElement(element: Element, outer: MathContext): MathBox {
  const style = styleOf(element);
  const { classes, em } = style;
  const size = outer.size * sizeFactor(style);
  const context: MathContext = {
    ...outer,
    size,
    font: fontOf(style, outer.font),
    color: style.text('color') ?? outer.color,
    align: alignmentOf(style) ?? outer.align,
  };
  if (classes.has('strut')) {
    const [height, shift] = [em('height') * size, em('vertical-align') * size];
    return { width: 0, height: height + shift, depth: -shift, items: [] };
  }
  if (classes.has('pstrut') || classes.has('vlist-s')) {
    return emptyBox();
  }
  if (classes.has('nulldelimiter')) {
    return emptyBox(NULL_DELIMITER_EM * size);
  }
  const content = contentOf(element, context);
  const { paddingLeft, paddingRight, marginLeft, marginRight } = spacesOf(style);
  const box = emptyBox();
  // A zero-width accent, and content that laps over its neighbors.
  const isFlat =
    (classes.has('accent-body') && !classes.has('accent-full')) ||
    ['llap', 'rlap', 'clap', 'thinbox'].some((name) => classes.has(name));
  const lap = classes.has('llap') ? 1 : classes.has('clap') ? 0.5 : 0;
  const x = (marginLeft + paddingLeft + em('left')) * size - lap * content.width;
  const isShifted = classes.has('vertical-separator');
  addBox(box, content, x, isShifted ? 0 : (em('vertical-align') - em('top')) * size);
  const natural = content.width + (paddingLeft + paddingRight) * size;
  const width = style.text('width')?.endsWith('em')
    ? em('width') * size
    : Math.max(natural, em('min-width') * size);
  box.width = isFlat ? 0 : width + (marginLeft + marginRight) * size;
  return box;
}

function contentOf(element: Element, context: MathContext): MathBox {
  const style = styleOf(element);
  const { classes, em } = style;
  const { size, color } = context;
  if (classes.has('vlist-t')) {
    return layoutStack(element, context);
  }
  if (isLine(style)) {
    const [width, height] = [context.stackWidth, em('border-bottom-width') * size];
    return { width, height, depth: 0, items: [{ kind: 'rule', x: 0, y: 0, width, height, color }] };
  }
  if (classes.has('rule')) {
    const [width, height, y] = [
      em('border-right-width') * size,
      em('border-top-width') * size,
      em('bottom') * size,
    ];
    return { width, height: height + y, depth: -y, items: [{ kind: 'rule', x: 0, y, width, height, color }] };
  }
  if (classes.has('vertical-separator')) {
    const [width, height, y] = [
      em('border-right-width') * size,
      em('height') * size,
      em('vertical-align') * size,
    ];
    return { width, height: height + y, depth: -y, items: [{ kind: 'rule', x: 0, y, width, height, color }] };
  }
  return layoutDrawing(element, style, context) ?? layoutLine(element.children, context);
}

interface StackRow {
  box: MathBox;
  /** Height of its baseline above that of the stack. */
  y: number;
  marginLeft: number;
  marginRight: number;
}

/** Lays out rows above each other. Stretched rows become as wide as the others. */
function layoutStack(stack: Element, context: MathContext): MathBox {
  const [upper, lower] = elementsOf(stack).map((row) => elementsOf(row)[0]);
  const rows = upper ? elementsOf(upper) : [];
  const { size } = context;
  const layout = (row: Element, stackWidth: number): StackRow => {
    const style = styleOf(row);
    const inherited = { ...context, stackWidth, align: alignmentOf(style) ?? context.align };
    const strut = elementsOf(row).find((child) => styleOf(child).classes.has('pstrut'));
    const y = -(style.em('top') + (strut ? styleOf(strut).em('height') : 0)) * size;
    const [marginLeft, marginRight] = [style.em('margin-left') * size, style.em('margin-right') * size];
    return { box: layoutLine(row.children, inherited), y, marginLeft, marginRight };
  };
  const isFixed = (row: Element) => !elementsOf(row).some((child) => isStretched(child, styleOf(child)));
  const widthOf = ({ box, marginLeft, marginRight }: StackRow) => box.width + marginLeft + marginRight;
  // Rows are laid out again only where it is necessary: stacks within stacks would double the time at each level.
  const widest = (current: number, row: StackRow) => Math.max(current, widthOf(row));
  const fixed = new Map(rows.filter(isFixed).map((row) => [row, layout(row, 0)] as const));
  const fixedWidth = [...fixed.values()].reduce(widest, 0);
  const stretched = new Map(
    rows.filter((row) => !fixed.has(row)).map((row) => [row, layout(row, fixedWidth)] as const),
  );
  const width = [...stretched.values()].reduce(widest, fixedWidth);
  const result = emptyBox(width);
  for (const row of rows) {
    const rowBox =
      fixed.get(row) ?? (width === fixedWidth ? stretched.get(row) : undefined) ?? layout(row, width);
    const { box, y, marginLeft } = rowBox;
    addBox(result, box, marginLeft + (width - widthOf(rowBox)) * context.align, y);
  }
  result.height = Math.max(result.height, upper ? styleOf(upper).em('height') * size : 0);
  result.depth = Math.max(result.depth, lower ? styleOf(lower).em('height') * size : 0);
  return result;
}

/** Returns the child elements of an element. */
export const elementsOf = ({ children }: Element): Element[] =>
  children.filter((child) => child.type === 'element');
