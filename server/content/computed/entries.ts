/** The entries of content that are computed, for whoever keeps something of their pages. */
import { dependentsOf } from '../links/graph.ts';
import type { Content, PagePlace } from '../tree/content.ts';
import { hashOf } from '../tree/hash.ts';
import { walk } from '../tree/records.ts';
import { canonicalJson } from '../tree/values.ts';
import { WHOLE, withComputed } from './content.ts';
import type { ComputeEntry } from './pages.ts';

/** How the entries of an organization's content become pages. */
export interface Computation {
  compute: ComputeEntry;
  /** What content may call the specifications that were read: their slugs and ids. */
  names(): Promise<string[]>;
}

/** The pages in the place of an entry. */
export interface EntryPages {
  /** Another one whenever the text, the title or the path of a page is another, or a page comes or goes. */
  seed: string;
  places: PagePlace[];
}

/**
 * The ids of the entries that are computed from some specifications, {@link WHOLE} for a space that is as a whole.
 * It costs one look into the index of links.
 */
export async function entriesFrom(stored: Content, specifications: readonly string[]): Promise<string[]> {
  const dependents = await dependentsOf(stored, specifications);
  return dependents.flatMap((source) =>
    source.kind === 'page' ? [source.id] : source.kind === 'space' ? [WHOLE] : [],
  );
}

/**
 * Content with its computed pages, and those by the id of their entry. Entries that cannot be computed are not
 * among them. No body is printed yet.
 */
export async function computeEntries(
  stored: Content,
  { compute, names }: Computation,
): Promise<{ content: Content; entries: Map<string, EntryPages> }> {
  const content = withComputed(stored, compute);
  const entries = new Map<string, EntryPages>();
  for (const id of await entriesFrom(stored, await names())) {
    const node = await content.readPage(id);
    if (node?.record.type !== 'document') continue;
    const places = [...walk([node])].map(({ record, path }) => ({ record, path }));
    const facts = places.map(({ record, path }) => [
      record.id,
      path,
      record.title,
      record.type === 'document' ? (record.computedSeed ?? '') : '',
    ]);
    entries.set(id, { seed: hashOf(canonicalJson(facts)).slice(0, 32), places });
  }
  return { content, entries };
}
