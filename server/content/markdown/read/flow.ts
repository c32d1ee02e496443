/** The items that the blocks of a flow are assembled from. */
import type { RootContent } from 'mdast';
import type { Tag } from '../attributes.ts';
import type { Block, InlineNode } from '../document.ts';
import type { OpenTag } from '../html.ts';
import type { Piece } from './pieces.ts';

/** Start and end offset of a block in the text of the page, without surrounding whitespace. */
export interface BlockRange {
  start: number;
  end: number;
}

/** An item of the flow, and its range unless it is unknown. */
export type FlowItem = { range?: BlockRange | undefined } & (
  | { kind: 'block'; block: Block }
  | { kind: 'tag'; tag: Tag }
  | { kind: 'details'; open: boolean; source: string }
  | { kind: 'summary'; title: InlineNode[]; source: string }
  | { kind: 'endDetails'; source: string }
  /** An element that is complete, or a line between elements. */
  | { kind: 'pieces'; pieces: Piece[] }
  /** The start or end of an element whose content is separated by blank lines. */
  | { kind: 'open'; tag: OpenTag }
  | { kind: 'close'; name: string }
);

/** A node of the syntax tree with its position. */
export type LocatedNode = Pick<RootContent, 'position'>;

/** Returns the range of a node; undefined if its position is unknown. */
export function offsetsOf({ position }: LocatedNode): BlockRange | undefined {
  const { start, end } = position ?? {};
  return start?.offset === undefined || end?.offset === undefined
    ? undefined
    : { start: start.offset, end: end.offset };
}
