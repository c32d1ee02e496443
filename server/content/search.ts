import type { Selectable } from 'kysely';
import type { Database, Queries, Transaction } from '../database/database.ts';
import { readJson, writeJson } from '../database/json.ts';
import type { SpacesTable } from '../database/schema.ts';
import {
  findPages,
  removePages,
  replacePageSections,
  type SearchPage,
  type Section,
} from '../database/search.ts';
import { type Computation, computeEntries, type EntryPages } from './computed/entries.ts';
import { entryOfChild } from './computed/pages.ts';
import { evaluateMarkdown } from './expressions/markdown.ts';
import { searchSections } from './markdown/sections.ts';
import { openContent } from './store/content.ts';
import { findRevision, requireRevision } from './store/revisions.ts';
import { variablesOf } from './threads/body.ts';
import { changedPages } from './tree/changes.ts';
import type { Content, PagePlace } from './tree/content.ts';
import { type DocumentRecord, type Variables, walk } from './tree/records.ts';
import { canonicalJson } from './tree/values.ts';

/** Pages that one transaction indexes, at most. */
export const MAX_INDEXED_PAGES = 25;
/** Pages that one transaction forgets, at most. */
export const MAX_REMOVED_PAGES = 1000;

/** What the row of a space says of what search knows of it. */
type SearchState = Pick<
  Selectable<SpacesTable>,
  'organization' | 'revision' | 'searchedRevision' | 'searchedEntries'
>;

/** What search has to forget and to learn. */
interface SearchChanges {
  removed: readonly string[];
  places: readonly PagePlace[];
}

/**
 * Brings what search knows of a space to its active revision, and to what that is computed from, from what it knew
 * before. A second call finds nothing to do. Stops where another revision becomes the active one meanwhile: whoever
 * made it active has it indexed.
 *
 * Reading and computing happen outside transactions. Where it takes several of them to write, the first one marks
 * search as out of step, so that all is indexed again where the process ends in between.
 *
 * @param computationOf how the computed pages of an organization come about
 */
export async function indexSpace(
  database: Database,
  id: string,
  computationOf: (organization: string) => Computation,
): Promise<void> {
  const { query } = database;
  const before = await readState(query, id);
  if (!before) return;
  const active = await openContent(query, await requireRevision(query, id, before.revision));
  const { content, entries } = await computeEntries(active, computationOf(before.organization));
  const { removed, places } = await planChanges(query, { ...before, id }, active, entries);
  const seeds = Object.fromEntries([...entries].map(([entry, { seed }]) => [entry, seed]));
  const after = {
    searchedRevision: before.revision,
    searchedEntries: entries.size > 0 ? writeJson(seeds) : null,
  };
  const isKnown =
    before.searchedRevision === after.searchedRevision && before.searchedEntries === after.searchedEntries;
  if (isKnown && removed.length + places.length === 0) return;

  const where = { organization: before.organization, space: id };
  const write = (expected: string | null, work: (trx: Transaction) => Promise<unknown>): Promise<boolean> =>
    database.transaction(async (trx) => {
      const now = await readState(trx, id);
      const isAsRead = now?.revision === before.revision && now.organization === before.organization;
      if (!isAsRead || now.searchedRevision !== expected) return false;
      await work(trx);
      return true;
    });
  const remember = (trx: Transaction, state: Partial<SearchState>) =>
    trx.updateTable('spaces').set(state).where('id', '=', id).execute();
  const removals = [...batchesOf(removed, MAX_REMOVED_PAGES)];
  // A computed page may be as long as many others, so it ends a batch.
  const additions = [...batchesOf(places, MAX_INDEXED_PAGES, ({ record }) => 'computed' in record)];
  if (removals.length <= 1 && additions.length <= 1) {
    const pages = await searchPages(content, places);
    await write(before.searchedRevision, async (trx) => {
      await removePages(trx, { ...where, pages: removed });
      await replacePageSections(trx, { ...where, pages });
      await remember(trx, after);
    });
    return;
  }
  const outOfStep = { searchedRevision: null, searchedEntries: null };
  let isCurrent = await write(before.searchedRevision, (trx) => remember(trx, outOfStep));
  for (const pages of removals)
    isCurrent &&= await write(null, (trx) => removePages(trx, { ...where, pages }));
  for (const batch of additions) {
    if (!isCurrent) return;
    const pages = await searchPages(content, batch);
    isCurrent = await write(null, (trx) => replacePageSections(trx, { ...where, pages }));
  }
  if (isCurrent) await write(null, (trx) => remember(trx, after));
}

function readState(queries: Queries, id: string): Promise<SearchState | undefined> {
  return queries
    .selectFrom('spaces')
    .select(['organization', 'revision', 'searchedRevision', 'searchedEntries'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Only pages that changed are read, unless the variables of the space did, which any page may show. */
async function planChanges(
  queries: Queries,
  { id, organization, searchedRevision, searchedEntries }: SearchState & { id: string },
  active: Content,
  entries: ReadonlyMap<string, EntryPages>,
): Promise<SearchChanges> {
  const knownPages = (prefix: string) => findPages(queries, { organization, space: id, prefix });
  const places = new Map<string, PagePlace>();
  const removed = new Set<string>();
  const add = (found: Iterable<PagePlace>) => {
    for (const { record, path } of found) places.set(record.id, { record, path });
  };
  const known = searchedRevision === null ? undefined : await findRevision(queries, id, searchedRevision);
  const before = known && (await openContent(queries, known));
  if (before && hasSameVariables(before, active)) {
    const changes = await changedPages(before, active);
    const touched = new Set([...changes.added, ...changes.changed, ...changes.repathed]);
    add((await active.readPlaces(touched)).values());
    for (const page of changes.removed) removed.add(page);
    const seeds = readJson(searchedEntries) ?? {};
    const isSame = (entry: string) => seeds[entry] === entries.get(entry)?.seed && !touched.has(entry);
    for (const entry of Object.keys(seeds).filter((entry) => !isSame(entry))) {
      const below = await knownPages(`${entry}-`);
      for (const page of [entry, ...below.filter((page) => entryOfChild(page) === entry)]) removed.add(page);
    }
    for (const [entry, computed] of entries) if (!isSame(entry)) add(computed.places);
  } else {
    add(walk(await active.readTree()));
    for (const computed of entries.values()) add(computed.places);
    for (const page of await knownPages('')) removed.add(page);
  }
  return { removed: [...removed].filter((page) => !places.has(page)), places: [...places.values()] };
}

const hasSameVariables = (before: Content, after: Content): boolean =>
  canonicalJson(before.roots.variables) === canonicalJson(after.roots.variables);

async function searchPages(content: Content, places: readonly PagePlace[]): Promise<SearchPage[]> {
  const variables = await content.readVariables();
  const bodies = await content.readBodies(places.map(({ record }) => record));
  return places.map((place) => searchPage(place, bodies.get(place.record.id), variables));
}

/** Cuts a list into batches of a size; an item that is an end is the last of its batch. */
function* batchesOf<Item>(
  items: readonly Item[],
  size: number,
  isEnd: (item: Item) => boolean = () => false,
): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size && !isEnd(item)) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * What search knows of a page. One that is no document, or that keeps out of indexes, has no sections, so that
 * search forgets it.
 */
export function searchPage(
  { record, path }: PagePlace,
  markdown: string | undefined,
  variables: Variables,
): SearchPage {
  const page = { page: record.id, title: record.title, path };
  if (record.type !== 'document' || record.noIndex) return { ...page, sections: [] };
  const text = evaluateMarkdown(markdown ?? '', variablesOf(record, variables));
  const sections = searchSections(text).map(({ id, title, path, body }) => ({
    section: id,
    title,
    anchor: path,
    body,
  }));
  return { ...page, sections: withStart(record, sections) };
}

/** The start of a page also holds its description, and is there for the title alone when nothing else is. */
function withStart({ description }: DocumentRecord, sections: Section[]): Section[] {
  const [first, ...others] = sections;
  const start = first?.section === '' ? first : undefined;
  const rest = start ? others : sections;
  const body = [description, start?.body].filter((part) => part !== undefined && part !== '').join('\n');
  if (body === '' && rest.length > 0) return rest;
  return [{ section: '', title: '', anchor: '', body }, ...rest];
}
