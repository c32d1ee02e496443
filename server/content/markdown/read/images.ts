/** Reads images of Markdown and HTML, within lines and as blocks. */
import { unknownAttributes } from '../attributes.ts';
import type { Image, Inline, InlineNode, Reference } from '../document.ts';
import { defined, reference, voidBlock, voidInline } from '../document.ts';
import { decodeHtml } from '../html.ts';
import { type Element, type Piece, sourceOfPieces } from './pieces.ts';
import { textLine } from './spaces.ts';

/** Reads an inline image from an `<img>` or `<picture>`; returns undefined if it has no URL. */
export function imageOf(element: Element): Inline | undefined {
  let img = element;
  let refDark: Reference | undefined;
  if (element.name === 'picture') {
    const parts = element.children.filter((child): child is Element => child.kind === 'element');
    const imgElement = parts.find((child) => child.name === 'img');
    const dark = parts.find((child) => child.name === 'source');
    if (!imgElement) {
      return undefined;
    }
    img = imgElement;
    const url = dark?.attributes.get('srcset');
    refDark = url && dark?.attributes.get('media')?.includes('dark') ? reference(url) : undefined;
    if (dark && !refDark) {
      return undefined;
    }
  }
  const { attributes } = img;
  const ref = reference(attributes.get('src') ?? '');
  if (!ref || !attributes.get('src')) {
    return undefined;
  }
  const alt = attributes.get('alt') || undefined;
  const title = attributes.get('title') || undefined;
  const written = attributes.get('data-size');
  const size = written === 'line' || written === 'original' ? written : undefined;
  const rest = unknownAttributes(attributes, ['src', 'alt', 'title', 'data-size']);
  return voidInline('inline-image', defined({ ref, refDark, alt, title, size, attributes: rest }));
}

/**
 * Reads a drawing in HTML as an image (scripts do not run in images), and its title. The image is undefined if it is
 * too large for the URL of an image.
 */
export function vectorImageOf(element: Element): { image: Inline | undefined; title: string } {
  const { attributes, open, close } = element;
  const source = sourceOfPieces([element]);
  const written = attributes.get('aria-label') ?? decodeHtml(TITLE.exec(source)?.[1] ?? '');
  const title = written.replace(/\s+/g, ' ').trim();
  const isComplete = /\sxmlns\s*=/.test(open);
  const svg = isComplete ? source : source.replace(/^<svg/i, '<svg xmlns="http://www.w3.org/2000/svg"');
  const url = `data:image/svg+xml,${encodeURIComponent(svg.toWellFormed())}`;
  const ref = close === '' ? undefined : reference(url);
  const sizes = new Map([...attributes].filter(([name]) => name === 'width' || name === 'height'));
  const data = ref && defined({ ref, alt: title || undefined, attributes: unknownAttributes(sizes, []) });
  return { image: data && voidInline('inline-image', data), title };
}

/** The title of a drawing. */
const TITLE = /<title[^<>]*>([^<]*)<\/title>/i;

/** Reads a block image from an element; returns undefined if it is not an image with a URL. */
export function blockImage(element: Element, caption?: InlineNode[]): Image | undefined {
  const inline = imageOf(element);
  if (inline?.type !== 'inline-image') {
    return undefined;
  }
  const { ref, refDark, alt, title, size, attributes } = inline.data;
  const all = new Map(Object.entries(attributes ?? {}));
  if (size) {
    all.set('data-size', size);
  }
  const titled = title === undefined ? undefined : textLine(title);
  return voidBlock(
    'image',
    defined({
      ref,
      refDark,
      alt,
      caption: caption && caption.length > 0 ? caption : titled?.length ? titled : undefined,
      width: all.get('width'),
      height: all.get('height'),
      attributes: unknownAttributes(all, ['width', 'height']),
    }),
  );
}

/** Returns the images of a line that contains nothing else; undefined for any other line. */
export function imagesOfLine(pieces: Piece[]): Image[] | undefined {
  const images: Image[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'text' && piece.value.trim() === '') {
      continue;
    }
    if (piece.kind === 'break') {
      continue;
    }
    const image = piece.kind === 'element' ? blockImage(piece) : undefined;
    if (!image) {
      return undefined;
    }
    images.push(image);
  }
  return images.length > 0 ? images : undefined;
}
