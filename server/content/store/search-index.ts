import { setImmediate } from 'node:timers/promises';
import type { Transaction } from '../../database/database.ts';
import { readJson, writeJson } from '../../database/json.ts';
import {
  findPages,
  removePages,
  removeSpace,
  replacePageSections,
  type SearchPage,
  type Section,
} from '../../database/search.ts';
import { computeEntries } from '../computed/entries.ts';
import { entryOfChild } from '../computed/pages.ts';
import type { Specifications } from '../computed/specification.ts';
import { evaluateMarkdown } from '../expressions/markdown.ts';
import { searchSections } from '../markdown/sections.ts';
import { variablesOf } from './body.ts';
import { changedPages, type PageChanges } from './changes.ts';
import { type Content, openContent, type PagePlace } from './content.ts';
import { type DocumentRecord, type Variables, walk } from './records.ts';
import { findRevision, requireRevision } from './revisions.ts';
import { canonicalJson } from './values.ts';

/** Pages that are indexed in one go, at most: in between, the process answers its requests. */
const PAGES = 25;

/** Whose search index it is. */
export interface IndexedSpace {
  organization: string;
  space: string;
}

/**
 * Brings what search knows of a space to its active revision, and to what that is computed from, from what it knew
 * before. A second call finds nothing to do.
 *
 * @param specificationsOf the specifications of an organization
 */
export async function indexSpace(
  trx: Transaction,
  id: string,
  specificationsOf: (organization: string) => Specifications,
): Promise<void> {
  const space = await trx
    .selectFrom('spaces')
    .select(['organization', 'revision', 'searchedRevision', 'searchedEntries'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!space) return;
  const where = { organization: space.organization, space: id };
  const active = await requireRevision(trx, id, space.revision);
  const after = await openContent(trx, active);
  const { content, entries } = await computeEntries(after, specificationsOf(space.organization));
  const known = space.searchedRevision && (await findRevision(trx, id, space.searchedRevision));
  const before = known ? await openContent(trx, known) : null;
  const changes = before && hasSameVariables(before, after) ? await changedPages(before, after) : undefined;
  // What search knows of computed pages and still holds, by their entry.
  const kept: Record<string, string> = {};
  if (changes) {
    const touched = new Set([...changes.added, ...changes.changed, ...changes.repathed]);
    for (const [entry, seed] of Object.entries(readJson(space.searchedEntries) ?? {})) {
      if (seed === entries.get(entry)?.seed && !touched.has(entry)) kept[entry] = seed;
      else await removeEntry(trx, where, entry);
    }
    await updateSearch(trx, where, { before, after, changes });
  } else await indexContent(trx, where, after);
  const fresh = [...entries].filter(([entry]) => kept[entry] === undefined);
  const places = fresh.flatMap(([, computed]) => computed.places);
  await index(trx, where, content, places);
  const seeds = Object.fromEntries([...entries].map(([entry, { seed }]) => [entry, seed]));
  const searchedEntries = entries.size > 0 ? writeJson(seeds) : null;
  if (space.searchedRevision === active.id && space.searchedEntries === searchedEntries) return;
  await trx
    .updateTable('spaces')
    .set({ searchedRevision: active.id, searchedEntries })
    .where('id', '=', id)
    .execute();
}

/** Forgets the pages in the place of an entry. */
async function removeEntry(trx: Transaction, where: IndexedSpace, entry: string): Promise<void> {
  const below = await findPages(trx, { ...where, prefix: `${entry}-` });
  const pages = [entry, ...below.filter((page) => entryOfChild(page) === entry)];
  await removePages(trx, { ...where, pages });
}

/**
 * Brings what search knows of a space from one revision to the next. Only pages that changed are read, unless the
 * variables of the space did, which any page may show.
 */
export async function updateSearch(
  trx: Transaction,
  where: IndexedSpace,
  { before, after, changes }: { before: Content | null; after: Content; changes: PageChanges },
): Promise<void> {
  if (before && !hasSameVariables(before, after)) return indexContent(trx, where, after);
  await removePages(trx, { ...where, pages: changes.removed });
  const ids = [...changes.added, ...changes.changed, ...changes.repathed];
  await index(trx, where, after, [...(await after.readPlaces(ids)).values()]);
}

const hasSameVariables = (before: Content, after: Content): boolean =>
  canonicalJson(before.roots.variables) === canonicalJson(after.roots.variables);

/** Makes search know all pages of a revision, and nothing else of the space. */
export async function indexContent(trx: Transaction, where: IndexedSpace, content: Content): Promise<void> {
  await removeSpace(trx, where);
  await index(trx, where, content, [...walk(await content.readTree())]);
}

async function index(
  trx: Transaction,
  where: IndexedSpace,
  content: Content,
  places: readonly PagePlace[],
): Promise<void> {
  const variables = await content.readVariables();
  for (const batch of batches(places)) {
    const bodies = await content.readBodies(batch.map(({ record }) => record));
    const pages = batch.map((place) => searchPage(place, bodies.get(place.record.id), variables));
    await replacePageSections(trx, { ...where, pages });
    // The embedded engine answers at once: without a pause this loop would keep everybody else waiting.
    await setImmediate();
  }
}

/** A computed page may be as long as many others, so it ends a batch. */
function* batches(places: readonly PagePlace[]): Generator<PagePlace[]> {
  let batch: PagePlace[] = [];
  for (const place of places) {
    batch.push(place);
    if (batch.length < PAGES && !('computed' in place.record)) continue;
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
