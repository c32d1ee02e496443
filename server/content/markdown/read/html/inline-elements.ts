/** Converts HTML elements to the inline nodes that they represent. */
import { unknownAttributes } from '../../attributes.ts';
import type { Inline } from '../../document.ts';
import { defined, MENTION_TITLE, reference, voidInline } from '../../document.ts';
import { NOTE_LINK } from '../../html.ts';
import { type Element, type Piece, textOfPieces } from '../pieces.ts';

export const hasClass = (attributes: Map<string, string>, name: string): boolean =>
  attributes.get('class')?.split(/\s+/).includes(name) ?? false;

export function iconOf(attributes: Map<string, string>): Inline | undefined {
  const icon = /^(?:fa-)([a-z0-9-]{1,64})$/.exec(attributes.get('class') ?? '')?.[1];
  if (icon === undefined) {
    return undefined;
  }
  const color = /^color:\s*([^;\s]{1,64});?$/.exec(attributes.get('style') ?? '')?.[1];
  return voidInline('icon', defined({ icon, color }));
}

export function buttonOf({ name, attributes, children }: Element): Inline | undefined {
  const href = name === 'a' ? attributes.get('href') : undefined;
  const ref = href === undefined ? undefined : reference(href);
  if (name === 'a' && !ref) {
    return undefined;
  }
  const kind = hasClass(attributes, 'secondary') ? 'secondary' : 'primary';
  const icon = attributes.get('data-icon');
  const label = textOfPieces(children).replace(/\s+/g, ' ').trim();
  if (!label || (icon?.length ?? 0) > 64) {
    return undefined;
  }
  const rest = unknownAttributes(attributes, [
    'href',
    'class',
    'data-icon',
    ...(name === 'button' ? ['type'] : []),
  ]);
  return voidInline('button', defined({ ref, kind, icon, label, attributes: rest }));
}

export function spanData(attributes: Map<string, string>): {
  option?: string;
  attributes?: Record<string, string>;
} {
  const option = attributes.get('data-option');
  return defined({ option, attributes: unknownAttributes(attributes, ['data-option']) });
}

/** Returns an emoji that is written as a `<span>`: its text, or else its code points in hexadecimal with hyphens. */
export function emojiText({ attributes, children }: Element): string {
  const code = attributes.get('data-code') ?? '';
  const isCode = /^[0-9a-f]{2,5}(?:-[0-9a-f]{2,5}){0,7}$/i.test(code);
  const text = textOfPieces(children).trim();
  return text || !isCode
    ? text
    : String.fromCodePoint(...code.split('-').map((point) => Number.parseInt(point, 16))).toWellFormed();
}

/** Returns the text of a checkbox; empty for any other control. */
export function checkboxText({ attributes }: Element): string {
  return attributes.get('type')?.toLowerCase() !== 'checkbox' ? '' : attributes.has('checked') ? '☑' : '☐';
}

/** Returns the identifier of the note that a link names; undefined for any other link. */
export function noteOfLink(href: string | undefined): string | undefined {
  if (!href?.startsWith(NOTE_LINK)) {
    return undefined;
  }
  const id = href.slice(NOTE_LINK.length);
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Whether a link is a mention. The title makes it one only if its text has no markup, which a mention would lose. */
export const isMention = ({ attributes, children }: Element): boolean =>
  attributes.has('data-mention') ||
  (attributes.get('title') === MENTION_TITLE && children.every(({ kind }) => kind === 'text'));

/** Returns whether an element is an image without an address. */
export const isEmptyImage = ({ name, attributes }: Element): boolean =>
  name === 'img' && !attributes.get('src');

/** Collapses whitespace within `<code>`, and reduces all content to code. */
export function codePieces(pieces: Piece[]): Piece[] {
  const text = textOfPieces(pieces).replace(/\s+/g, ' ');
  return [{ kind: 'code', value: text }];
}
