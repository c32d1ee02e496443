/** Renders text, and the elements within text. */
import type { components } from '../../../../../generated/schema.d.ts';
import { type Html, html } from '../../../../contract/docs/html.ts';
import { type ElementContext, MAX_BLOCK_ELEMENTS, MAX_ELEMENT_DEPTH, webAddress } from './element-context.ts';

type Schemas = components['schemas'];
type Inlines = string | Schemas['RenderInlineElement'] | readonly Schemas['RenderInline'][];

/** Renders the hint of an input or of a card, or the subtitle of a modal. */
export const noteHtml = (
  hint: Inlines | undefined,
  context: ElementContext,
  name: 'note' | 'subtitle' = 'note',
): Html | undefined =>
  hint === undefined ? undefined : html`<p class="block-${name}">${inlinesHtml(hint, context)}</p>`;

const STYLED = {
  bold: (content: Html) => html`<strong>${content}</strong>`,
  italic: (content: Html) => html`<em>${content}</em>`,
  code: (content: Html) => html`<code>${content}</code>`,
  strikethrough: (content: Html) => html`<del>${content}</del>`,
} as const;

/** Renders text in its style. */
export function textHtml({ children, style }: Schemas['TextElement'], context: ElementContext): Html {
  const content = inlinesHtml(children, context);
  return style ? STYLED[style](content) : content;
}

function inlinesHtml(inlines: Inlines, outer: ElementContext): Html {
  const context = { ...outer, depth: outer.depth + 1 };
  const parts = context.depth > MAX_ELEMENT_DEPTH ? [] : [inlines].flat();
  return html`${parts.map((inline) => inlineHtml(inline, context))}`;
}

function inlineHtml(inline: Schemas['RenderInline'], context: ElementContext): Html {
  context.count.elements += 1;
  if (typeof inline === 'string') {
    return html`${inline}`;
  }
  if (context.count.elements > MAX_BLOCK_ELEMENTS) {
    return html``;
  }
  switch (inline.type) {
    case 'text':
      return textHtml(inline, context);
    case 'link':
      return linkHtml(inline, context);
    case 'image':
      return imageHtml(inline, context);
  }
}

/** Renders a link. Only its text is shown if its address is not of the web. */
export function linkHtml({ target, children }: Schemas['RenderLinkElement'], context: ElementContext): Html {
  const content = inlinesHtml(children, context);
  const href = webAddress(target.url, context);
  return href === undefined ? content : html`<a href="${href}" target="_blank" rel="noopener">${content}</a>`;
}

/** Width of images and frames in an attribute, which browsers reduce to the available space. */
export const FULL_WIDTH = 1000;

/** Returns the height of an image or frame of this width. */
export const heightOf = (ratio: number): number =>
  Math.round(FULL_WIDTH / Math.min(20, Math.max(0.05, Number.isFinite(ratio) ? ratio : 1)));

/** Renders an image. */
export function imageHtml({ source, aspectRatio }: Schemas['ImageElement'], context: ElementContext): Html {
  const src = webAddress(source.url, context);
  return src === undefined
    ? html``
    : html`<img src="${src}" alt="" loading="lazy" width="${FULL_WIDTH}" height="${heightOf(aspectRatio)}">`;
}
