/** Pieces: parts of a line of one span, direction and font. */
import type { InlineBox } from '../boxes.ts';
import type { Face, FontStyle, Fonts } from '../fonts.ts';

/** Appearance of a piece of text. Sizes are in points. */
export interface TextStyle extends FontStyle {
  size: number;
  color: string;
  strike: boolean;
  underline?: boolean;
  /** Color behind the text. */
  background?: string;
  /** Distance above the baseline, as a fraction of its size. */
  rise: number;
}

/** Target of a click: a URL, or a named destination in the document. */
export type Link = { url: string } | { destination: string };

/** Text of one appearance; or a box, whose text is one placeholder character. */
export interface Span {
  text: string;
  style: TextStyle;
  link?: Link;
  box?: InlineBox;
  /** Whether its direction does not depend on the text around it, and does not affect that text. */
  isolated?: boolean;
}

/** Text in one font and direction, which is drawn at once. */
export interface Piece extends Span {
  face: Face;
  level: number;
  /** Width in points. */
  width: number;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ASCII = /^[\x20-\x7e]*$/;

/** Divides a part of a paragraph into pieces of one span, direction and font. */
export function piecesOf(
  spans: readonly Span[],
  text: string,
  start: number,
  end: number,
  levels: Uint8Array | undefined,
  fonts: Fonts,
): Piece[] {
  const pieces: Piece[] = [];
  let offset = 0;
  for (const span of spans) {
    const [from, to] = [Math.max(start, offset), Math.min(end, offset + span.text.length)];
    offset += span.text.length;
    if (from >= end) {
      break;
    }
    if (from >= to) {
      continue;
    }
    const part = text.slice(from, to);
    if (levels === undefined && ASCII.test(part)) {
      append(pieces, pieceOf(span, part, fonts.faceFor('a', span.style), 0));
      continue;
    }
    let [begin, face, level] = [0, undefined as Face | undefined, 0];
    for (const { segment, index } of graphemes.segment(part)) {
      const next = fonts.faceFor(segment, span.style);
      const nextLevel = levels?.[from + index] ?? 0;
      if (face && (next !== face || nextLevel !== level)) {
        append(pieces, pieceOf(span, part.slice(begin, index), face, level));
        begin = index;
      }
      [face, level] = [next, nextLevel];
    }
    if (face) {
      append(pieces, pieceOf(span, part.slice(begin), face, level));
    }
  }
  return pieces;
}

/** Returns a part of a span. */
export function pieceOf(span: Span, text: string, face: Face, level: number): Piece {
  const width = span.box ? span.box.width : face.font.widthOf(text, level % 2 === 1) * span.style.size;
  return { ...span, text, face, level, width };
}

/** Appends a piece, or adds it to the last one if both are drawn alike. */
export function append(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  const joins =
    last &&
    !last.box &&
    !piece.box &&
    last.face === piece.face &&
    last.level === piece.level &&
    last.style === piece.style &&
    last.link === piece.link;
  if (joins) {
    const { text } = last;
    last.text += piece.text;
    // Words are shaped separately, so their widths add up.
    last.width =
      last.level % 2 === 0 && (text.endsWith(' ') || piece.text.startsWith(' '))
        ? last.width + piece.width
        : last.face.font.widthOf(last.text, last.level % 2 === 1) * last.style.size;
  } else {
    pieces.push(piece);
  }
}

/** Returns the width of pieces, in points. */
export const widthOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { width }) => sum + width, 0);

/** Width of the trailing spaces, in points. */
export function trailing(pieces: readonly Piece[]): number {
  const last = pieces.at(-1);
  if (!last || last.box) {
    return 0;
  }
  const trimmed = last.text.trimEnd();
  if (trimmed === last.text) {
    return 0;
  }
  const spaces = last.text.slice(trimmed.length);
  return last.level % 2 === 0 && /^ +$/.test(spaces)
    ? last.face.font.widthOf(spaces, false) * last.style.size
    : last.width - last.face.font.widthOf(trimmed, last.level % 2 === 1) * last.style.size;
}
