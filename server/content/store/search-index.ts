import { setImmediate } from 'node:timers/promises';
import type { Transaction } from '../../database/database.ts';
import {
  removePages,
  removeSpace,
  replacePageSections,
  type SearchPage,
  type Section,
} from '../../database/search.ts';
import { evaluateMarkdown } from '../expressions/markdown.ts';
import { searchSections } from '../markdown/sections.ts';
import { variablesOf } from './body.ts';
import { changedPages, type PageChanges } from './changes.ts';
import { type Content, openContent, type PagePlace } from './content.ts';
import { type DocumentRecord, type Variables, walk } from './records.ts';
import { findRevision, requireRevision } from './revisions.ts';
import { canonicalJson } from './values.ts';

/** Pages that are indexed in one go: in between, the process answers its requests. */
const PAGES = 25;

/** Whose search index it is. */
export interface IndexedSpace {
  organization: string;
  space: string;
}

/**
 * Brings what search knows of a space to its active revision, from the one that it knew before. A second call
 * finds nothing to do.
 */
export async function indexSpace(trx: Transaction, id: string): Promise<void> {
  const space = await trx
    .selectFrom('spaces')
    .select(['organization', 'revision', 'searchedRevision'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!space || space.searchedRevision === space.revision) return;
  const where = { organization: space.organization, space: id };
  const active = await requireRevision(trx, id, space.revision);
  const after = await openContent(trx, active);
  const known = space.searchedRevision && (await findRevision(trx, id, space.searchedRevision));
  const before = known ? await openContent(trx, known) : null;
  if (before) await updateSearch(trx, where, { before, after, changes: await changedPages(before, after) });
  else await indexContent(trx, where, after);
  await trx.updateTable('spaces').set({ searchedRevision: active.id }).where('id', '=', id).execute();
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
  const same = !before || canonicalJson(before.roots.variables) === canonicalJson(after.roots.variables);
  if (!same) return indexContent(trx, where, after);
  await removePages(trx, { ...where, pages: changes.removed });
  const ids = [...changes.added, ...changes.changed, ...changes.repathed];
  await index(trx, where, after, [...(await after.readPlaces(ids)).values()]);
}

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
  for (let from = 0; from < places.length; from += PAGES) {
    const batch = places.slice(from, from + PAGES);
    const bodies = await content.readBodies(batch.map(({ record }) => record));
    const pages = batch.map((place) => searchPage(place, bodies.get(place.record.id), variables));
    await replacePageSections(trx, { ...where, pages });
    // The embedded engine answers at once: without a pause this loop would keep everybody else waiting.
    await setImmediate();
  }
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
