/** The style sheet of KaTeX, as far as it affects the layout of formulas. */
import type { Element } from 'hast';

/** Lengths are in ems of the element. */
export interface MathStyle {
  classes: ReadonlySet<string>;
  /** Returns a length of a property; 0 if there is none. */
  em(property: string): number;
  /** Returns the text of a property. */
  text(property: string): string | undefined;
}

const lengthOf = (value: string | undefined): number => Number(/^(-?[\d.]+)em$/.exec(value ?? '')?.[1] ?? 0);

/** Reads the classes and the inline style of an element. */
export function styleOf({ properties }: Element): MathStyle {
  const { className, style } = properties;
  const declarations = new Map(
    String(style ?? '')
      .split(';')
      .map((declaration) => {
        const [name = '', value = ''] = declaration.split(':');
        return [name.trim(), value.trim()] as const;
      }),
  );
  return {
    classes: new Set(Array.isArray(className) ? className.map(String) : []),
    em: (property) => lengthOf(declarations.get(property)),
    text: (property) => declarations.get(property),
  };
}

/** Type sizes by number (`size1`), relative to that of the formula. */
const SIZES = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.44, 1.728, 2.074, 2.488];

/** Returns the factor by which an element changes the type size. */
export function sizeFactor({ classes }: MathStyle): number {
  if (!classes.has('sizing') && !classes.has('fontsize-ensurer')) {
    return 1;
  }
  let [from, to] = [1, 1];
  for (const name of classes) {
    const [, reset, size] = /^(?:reset-size(\d+)|size(\d+))$/.exec(name) ?? [];
    from = SIZES[Number(reset)] ?? from;
    to = SIZES[Number(size)] ?? to;
  }
  return to / from;
}

/** A font of KaTeX: its family and its variants. */
export interface MathFont {
  family: string;
  bold: boolean;
  italic: boolean;
}

/** What classes change of the font. */
const FONTS: Readonly<Record<string, Partial<MathFont>>> = {
  textbf: { bold: true },
  textit: { italic: true },
  textrm: { family: 'Main' },
  texttt: { family: 'Typewriter' },
  mathnormal: { family: 'Math', italic: true },
  mathit: { family: 'Main', italic: true },
  mathrm: { italic: false },
  mathbf: { family: 'Main', bold: true },
  boldsymbol: { family: 'Math', bold: true, italic: true },
  amsrm: { family: 'AMS' },
  mathbb: { family: 'AMS' },
  textbb: { family: 'AMS' },
  mathcal: { family: 'Caligraphic' },
  mathfrak: { family: 'Fraktur' },
  textfrak: { family: 'Fraktur' },
  mathboldfrak: { family: 'Fraktur', bold: true },
  textboldfrak: { family: 'Fraktur', bold: true },
  mathtt: { family: 'Typewriter' },
  mathscr: { family: 'Script' },
  textscr: { family: 'Script' },
  mathsf: { family: 'SansSerif' },
  textsf: { family: 'SansSerif' },
  mathboldsf: { family: 'SansSerif', bold: true },
  textboldsf: { family: 'SansSerif', bold: true },
  mathsfit: { family: 'SansSerif', italic: true },
  mathitsf: { family: 'SansSerif', italic: true },
  textitsf: { family: 'SansSerif', italic: true },
  mainrm: { family: 'Main', italic: false },
  'delim-size1': { family: 'Size1' },
  'delim-size4': { family: 'Size4' },
  'small-op': { family: 'Size1' },
  'large-op': { family: 'Size2' },
};

/** Returns the font of an element in text of a font. */
export function fontOf({ classes }: MathStyle, font: MathFont): MathFont {
  let result = font;
  for (const name of classes) {
    result = { ...result, ...FONTS[name] };
  }
  if (classes.has('delimsizing') && !classes.has('mult')) {
    const size = [1, 2, 3, 4].find((number) => classes.has(`size${number}`));
    result = size === undefined ? result : { ...result, family: `Size${size}` };
  }
  return result;
}

/** Alignment of narrow rows of a stack: 0 at the left, 1 at the right. */
export function alignmentOf({ classes }: MathStyle): number | undefined {
  if (
    ['mfrac', 'op-limits', 'accent', 'x-arrow', 'mover', 'munder', 'col-align-c'].some((name) =>
      classes.has(name),
    )
  ) {
    return 0.5;
  }
  if (['msupsub', 'svg-align', 'col-align-l'].some((name) => classes.has(name))) {
    return 0;
  }
  return classes.has('col-align-r') ? 1 : undefined;
}

/** Classes with space to both sides of their content. */
const PADDINGS: Readonly<Record<string, number>> = {
  'x-arrow-pad': 0.5,
  boxpad: 0.3,
  'cancel-pad': 0.2,
  anglpad: 0.03889,
};

/** Returns the space around the content of an element, and around the element. */
export function spacesOf(style: MathStyle) {
  const { classes, em } = style;
  const padding = Object.entries(PADDINGS).reduce(
    (sum, [name, space]) => sum + (classes.has(name) ? space : 0),
    0,
  );
  const [isRoot, isLap] = [classes.has('root'), classes.has('cancel-lap')];
  const margin = /^0 (-?[\d.]+)em$/.exec(style.text('margin') ?? '')?.[1];
  const outer = Number(margin ?? 0) + (isLap ? -0.2 : 0);
  // The number of an equation is at the right edge in a browser.
  const before = (isRoot ? 5 / 18 : 0) + (classes.has('tag') ? 2 : 0);
  return {
    paddingLeft: padding + em('padding-left'),
    paddingRight: padding + em('padding-right'),
    marginLeft: outer + em('margin-left') + before,
    marginRight: outer + em('margin-right') + (isRoot ? -10 / 18 : 0),
  };
}

/** Parts of stretched symbols: their left end and their width, as fractions of the symbol. */
export const PARTS: Readonly<Record<string, { left: number; width: number }>> = {
  'halfarrow-left': { left: 0, width: 0.502 },
  'halfarrow-right': { left: 0.498, width: 0.502 },
  'brace-left': { left: 0, width: 0.251 },
  'brace-center': { left: 0.25, width: 0.5 },
  'brace-right': { left: 0.749, width: 0.251 },
};

/** Classes of lines as wide as their stack. */
const LINES = ['frac-line', 'overline-line', 'underline-line', 'hline', 'hdashline'];

/** Returns whether an element is a line, such as that of a fraction. */
export const isLine = ({ classes }: MathStyle): boolean => LINES.some((name) => classes.has(name));

/** Returns whether an element is as wide as the stack that contains it. */
export function isStretched(element: Element, style: MathStyle): boolean {
  const { classes, text } = style;
  const hasDrawing = element.children.some((child) => child.type === 'element' && child.tagName === 'svg');
  return (
    isLine(style) ||
    classes.has('stretchy') ||
    classes.has('hide-tail') ||
    ((hasDrawing || classes.has('fbox') || classes.has('fcolorbox')) && text('width') === undefined)
  );
}
