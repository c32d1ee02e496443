/** The inline nodes of a document as text of certain looks. */
import type { AnyBlock, Inline, InlineNode, Leaf, Reference } from '../markdown/document.ts';
import type { Slugs } from '../markdown/slug.ts';
import { BODY, type Flow, INK } from './flow.ts';
import { fitted, type PdfImage } from './images.ts';
import type { Link, Span, TextStyle } from './lines.ts';
import type { PrintedBody, Reached } from './page.ts';

/** An image as pdfkit opened it; sizes in pixels. */
export interface OpenedImage {
  source: unknown;
  width: number;
  height: number;
}

/** What the blocks of a page are printed with. */
export interface PageContext {
  flow: Flow;
  /** The id of the page. */
  id: string;
  body: PrintedBody;
  /** The anchors of its headings. */
  slugs: Slugs;
  /** Whether a page of the content is printed, too. */
  isPrinted(page: string): boolean;
  /** How many reusable contents these blocks stand in, one within the other. */
  included: number;
  /** Opens an image, once for the whole document; undefined for what cannot be printed. */
  openImage(reference: Reference): Promise<OpenedImage | undefined>;
  /** Gives way to other work now and then, and waits for the reader of the document. */
  pause(): Promise<void>;
  /** Is told of what could not be printed as it should. */
  failed(error: unknown, what: string): void;
}

/** The place of a page in the document, or of an anchor in it. */
export const placeOf = (page: string, anchor?: string): string =>
  anchor === undefined ? `page:${page}` : `page:${page}#${anchor}`;

/** What a click on something that leads elsewhere does; undefined where it cannot lead there. */
export function linkTo(context: PageContext, { page, anchor, url }: Reached): Link | undefined {
  if (page !== undefined && context.isPrinted(page)) return { place: placeOf(page, anchor) };
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return LINKED.has(protocol) ? { url: href } : undefined;
}

const LINKED = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** A text in a look. */
export const span = (text: string, style: TextStyle = BODY): Span => ({ text, style });

/** The name of what a reference leads to, as a link. */
export function nameSpan(context: PageContext, reference: Reference, style: TextStyle = BODY): Span {
  const reached = context.body.reach(reference);
  return linked({ text: reached.name, style }, linkTo(context, reached));
}

function linked(one: Span, link: Link | undefined): Span {
  return link ? { ...one, style: { ...one.style, color: INK.link }, link } : one;
}

/** Inline nodes as spans; images are opened on the way. */
export async function spansOf(
  context: PageContext,
  nodes: readonly InlineNode[],
  style: TextStyle = BODY,
): Promise<Span[]> {
  const spans: Span[] = [];
  for (const node of nodes) {
    if (node.object === 'text')
      for (const leaf of node.leaves) spans.push(span(leaf.text, marked(leaf, style)));
    else spans.push(...(await inlineSpans(context, node, style)));
  }
  return spans;
}

async function inlineSpans(context: PageContext, node: Inline, style: TextStyle): Promise<Span[]> {
  const code: TextStyle = { ...style, mono: true, size: style.size * 0.92, background: INK.shade };
  switch (node.type) {
    case 'link': {
      const inner = await spansOf(context, node.nodes, style);
      const reached = context.body.reach(node.data.ref);
      const shown = inner.some(({ text }) => text.trim() !== '') ? inner : [span(reached.name, style)];
      return shown.map((one) => linked(one, linkTo(context, reached)));
    }
    case 'emoji':
      return [span(`:${node.data.code}:`, style)];
    case 'icon':
      return [span(`:${node.data.icon}:`, { ...style, color: INK.muted })];
    case 'expression':
      return [span(node.data.expression, code)];
    case 'inline-math':
      return [span(node.data.formula, code)];
    case 'inline-image': {
      const image = await inlineImage(context, node.data, style);
      // The character stands for an object in text; it is not drawn.
      if (image) return [{ text: '\ufffc', style, image }];
      return imageText(context, node.data, style);
    }
    case 'annotation':
      return [
        ...(await spansOf(context, node.nodes, style)),
        span(' (', style),
        ...(await blockSpans(context, node.data.body, style)),
        span(')', style),
      ];
    case 'mention':
      return [nameSpan(context, node.data.ref, style)];
    case 'button': {
      const link = node.data.ref && linkTo(context, context.body.reach(node.data.ref));
      return [linked(span(node.data.label, { ...style, bold: true }), link)];
    }
    default:
      return [span(textWithin(node), style)];
  }
}

async function inlineImage(
  context: PageContext,
  data: Extract<Inline, { type: 'inline-image' }>['data'],
  style: TextStyle,
): Promise<PdfImage | undefined> {
  const image = await context.openImage(data.ref);
  if (!image) return undefined;
  const height = data.size === 'original' ? 400 : style.size * 1.6;
  return { source: image.source, ...fitted(image, { width: context.flow.width, height }) };
}

/** What is printed of an image that cannot be: what it shows, and where it is. */
export function imageText(
  context: PageContext,
  { ref, alt }: { ref: Reference; alt?: string },
  style: TextStyle,
): Span[] {
  const muted = { ...style, italic: true, color: INK.muted };
  const name = nameSpan(context, ref, muted);
  if (alt === undefined || alt.trim() === '' || alt === name.text) return [name];
  return [span(`${alt} (`, muted), name, span(')', muted)];
}

/** Blocks as lines of one text, for where there is no room for blocks of their own. */
export async function blockSpans(
  context: PageContext,
  blocks: readonly AnyBlock[],
  style: TextStyle,
): Promise<Span[]> {
  const spans: Span[] = [];
  const lineBreak = () => {
    if (spans.length > 0) spans.push(span('\n', style));
  };
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'list-item') {
      lineBreak();
      spans.push(span(`${itemMark(block.data.checked) ?? '•'} `, style));
      spans.push(...(await blockSpans(context, block.nodes, style)));
    } else if (block.type === 'paragraph' || isHeading(block)) {
      lineBreak();
      spans.push(...(await spansOf(context, block.nodes, style)));
    } else if (block.type === 'image') {
      if (at > 0) lineBreak();
      const image = await inlineImage(context, { ...block.data, size: 'original' }, style);
      spans.push(...(image ? [{ text: '\ufffc', style, image }] : imageText(context, block.data, style)));
      if (block.data.caption)
        spans.push(span('\n', style), ...(await spansOf(context, block.data.caption, style)));
    } else if (block.type === 'file' || block.type === 'drawing' || block.type === 'content-ref') {
      lineBreak();
      spans.push(nameSpan(context, block.data.ref, style));
    } else if (block.nodes.length > 0 && block.type !== 'code-line') {
      // Whatever holds blocks: what it holds.
      const inner = await blockSpans(context, block.nodes as readonly AnyBlock[], style);
      lineBreak();
      spans.push(...inner);
    } else {
      lineBreak();
      spans.push(span(textWithin(block), block.type === 'code-line' ? { ...style, mono: true } : style));
    }
  }
  return spans;
}

const isHeading = (block: AnyBlock): block is Extract<AnyBlock, { type: 'heading-1' }> =>
  block.type === 'heading-1' || block.type === 'heading-2' || block.type === 'heading-3';

/** What stands before a task. */
export const itemMark = (checked: boolean | undefined): string | undefined =>
  checked === undefined ? undefined : checked ? '☑' : '☐';

function marked(leaf: Leaf, style: TextStyle): TextStyle {
  const look = { ...style };
  if (leaf.raw) look.mono = true;
  for (const mark of leaf.marks) {
    switch (mark.type) {
      case 'bold':
        look.bold = true;
        break;
      case 'italic':
        look.italic = true;
        break;
      case 'code':
      case 'keyboard':
        Object.assign(look, { mono: true, size: look.size * 0.92, background: INK.shade });
        break;
      case 'strikethrough':
        look.strike = true;
        break;
      case 'superscript':
        Object.assign(look, { rise: 0.5, size: look.size * 0.7 });
        break;
      case 'subscript':
        Object.assign(look, { rise: -0.2, size: look.size * 0.7 });
        break;
      case 'color':
        if (isColor(mark.data.text)) look.color = mark.data.text;
        if (isColor(mark.data.background)) look.background = mark.data.background;
    }
  }
  return look;
}

/** Colours of a theme have names that mean nothing here. */
const isColor = (color: string | undefined): color is string => /^#[0-9a-f]{6}$/i.test(color ?? '');

/** The texts anywhere in a node whose kind is not known here. */
export function textWithin(node: unknown): string {
  const texts: string[] = [];
  const visit = (value: unknown, key: string): void => {
    if (typeof value === 'string' && !STRUCTURE.has(key)) texts.push(value);
    else if (Array.isArray(value)) for (const one of value) visit(one, key);
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) visit(inner, name);
  };
  visit(node, '');
  return texts.join(' ').trim();
}

/** What says how a node is built, not what it says. */
const STRUCTURE = new Set(['object', 'type', 'key', 'kind', 'id', 'orderIndex']);
