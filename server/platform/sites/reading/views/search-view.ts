/** Search in the spaces of a site that its visitor sees. */
import { conditionsHold } from '../../../../content/expressions/stored-conditions.ts';
import { firstMatch, wordsOf } from '../../../../content/search-excerpts.ts';
import type { SearchHit } from '../../../../database/search/types.ts';
import {
  rootSiteSpacesOf,
  type SiteSpaceEntry,
  sectionsOf,
  siteSpacesOf,
} from '../../../spaces/publications/structure.ts';
import type { SiteSearchScope } from '../../visitors/published-pages.ts';
import type { ReadingServices, ReadingSite } from '../reading-site.ts';
import type { ExcerptPart, SearchResult, SearchView } from '../templates/types.ts';
import { isReadable, type Navigation, type ReadablePage } from './navigation.ts';

/** Maximum length of a query on a site. The rest is ignored. */
export const MAX_QUERY_CHARACTERS = 200;
/** Maximum number of results on the page of results of a site. */
export const MAX_RESULTS = 30;
/** Maximum number of results of a search while typing. */
export const MAX_PANEL_RESULTS = 8;
/** Length of an excerpt, and of the part of it before the first match. */
const EXCERPT_CHARACTERS = 180;
const EXCERPT_LEAD_CHARACTERS = 50;

export interface SearchOptions {
  query: string;
  /** The site space that is read. */
  from: SiteSpaceEntry | undefined;
  limit: number;
}

/**
 * Searches a site: one variant of each section, so that pages are not found once for each version or language. That is
 * the variant that is read, and otherwise the one in the same language, or the default one.
 *
 * @throws ThreadsBusyError, DatabaseUnavailableError
 */
export async function search(
  { searches }: ReadingServices,
  reading: ReadingSite,
  { query, from, limit }: SearchOptions,
): Promise<SearchView> {
  const siteSpaces = searchedIn(reading, { mode: 'default', current: from?.row.id });
  const found = await findPages({ searches }, reading, { query, siteSpaces, from, limit });
  const words = wordsOf(query);
  const results = await Promise.all(
    found.groups.map((hits) => resultOf(reading, found.siteSpaceOf, hits, words)),
  );
  return { query, count: found.count, results: results.filter((result) => result !== undefined) };
}

/** Pages that a search found, each with its sections, and the site spaces that show their spaces. */
interface FoundPages {
  count: number;
  groups: readonly SearchHit[][];
  siteSpaceOf(space: string): SiteSpaceEntry | undefined;
}

/**
 * Finds the pages of site spaces that a visitor sees.
 *
 * @throws ThreadsBusyError, DatabaseUnavailableError
 */
export async function findPages(
  { searches }: Pick<ReadingServices, 'searches'>,
  reading: ReadingSite,
  {
    query,
    siteSpaces,
    from,
    limit,
  }: {
    query: string;
    siteSpaces: readonly SiteSpaceEntry[];
    from?: SiteSpaceEntry | undefined;
    limit: number;
  },
): Promise<FoundPages> {
  if (query === '' || siteSpaces.length === 0) {
    return { count: 0, groups: [], siteSpaceOf: () => undefined };
  }
  const spaces = [...new Set(siteSpaces.map(({ row }) => row.space))];
  const languages = [...new Set(siteSpaces.map((siteSpace) => reading.spaceOf(siteSpace).language))];
  const { organization } = reading.site;
  const { claims } = reading;
  const conditions = (await searches.listConditions({ organization, spaces, searcher: 'visitor' })).filter(
    (condition) => conditionsHold(condition, claims),
  );
  const bySpace = new Map<string, SiteSpaceEntry>();
  // Several sections can show a space: results lead to the one that is read, or else to the first.
  for (const siteSpace of siteSpaces.toSorted((a, b) => Number(b === from) - Number(a === from))) {
    if (!bySpace.has(siteSpace.row.space)) {
      bySpace.set(siteSpace.row.space, siteSpace);
    }
  }
  const { count, groups } = await searches.find({
    organization,
    searcher: 'visitor',
    spaces,
    conditions,
    languages,
    shownPages: async (matched) => {
      const navigations = new Map<string, Navigation>();
      for (const space of matched) {
        const siteSpace = bySpace.get(space);
        if (siteSpace) {
          navigations.set(space, await reading.navigationOf(reading.spaceOf(siteSpace)));
        }
      }
      return ({ space, page }) => navigations.get(space)?.find(page)?.isShown === true;
    },
    query,
    groupBy: 'page',
    offset: 0,
    limit,
  });
  return { count, groups, siteSpaceOf: (space) => bySpace.get(space) };
}

/** Returns the site spaces of a scope that the visitor sees. */
export function searchedIn(reading: ReadingSite, scope: SiteSearchScope): readonly SiteSpaceEntry[] {
  const all = siteSpacesOf(reading.structure);
  if (scope.mode === 'all') {
    return all;
  }
  if (scope.mode === 'specific') {
    const ids = new Set(scope.siteSpaces);
    return all.filter(({ row }) => ids.has(row.id));
  }
  const current = all.find(({ row }) => row.id === scope.current);
  const searched = variantsFor(reading, current);
  if (!current || scope.part === undefined) {
    return searched;
  }
  return scope.part === 'current' ? [current] : searched.filter(({ row }) => row.id !== current.row.id);
}

/** Returns one variant of each section, so that pages are not found once for each version or language. */
function variantsFor(reading: ReadingSite, from: SiteSpaceEntry | undefined): SiteSpaceEntry[] {
  const lists = [
    rootSiteSpacesOf(reading.structure),
    ...sectionsOf(reading.structure).map(({ siteSpaces }) => siteSpaces),
  ];
  const language = from && reading.spaceOf(from).language;
  return lists.flatMap((variants) => {
    const searched =
      variants.find(({ row }) => row.id === from?.row.id) ??
      variants.find((variant) => language && reading.spaceOf(variant).language === language) ??
      variants.find(({ isDefault }) => isDefault);
    return searched ? [searched] : [];
  });
}

async function resultOf(
  reading: ReadingSite,
  siteSpaceOf: FoundPages['siteSpaceOf'],
  hits: readonly SearchHit[],
  words: readonly string[],
): Promise<SearchResult | undefined> {
  const [best] = hits;
  const siteSpace = best && siteSpaceOf(best.space);
  if (!siteSpace) {
    return undefined;
  }
  const space = reading.spaceOf(siteSpace);
  const navigation = await reading.navigationOf(space);
  const page = navigation.find(best.page);
  if (!page?.isShown || !isReadable(page)) {
    return undefined;
  }
  const href = reading.pageHref(siteSpace, navigation, page);
  const section = sectionsOf(reading.structure).find(({ row }) => row.id === siteSpace.row.section);
  return {
    title: page.record.title,
    href,
    trail: [...(section ? [section.row.title] : []), ...ancestorsOf(page)],
    // The start of the page is before its sections.
    sections: hits
      .toSorted((a, b) => Number(b.title === '') - Number(a.title === ''))
      .map(({ title, anchor, body }) => ({
        title,
        href: `${href}${encodeURI(anchor)}`,
        excerpt: excerptOf(body, words),
      })),
  };
}

/** Returns the titles of the pages and groups that contain a page. */
export function ancestorsOf(page: ReadablePage): string[] {
  const titles: string[] = [];
  for (let ancestor = page.parent; ancestor; ancestor = ancestor.parent) {
    titles.unshift(ancestor.record.title);
  }
  return titles;
}

/** Returns the part of a text around the first match, with the words of the query marked. */
export function excerptOf(body: string, words: readonly string[]): ExcerptPart[] {
  const text = body.replace(/\s+/g, ' ').trim();
  const first = firstMatch(text.toLowerCase(), words) ?? 0;
  const leadStart = Math.max(0, first - EXCERPT_LEAD_CHARACTERS);
  // At the start of a word, if the script separates words.
  const start = Math.max(leadStart - EXCERPT_LEAD_CHARACTERS, text.lastIndexOf(' ', leadStart) + 1, 0);
  const end = Math.min(text.length, start + EXCERPT_CHARACTERS);
  const excerpt = `${start > 0 ? '… ' : ''}${text.slice(start, end).toWellFormed()}${end < text.length ? ' …' : ''}`;
  if (words.length === 0) {
    return [{ text: excerpt, isMatch: false }];
  }
  // Words contain only letters, marks and digits.
  return excerpt
    .split(new RegExp(`(${words.toSorted((a, b) => b.length - a.length).join('|')})`, 'giu'))
    .map((part, at) => ({ text: part, isMatch: at % 2 === 1 }))
    .filter(({ text: part }) => part !== '');
}
