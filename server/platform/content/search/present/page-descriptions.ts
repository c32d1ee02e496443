import { entryOfChild } from '../../../../content/computed/pages.ts';
import { objectLoader } from '../../../../content/store/objects.ts';
import { type Content, contentAt } from '../../../../content/tree/content.ts';
import type { PageRecord } from '../../../../content/tree/records.ts';
import type { Load } from '../../../../content/tree/values.ts';
import { batched } from '../../../../database/batched.ts';
import type { Queries } from '../../../../database/database.ts';

/** What search results contain about a page in addition to the index. */
export interface PageDescription {
  /** Empty if the page has none. */
  description: string;
  /** Titles of the pages and groups that contain the page, from the top level to its parent. */
  ancestors: readonly string[];
}

interface FoundPage {
  space: string;
  page: string;
}

/** The description of a page that was deleted since it was indexed. */
const MISSING_PAGE: PageDescription = { description: '', ancestors: [] };

/**
 * Creates a function that describes pages of the main content of the spaces of an organization. The pages of a result
 * are read together: one statement for their revisions, and one for each level of the trees that contain them.
 */
export const pageDescriber = (queries: Queries, organization: string) =>
  batched<FoundPage, PageDescription>(async (found) => {
    const pagesBySpace = Map.groupBy(found, ({ space }) => space);
    const revisions = await queries
      .selectFrom('spaces')
      .innerJoin('revisions', 'revisions.id', 'spaces.revision')
      .select(['spaces.id', 'revisions.root'])
      .where('spaces.id', 'in', [...pagesBySpace.keys()])
      .where('spaces.organization', '=', organization)
      .execute();
    const load = combined(objectLoader(queries, organization));
    const titleOfEntry = entryTitleFinder(queries, organization);
    const described = new Map<string, Map<string, PageDescription>>();
    await Promise.all(
      revisions.map(async ({ id, root }) => {
        const pages = (pagesBySpace.get(id) ?? []).map(({ page }) => page);
        const titleOf = (entry: string) => titleOfEntry({ space: id, page: entry });
        described.set(id, await describePages(await contentAt(root, load), pages, titleOf));
      }),
    );
    return ({ space, page }) => described.get(space)?.get(page) ?? MISSING_PAGE;
  });

/** Combines the loads of a tick, such as those of the same level of several trees. */
function combined(load: Load): Load {
  return batched<readonly string[], Awaited<ReturnType<Load>>>(async (lists) => {
    const texts = await load([...new Set(lists.flat())]);
    return () => texts;
  });
}

/**
 * Describes pages of a space without computing any: a computed page has no description, and its parent is the entry that
 * it is computed from.
 *
 * @param titleOfEntry returns the title of an entry that is not stored, such as that of a whole space
 */
async function describePages(
  content: Content,
  pages: readonly string[],
  titleOfEntry: (entry: string) => Promise<string>,
): Promise<Map<string, PageDescription>> {
  const entries = pages.flatMap((page) => entryOfChild(page) ?? []);
  const records = await readWithAncestors(content, new Set([...pages, ...entries]));
  const titleOf = async (id: string): Promise<string> => records.get(id)?.title ?? (await titleOfEntry(id));
  const described = await Promise.all(
    pages.map(async (page): Promise<[string, PageDescription]> => {
      const record = records.get(page);
      const parent = record ? record.parent : (entryOfChild(page) ?? null);
      const description = record?.type === 'document' ? record.description : undefined;
      const ancestors = await Promise.all(ancestorsOf(parent, records).map(titleOf));
      // Entries without a title were deleted.
      return [page, { description: description ?? '', ancestors: ancestors.filter((title) => title !== '') }];
    }),
  );
  return new Map(described);
}

/** Reads pages and all their ancestors, those of one level together. */
async function readWithAncestors(
  content: Content,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, PageRecord>> {
  const records = new Map<string, PageRecord>();
  for (let missing = ids; missing.size > 0; ) {
    const level = await content.readPages(missing);
    for (const [id, record] of level) {
      records.set(id, record);
    }
    const parents = [...level.values()].flatMap(({ parent }) => parent ?? []);
    missing = new Set(parents.filter((id) => !records.has(id)));
  }
  return records;
}

/** Returns the IDs of the pages above one, from the top level to its parent. */
function ancestorsOf(parent: string | null, records: ReadonlyMap<string, PageRecord>): string[] {
  const ancestors: string[] = [];
  for (let next = parent; next !== null; next = records.get(next)?.parent ?? null) {
    ancestors.unshift(next);
  }
  return ancestors;
}

/** Creates a function that finds the titles of computed entries in the index. */
const entryTitleFinder = (queries: Queries, organization: string) =>
  batched<FoundPage, string>(async (entries) => {
    const rows = await queries
      .selectFrom('searchSections')
      .select(['space', 'page', 'pageTitle'])
      .distinct()
      .where('organization', '=', organization)
      .where('space', 'in', [...new Set(entries.map(({ space }) => space))])
      .where('page', 'in', [...new Set(entries.map(({ page }) => page))])
      .where('ordinal', '=', 0)
      .execute();
    const titles = new Map(rows.map(({ space, page, pageTitle }) => [`${space} ${page}`, pageTitle]));
    return ({ space, page }) => titles.get(`${space} ${page}`) ?? '';
  });
