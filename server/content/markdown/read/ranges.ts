/** Ranges of blocks in the text of a page. */
import type { RootContent } from 'mdast';

/** Start and end offset of a block in the text of the page, without surrounding whitespace. */
export interface BlockRange {
  start: number;
  end: number;
}

/** A node of the syntax tree with its position. */
export type LocatedNode = Pick<RootContent, 'position'>;

/** Returns the range of a node; undefined if its position is unknown. */
export function offsetsOf({ position }: LocatedNode): BlockRange | undefined {
  const { start, end } = position ?? {};
  return start?.offset === undefined || end?.offset === undefined
    ? undefined
    : { start: start.offset, end: end.offset };
}
