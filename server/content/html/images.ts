/** Renders images. Their dimensions are known before they are loaded, so that no text moves. */
import type { BlockOf, Image, Inline, Reference } from '../markdown/document.ts';
import { clamp, type LinkedTarget, type RenderContext, targetOf, withWidth } from './context.ts';
import { EMPTY, element, type Html, imageData, join, text, type Url } from './markup.ts';

type InlineImage = Extract<Inline, { type: 'inline-image' }>['data'];

/** Maximum width or height that an attribute specifies, in pixels. */
const MAX_IMAGE_PIXELS = 10_000;

/** Address of an image that a browser can load. It may contain the image. Scripts do not run in images. */
const sourceOf = (ref: Reference, { url }: LinkedTarget): Url | undefined =>
  (ref.kind === 'url' ? imageData(ref.url) : undefined) ??
  (url === undefined || /^(?:mailto|tel):|^#/i.test(url) ? undefined : url);

/** Renders the images for light and dark themes; undefined if there is no address. */
function renderVariants(
  context: RenderContext,
  { ref, refDark, alt }: { ref: Reference; refDark?: Reference; alt?: string },
  { className, width, height }: { className?: string; width?: number; height?: number } = {},
): Html | undefined {
  const variants = [ref, ...(refDark ? [refDark] : [])].map((variant) => {
    const target = targetOf(context, variant);
    return { target, source: sourceOf(variant, target) };
  });
  const source = variants[0]?.source;
  if (source === undefined) {
    return undefined;
  }
  if (!source.startsWith('data:')) {
    context.page.image ??= source;
  }
  return join(
    variants.map(({ target, source: own }, at) => {
      const theme = refDark === undefined ? undefined : at === 0 ? 'light-only' : 'dark-only';
      const classes = [className, theme].filter((name) => name !== undefined).join(' ');
      return element('img', {
        src: own ?? source,
        alt: alt ?? '',
        class: classes === '' ? undefined : classes,
        ...dimensions(target, width, height),
        loading: 'lazy',
        decoding: 'async',
      });
    }),
  );
}

/** Returns the dimensions of an image, with its own proportions if only one is requested. */
function dimensions(
  { width, height }: LinkedTarget,
  requestedWidth: number | undefined,
  requestedHeight: number | undefined,
): { width?: number; height?: number } {
  if (width === undefined || height === undefined || width <= 0 || height <= 0) {
    return {
      ...(requestedWidth !== undefined && { width: requestedWidth }),
      ...(requestedHeight !== undefined && { height: requestedHeight }),
    };
  }
  const scale =
    requestedWidth !== undefined
      ? requestedWidth / width
      : requestedHeight !== undefined
        ? requestedHeight / height
        : 1;
  return {
    width: clamp(width * scale, 1, MAX_IMAGE_PIXELS),
    height: clamp(
      requestedWidth !== undefined && requestedHeight !== undefined ? requestedHeight : height * scale,
      1,
      MAX_IMAGE_PIXELS,
    ),
  };
}

/** Returns a number of pixels as written; undefined for other units. */
function pixels(value: string | undefined): number | undefined {
  const number = Number(/^\s*(\d{1,5}(?:\.\d+)?)(?:px)?\s*$/.exec(value ?? '')?.[1] ?? 0);
  return number > 0 ? clamp(number, 1, MAX_IMAGE_PIXELS) : undefined;
}

/** Returns the class of a width in percent, which the style sheet has in steps of five. */
export function widthClass(value: string | undefined): string | undefined {
  const percent = Number(/^\s*(\d{1,3}(?:\.\d+)?)%\s*$/.exec(value ?? '')?.[1] ?? 0);
  return percent > 0 ? `width-${clamp(percent / 5, 1, 20) * 5}` : undefined;
}

/** Renders a row of images. */
export function renderImages(context: RenderContext, block: BlockOf<'images'>): Html {
  const { align, fullWidth, withFrame } = block.data;
  const classes = ['images', ...(align ? [`align-${align}`] : []), ...(withFrame ? ['images-framed'] : [])];
  return element(
    'div',
    { class: withWidth(classes.join(' '), fullWidth) },
    ...block.nodes.map((image) => renderImage(context, image)),
  );
}

/** Renders an image with its caption. An image without an address is shown as its description. */
export function renderImage(context: RenderContext, { data }: Image): Html {
  const percent = widthClass(data.width);
  const [width, height] = [pixels(data.width), pixels(data.height)];
  const image =
    renderVariants(context, data, {
      ...(width !== undefined && { width }),
      ...(height !== undefined && { height }),
    }) ?? missingImage(context, data);
  return element(
    'figure',
    { class: percent ? `image ${percent}` : 'image' },
    image,
    renderCaption(context, data.caption),
  );
}

function missingImage(context: RenderContext, { ref, alt }: { ref: Reference; alt?: string }): Html {
  const label = alt === undefined || alt.trim() === '' ? targetOf(context, ref).title : alt;
  return element('span', { class: 'missing-image' }, text(label));
}

/** Renders a caption; empty without one. */
export function renderCaption(
  context: RenderContext,
  caption: Image['data']['caption'],
  name: 'figcaption' | 'p' = 'figcaption',
): Html {
  return caption && caption.length > 0
    ? element(name, { class: 'caption' }, context.inlines(context, caption))
    : EMPTY;
}

/** Renders an image in a line of text. */
export function inlineImage(context: RenderContext, data: InlineImage): Html {
  const className = data.size === 'original' ? 'inline-image-original' : 'inline-image';
  return renderVariants(context, data, { className }) ?? missingImage(context, data);
}

/** Renders the cover of a card; empty without an address. */
export function coverImage(context: RenderContext, ref: Reference, refDark: Reference | undefined): Html {
  return renderVariants(context, { ref, ...(refDark && { refDark }) }, { className: 'card-cover' }) ?? EMPTY;
}

/** Renders a drawing: its image, or the card of its file. */
export function drawingImage(context: RenderContext, ref: Reference, title: string): Html | undefined {
  const { contentType } = targetOf(context, ref);
  return contentType?.startsWith('image/') ? renderVariants(context, { ref, alt: title }) : undefined;
}
