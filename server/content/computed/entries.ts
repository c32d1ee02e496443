/** The entries of content that are computed, for whoever keeps something of their pages. */
import { dependentsOf } from '../links/graph.ts';
import type { Content, PagePlace } from '../store/content.ts';
import { hashOf } from '../store/hash.ts';
import { walk } from '../store/records.ts';
import { canonicalJson } from '../store/values.ts';
import { WHOLE, withComputed } from './content.ts';
import { computeWith } from './pages.ts';
import type { Specifications } from './specification.ts';

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
  { find, names }: Specifications,
): Promise<{ content: Content; entries: Map<string, EntryPages> }> {
  const content = withComputed(stored, computeWith(find));
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
