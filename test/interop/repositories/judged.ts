/** Sends the judged queries of a repository through the search of its published site. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A query as a reader types it, and the pages that answer it. */
export interface JudgedQuery {
  /** Owner and name of the public repository. */
  repository: string;
  query: string;
  /** Number of first results that must include a right page. */
  within: number;
  /** Files of the right pages. */
  pages: readonly string[];
}

/** A published repository: the files of its pages by their addresses. */
export interface SearchedSite {
  site: string;
  files: ReadonlyMap<string, string | undefined>;
}

/** A query without a right page in its first results. */
export interface WrongResult {
  query: string;
  /** Titles of the first results. */
  titles: readonly string[];
}

/** Results of the queries of a repository. */
export interface JudgedSearch {
  queries: number;
  wrong: WrongResult[];
}

/** Separates the files of the pages of a query. */
const PAGES = ' | ';

/** Reads the judged queries of public repositories. */
export function readPublicQueries(file = join(import.meta.dirname, 'queries.tsv')): JudgedQuery[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.slice(1).map((line) => {
    const [repository = '', query = '', within = '', pages = ''] = line.split('\t');
    return { repository, query, within: Number(within), pages: pages.split(PAGES) };
  });
}

/** Returns the queries of a repository by its folder name, with or without its owner: `name`, `owner+name`. */
export function queriesOf(queries: readonly JudgedQuery[], folderName: string): JudgedQuery[] {
  const ofOwner = queries.filter(({ repository }) => repository.replace('/', '+') === folderName);
  if (ofOwner.length > 0) {
    return ofOwner;
  }
  const ofName = queries.filter(({ repository }) => repository.endsWith(`/${folderName}`));
  // The name alone is not enough if repositories of several owners have it.
  return new Set(ofName.map(({ repository }) => repository)).size === 1 ? ofName : [];
}

/** Searches a site as its visitors do. */
export async function judgeSearch(
  { site, files }: SearchedSite,
  queries: readonly JudgedQuery[],
): Promise<JudgedSearch> {
  const wrong: WrongResult[] = [];
  for (const { query, within, pages } of queries) {
    const results = (await search(site, query)).slice(0, within);
    if (!results.some(({ href }) => pages.includes(files.get(href) ?? ''))) {
      wrong.push({ query, titles: results.map(({ title }) => title) });
    }
  }
  return { queries: queries.length, wrong };
}

/** Returns the pages that the search of a site finds, the best first. */
async function search(site: string, query: string): Promise<Array<{ title: string; href: string }>> {
  const response = await fetch(`${site}/~search.json?q=${encodeURIComponent(query)}`);
  const found: unknown = await response.json();
  if (!response.ok || !isFound(found)) {
    throw new Error(`The search of ${query} has the status ${response.status}.`);
  }
  return found.results.map(({ title, href }) => ({ title, href: new URL(href, site).href }));
}

function isFound(found: unknown): found is { results: Array<{ title: string; href: string }> } {
  return typeof found === 'object' && found !== null && 'results' in found && Array.isArray(found.results);
}
