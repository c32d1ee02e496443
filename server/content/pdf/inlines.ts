/** Converts the inline nodes of a document to styled text. */
import type { PageAnchors } from '../markdown/anchors/page-anchors.ts';
import { idOfInline } from '../markdown/anchors/walk.ts';
import {
  type AnyBlock,
  type Inline,
  type InlineNode,
  type Leaf,
  type Reference,
  textOfMention,
} from '../markdown/document.ts';
import { findEmoji, findIcon } from '../markdown/icons.ts';
import { textWithin } from '../markdown/text-within.ts';
import { addElement } from './anchors.ts';
import { BOX_CHARACTER, type InlineBox, imageBox } from './boxes.ts';
import { buttonBox } from './buttons.ts';
import type { PrintedTargets } from './document/entries.ts';
import { BODY, BOTTOM_POINTS, type Flow, INK, MARGIN } from './flow.ts';
import { iconBox } from './icons.ts';
import { fitImage } from './images.ts';
import type { Link, Span, TextStyle } from './lines.ts';
import { isColor, marked } from './marks.ts';
import { emsOf, formulaBoxes } from './math/draw.ts';
import type { Formulas } from './math/formula.ts';
import type { PrintedBody } from './page.ts';

/** An image as opened by pdfkit. Sizes are in pixels. */
export interface OpenedImage {
  source: unknown;
  width: number;
  height: number;
}

/** Context for printing the blocks of a page. */
export interface PageContext {
  flow: Flow;
  /** ID of the page. */
  id: string;
  body: PrintedBody;
  /** Anchors of the page. */
  anchors: PageAnchors;
  /** Finds the printed pages that references lead to. */
  targets: PrintedTargets;
  /** Remaining processor time for highlighting the code of the page. */
  highlighting: { highlightMs: number };
  /** Formulas of the document. */
  formulas: Formulas;
  /** Number of reusable contents that the blocks are nested in. */
  included: number;
  /** Opens an image, once per document; undefined if it cannot be printed. */
  openImage(reference: Reference): Promise<OpenedImage | undefined>;
  /** Yields to other work from time to time, and waits for the consumer of the document. */
  pause(): Promise<void>;
  /** Called with content that could not be printed as intended. */
  failed(error: unknown, subject: string): void;
}

/** Returns a text in a style. */
export const span = (text: string, style: TextStyle = BODY): Span => ({ text, style });

/** Returns a text that is read as a whole in text from right to left. */
const isolated = (text: string, style: TextStyle): Span => ({ text, style, isolated: true });

const isCode = ({ marks }: Leaf): boolean => marks.some(({ type }) => type === 'code' || type === 'keyboard');

/** Returns a box in a line. */
const boxSpan = (box: InlineBox, style: TextStyle = BODY): Span => ({
  text: BOX_CHARACTER,
  style,
  box,
});

/** Returns an icon by its name; nothing for an unknown icon. */
function iconSpans(name: string | undefined, style: TextStyle = BODY, color?: string): Span[] {
  const icon = name === undefined ? undefined : findIcon(name);
  if (!icon) {
    return [];
  }
  return [boxSpan(iconBox(icon, style.size, isColor(color) ? color : style.color), style)];
}

/** Returns an icon or emoji in front of a text, and a space. */
export function labelSpans(
  { icon, emoji }: { icon?: string | undefined; emoji?: string | undefined },
  style: TextStyle = BODY,
): Span[] {
  const character = emoji === undefined ? undefined : findEmoji(emoji);
  const spans = character === undefined ? iconSpans(icon, style) : [span(character, style)];
  return spans.length > 0 ? [...spans, span(' ', style)] : [];
}

/** Returns the name of the target of a reference, with a link. */
export function nameSpan(context: PageContext, reference: Reference, style: TextStyle = BODY): Span {
  const target = context.body.reach(reference);
  return linked({ text: target.name, style }, context.targets.linkTo(target));
}

/** Returns the title of the target of a mention, with its icon and a link. */
function mentionSpans(
  context: PageContext,
  mention: Extract<Inline, { type: 'mention' }>['data'],
  style: TextStyle,
): Span[] {
  const target = context.body.reach(mention.ref);
  const own = target.page === context.id ? context.anchors.find(target.anchor ?? '') : undefined;
  const section = target.section ?? (own === undefined ? undefined : context.anchors.titles.get(own));
  const title = section || (target.isTitled ? target.name : textOfMention(mention));
  const spans = [...labelSpans(target, style), span(title, style)];
  return linkSpans(spans, context.targets.linkTo(target));
}

/** Has spans link to a target. */
export const linkSpans = (spans: readonly Span[], link: Link | undefined): Span[] =>
  spans.map((item) => linked(item, link));

function linked(item: Span, link: Link | undefined): Span {
  return link ? { ...item, style: { ...item.style, color: INK.link }, link } : item;
}

/** Converts inline nodes to spans, and opens their images. */
export async function spansOf(
  context: PageContext,
  nodes: readonly InlineNode[],
  style: TextStyle = BODY,
): Promise<Span[]> {
  const spans: Span[] = [];
  for (const node of nodes) {
    if (node.object === 'text') {
      for (const leaf of node.leaves) {
        spans.push({ ...span(leaf.text, marked(leaf, style)), ...(isCode(leaf) && { isolated: true }) });
      }
    } else {
      spans.push(...(await inlineSpans(context, node, style)));
    }
  }
  return spans;
}

async function inlineSpans(context: PageContext, node: Inline, style: TextStyle): Promise<Span[]> {
  const code: TextStyle = { ...style, mono: true, size: style.size * 0.92, background: INK.shade };
  switch (node.type) {
    case 'link': {
      const inner = await spansOf(context, node.nodes, style);
      const target = context.body.reach(node.data.ref);
      const shown = inner.some(({ text }) => text.trim() !== '') ? inner : [span(target.name, style)];
      return shown.map((item) => linked(item, context.targets.linkTo(target)));
    }
    case 'emoji':
      return [span(findEmoji(node.data.code) ?? `:${node.data.code}:`, style)];
    case 'icon':
      return iconSpans(node.data.icon, style, node.data.color);
    case 'expression':
      return [isolated(node.data.expression, code)];
    case 'inline-math':
      return (
        (await formulaSpans(context, node.data.formula, false, style)) ?? [isolated(node.data.formula, code)]
      );
    case 'inline-image': {
      const image = await inlineImage(context, node.data, style);
      return image ? [boxSpan(image, style)] : imageText(context, node.data, style);
    }
    case 'annotation':
      return [
        ...(await spansOf(context, node.nodes, style)),
        span(' (', style),
        ...(await blockSpans(context, node.data.body, style)),
        span(')', style),
      ];
    case 'span':
      addElement(context, idOfInline(node));
      return await spansOf(context, node.nodes, style);
    case 'anchor':
      addElement(context, node.data.id);
      return [];
    case 'comment':
    case 'tag':
      return [];
    case 'mention':
      return mentionSpans(context, node.data, style);
    case 'button': {
      const { ref, label, icon, kind } = node.data;
      const link = ref && context.targets.linkTo(context.body.reach(ref));
      const { flow } = context;
      const button = {
        label,
        icon: icon === undefined ? undefined : findIcon(icon),
        isPrimary: kind === 'primary',
        color: link ? INK.link : INK.muted,
        style,
      };
      const box = buttonBox(button, flow.fonts, (line, x, top) => flow.lineAt(line, x, top, line.width));
      return [{ ...boxSpan(box, style), ...(link && { link }) }];
    }
    default:
      return [span(textWithin(node), style)];
  }
}

/** Returns a formula; undefined if it cannot be typeset. */
export async function formulaSpans(
  { flow, formulas }: PageContext,
  tex: string,
  display: boolean,
  style: TextStyle = BODY,
): Promise<Span[] | undefined> {
  const { size, color } = style;
  const [maxWidth, maxHeight] = [flow.width, BOTTOM_POINTS - MARGIN.top];
  const formula = await formulas.typeset(tex, display, emsOf({ size, maxWidth }));
  return (
    formula &&
    formulaBoxes(formula, { fonts: flow.fonts, size, color, maxWidth, maxHeight }).map((box) => ({
      ...boxSpan(box, style),
      isolated: true,
    }))
  );
}

async function inlineImage(
  context: PageContext,
  data: Extract<Inline, { type: 'inline-image' }>['data'],
  style: TextStyle,
): Promise<InlineBox | undefined> {
  const image = await context.openImage(data.ref);
  if (!image) {
    return undefined;
  }
  const height = data.size === 'original' ? 400 : style.size * 1.6;
  const box = imageBox({ source: image.source, ...fitImage(image, { width: context.flow.width, height }) });
  return { ...box, alt: data.alt || context.body.reach(data.ref).name };
}

/** Returns the replacement of an image that cannot be printed: its description and its location. */
export function imageText(
  context: PageContext,
  { ref, alt }: { ref: Reference; alt?: string },
  style: TextStyle,
): Span[] {
  const muted = { ...style, italic: true, color: INK.muted };
  const name = nameSpan(context, ref, muted);
  if (alt === undefined || alt.trim() === '' || alt === name.text) {
    return [name];
  }
  return [span(`${alt} (`, muted), name, span(')', muted)];
}

/** Converts blocks to lines of one text, where there is no space for separate blocks. */
export async function blockSpans(
  context: PageContext,
  blocks: readonly AnyBlock[],
  style: TextStyle,
): Promise<Span[]> {
  const spans: Span[] = [];
  const lineBreak = () => {
    if (spans.length > 0) {
      spans.push(span('\n', style));
    }
  };
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'comment' || (block.type === 'tag' && block.nodes.length === 0)) {
      continue;
    }
    if (block.type === 'list-item') {
      lineBreak();
      spans.push(span(`${itemMark(block.data.checked) ?? '•'} `, style));
      spans.push(...(await blockSpans(context, block.nodes, style)));
    } else if (block.type === 'paragraph' || isHeading(block)) {
      lineBreak();
      spans.push(...(await spansOf(context, block.nodes, style)));
    } else if (block.type === 'image') {
      if (at > 0) {
        lineBreak();
      }
      const image = await inlineImage(context, { ...block.data, size: 'original' }, style);
      spans.push(...(image ? [boxSpan(image, style)] : imageText(context, block.data, style)));
      if (block.data.caption) {
        spans.push(span('\n', style), ...(await spansOf(context, block.data.caption, style)));
      }
    } else if (block.type === 'file' || block.type === 'drawing' || block.type === 'content-ref') {
      lineBreak();
      spans.push(nameSpan(context, block.data.ref, style));
    } else if (block.nodes.length > 0 && block.type !== 'code-line') {
      // A block that contains other blocks.
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

/** Returns the mark of a task. */
export const itemMark = (checked: boolean | undefined): string | undefined =>
  checked === undefined ? undefined : checked ? '☑' : '☐';
