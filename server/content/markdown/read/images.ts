/** Images, from markdown and from HTML: within a line, and as blocks. */
import { others } from '../attributes.ts';
import type { Image, Inline, InlineNode, Reference } from '../document.ts';
import { defined, reference, voidBlock, voidInline } from '../document.ts';
import type { Element, Piece } from './pieces.ts';
import { textLine } from './spaces.ts';

/** The image within a line from an `<img>` or a `<picture>`; undefined for one without an address. */
export function imageOf(element: Element): Inline | undefined {
  let img = element;
  let refDark: Reference | undefined;
  if (element.name === 'picture') {
    const parts = element.children.filter((child): child is Element => child.kind === 'element');
    const found = parts.find((child) => child.name === 'img');
    const dark = parts.find((child) => child.name === 'source');
    if (!found) return undefined;
    img = found;
    const url = dark?.attributes.get('srcset');
    refDark = url && dark?.attributes.get('media')?.includes('dark') ? reference(url) : undefined;
    if (dark && !refDark) return undefined;
  }
  const { attributes } = img;
  const ref = reference(attributes.get('src') ?? '');
  if (!ref || !attributes.get('src')) return undefined;
  const alt = attributes.get('alt') || undefined;
  const title = attributes.get('title') || undefined;
  const written = attributes.get('data-size');
  const size = written === 'line' || written === 'original' ? written : undefined;
  const rest = others(attributes, ['src', 'alt', 'title', 'data-size']);
  return voidInline('inline-image', defined({ ref, refDark, alt, title, size, attributes: rest }));
}

/** The image of a block from an element; undefined where the element is no image with an address. */
export function blockImage(element: Element, caption?: InlineNode[]): Image | undefined {
  const inline = imageOf(element);
  if (inline?.type !== 'inline-image') return undefined;
  const { ref, refDark, alt, title, size, attributes } = inline.data;
  const all = new Map(Object.entries(attributes ?? {}));
  if (size) all.set('data-size', size);
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
      attributes: others(all, ['width', 'height']),
    }),
  );
}

/** The images of a line that holds nothing else; undefined for any other line. */
export function imagesOfLine(pieces: Piece[]): Image[] | undefined {
  const images: Image[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'text' && piece.value.trim() === '') continue;
    if (piece.kind === 'break') continue;
    const image = piece.kind === 'element' ? blockImage(piece) : undefined;
    if (!image) return undefined;
    images.push(image);
  }
  return images.length > 0 ? images : undefined;
}
