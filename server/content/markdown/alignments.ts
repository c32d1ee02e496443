/** Where a text stands in its line, in documents and as HTML and tables in markdown say it. */
import type { Alignment } from './document.ts';

/** An alignment as it is written. */
export type WrittenAlignment = 'left' | 'center' | 'right';

const WRITTEN: Record<Alignment, WrittenAlignment> = { start: 'left', center: 'center', end: 'right' };
const READ = new Map(
  Object.entries(WRITTEN).map(([align, written]) => [written as string, align as Alignment]),
);

/** The alignment that is written; undefined for none, and for one that documents do not have. */
export function alignment(written: string | null | undefined): Alignment | undefined {
  return written ? READ.get(written) : undefined;
}

/** An alignment as it is written; undefined for none. */
export function writtenAlignment(align: Alignment | undefined): WrittenAlignment | undefined {
  return align && WRITTEN[align];
}
