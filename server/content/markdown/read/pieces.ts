/**
 * Pieces: the common form of Markdown and HTML before the conversion to the inline nodes of a document. Tags of both
 * may be mixed: `<mark …>**x**</mark>`.
 */
import type { Tag } from '../attributes.ts';
import type { Block } from '../document.ts';
import type { CloseTag, OpenTag } from '../html.ts';
import type { BlockRange } from './ranges.ts';

/** An element with its content. The tags of an element that is written in Markdown are empty. */
export interface Element {
  kind: 'element';
  name: string;
  attributes: Map<string, string>;
  children: Piece[];
  open: string;
  close: string;
  /** Start and end in the HTML, see {@link SourceRange}. */
  range?: SourceRange | undefined;
  /** Range in the page of a nested element with content between blank lines. */
  place?: BlockRange | undefined;
}

/** Start and end offset in the HTML that contains a piece; undefined for Markdown. */
export type SourceRange = readonly [start: number, end: number];

export type Piece = { range?: SourceRange | undefined } & (
  | { kind: 'text' | 'code' | 'math' | 'emoji' | 'comment'; value: string }
  /** Unknown or unpaired markup, as written. */
  | { kind: 'raw'; value: string; token?: OpenTag | CloseTag }
  | { kind: 'tag'; tag: Tag }
  | { kind: 'break' }
  | { kind: 'note'; id: string; label: string }
  /** A block in an element with content between blank lines. */
  | { kind: 'block'; block: Block }
  | Element
);

/** Returns the text of pieces without markup. */
export function textOfPieces(pieces: Piece[]): string {
  let text = '';
  for (const piece of pieces) {
    if (piece.kind === 'element') {
      text += textOfPieces(piece.children);
    } else if (piece.kind === 'emoji') {
      text += `:${piece.value}:`;
    } else if (piece.kind === 'break') {
      text += ' ';
    } else if (piece.kind === 'tag') {
      text += piece.tag.source;
    } else if ('value' in piece && piece.kind !== 'comment') {
      text += piece.value;
    }
  }
  return text;
}

/** Returns the HTML of pieces that consist of HTML only. */
export function sourceOfPieces(pieces: Piece[]): string {
  let source = '';
  for (const piece of pieces) {
    if (piece.kind === 'element') {
      source += piece.open + sourceOfPieces(piece.children) + piece.close;
    } else if (piece.kind === 'raw') {
      source += piece.value;
    } else if (piece.kind === 'text') {
      source += piece.value.replace(/&/g, '&amp;').replace(/</g, '&lt;');
    }
  }
  return source;
}

/** Returns whether a piece is visible. */
export const isVisible = (piece: Piece): boolean =>
  piece.kind !== 'break' && (piece.kind !== 'text' || piece.value.trim() !== '');

/** Returns whether an element is an image. */
export const isImage = ({ name }: Element): boolean => name === 'img' || name === 'picture';

/** Approximate size of a node as JSON, without its text. */
const NODE_BYTES = 40;

/** Returns the approximate size of the node of a piece as JSON, without its children and marks. */
export function bytesOfPiece(piece: Piece): number {
  if (piece.kind !== 'element') {
    return NODE_BYTES + ('value' in piece ? piece.value.length : 0);
  }
  let bytes = NODE_BYTES;
  for (const value of piece.attributes.values()) {
    bytes += value.length;
  }
  return bytes;
}
