/** The items that the blocks of a flow are assembled from. */
import type { Tag } from '../attributes.ts';
import type { Block, InlineNode } from '../document.ts';
import type { OpenTag } from '../html.ts';
import type { Piece } from './pieces.ts';
import type { BlockRange } from './ranges.ts';

/** An item of the flow, and its range unless it is unknown. */
export type FlowItem = { range?: BlockRange | undefined } & (
  | { kind: 'block'; block: Block }
  | { kind: 'tag'; tag: Tag }
  | { kind: 'details'; id?: string | undefined; open: boolean; source: string }
  | { kind: 'summary'; id?: string | undefined; title: InlineNode[]; source: string }
  | { kind: 'endDetails'; source: string }
  /** An element that is complete, or a line between elements. */
  | { kind: 'pieces'; pieces: Piece[] }
  /** The start or end of an element with content between blank lines. */
  | { kind: 'open'; tag: OpenTag }
  | { kind: 'close'; name: string }
);
