/** The computed entries of content, for code that stores data about their pages. */
import { dependentsOf } from '../links/graph.ts';
import type { Content, LocatedPage } from '../tree/content.ts';
import { hashOf } from '../tree/hash.ts';
import { walk } from '../tree/records.ts';
import { canonicalJson } from '../tree/values.ts';
import { COMPUTED_SPACE_PAGE_ID, withComputed } from './content.ts';
import type { ComputeEntry } from './pages.ts';

/** Computes the pages of the entries in an organization's content. */
export interface Computation {
  compute: ComputeEntry;
  /** Returns the names of existing specifications for references in content: their slugs and IDs. */
  names(): Promise<string[]>;
}

/** The pages that replace an entry. */
export interface EntryPages {
  /** Changes whenever the text, title or path of a page changes, or a page is added or removed. */
  seed: string;
  pages: LocatedPage[];
}

/**
 * Returns the IDs of the entries that are computed from any of the specifications; {@link COMPUTED_SPACE_PAGE_ID} for a
 * space that is computed as a whole. Costs one lookup in the index of links.
 */
export async function entriesFrom(stored: Content, specifications: readonly string[]): Promise<string[]> {
  const dependents = await dependentsOf(stored, specifications);
  return dependents.flatMap((source) =>
    source.kind === 'page' ? [source.id] : source.kind === 'space' ? [COMPUTED_SPACE_PAGE_ID] : [],
  );
}

/**
 * Returns content with its computed pages, and those pages by entry ID. Entries that cannot be computed are omitted.
 * No body is printed yet.
 */
export async function computeEntries(
  stored: Content,
  { compute, names }: Computation,
): Promise<{ content: Content; entries: Map<string, EntryPages> }> {
  const content = withComputed(stored, compute);
  const entries = new Map<string, EntryPages>();
  for (const id of await entriesFrom(stored, await names())) {
    const node = await content.readPage(id);
    if (node?.record.type !== 'document') {
      continue;
    }
    const pages = [...walk([node])].map(({ record, path }) => ({ record, path }));
    const inputs = pages.map(({ record, path }) => [
      record.id,
      path,
      record.title,
      record.type === 'document' ? (record.computedSeed ?? '') : '',
    ]);
    entries.set(id, { seed: hashOf(canonicalJson(inputs)).slice(0, 32), pages });
  }
  return { content, entries };
}
