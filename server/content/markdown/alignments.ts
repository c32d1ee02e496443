/** Converts alignments between documents and their form in HTML and Markdown tables. */
import type { Alignment } from './document.ts';

/** An alignment as written in HTML and Markdown. */
export type WrittenAlignment = 'left' | 'center' | 'right';

const WRITTEN_ALIGNMENTS: Record<Alignment, WrittenAlignment> = {
  start: 'left',
  center: 'center',
  end: 'right',
};
const ALIGNMENTS = new Map(
  Object.entries(WRITTEN_ALIGNMENTS).map(([align, written]) => [written as string, align as Alignment]),
);

/** Parses a written alignment; returns undefined if there is none, or one that documents do not support. */
export function alignment(written: string | null | undefined): Alignment | undefined {
  return written ? ALIGNMENTS.get(written) : undefined;
}

/** Formats an alignment; returns undefined if there is none. */
export function writtenAlignment(align: Alignment | undefined): WrittenAlignment | undefined {
  return align && WRITTEN_ALIGNMENTS[align];
}
