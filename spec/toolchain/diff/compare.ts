import { readSource } from '../source.ts';
import { readApprovals } from './approvals.ts';
import type { Comparison } from './comparison.ts';
import { compareSources } from './diff.ts';
import { type Filter, filterComparison } from './filter.ts';

/** Documents to compare. */
export interface DiffOptions extends Filter {
  /** Folder that paths are relative to. */
  root: string;
  /** Path, or `REF:PATH` for a file in Git. */
  base: string;
  head: string;
  /** Path of the approvals file. */
  approvals?: string;
}

/**
 * Compares two documents on disk or in Git, and applies the approvals and the filter.
 * @throws {UsageError} if a document, the approvals file or the filter is unusable
 */
export async function compare({ root, base, head, approvals, ...filter }: DiffOptions): Promise<Comparison> {
  // One after the other: the text of a document is several times as large as what is retained of it.
  const before = await readSource(base, root);
  const after = await readSource(head, root);
  const entries = approvals === undefined ? [] : await readApprovals(approvals, root);
  return filterComparison(compareSources(before, after, entries), filter, [before, after]);
}
