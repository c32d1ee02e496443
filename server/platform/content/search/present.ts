import type { components } from '../../../../generated/schema.d.ts';
import { sectionExcerpt } from '../../../content/search-excerpts.ts';
import type { SearchHit } from '../../../database/search/types.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import type { PageDescription } from './present/page-descriptions.ts';

/** A page that was found. */
interface FoundPage extends PageDescription {
  id: string;
  /** Its sections that were found, best match first; at least one. */
  hits: readonly SearchHit[];
}

/**
 * Presents a page of search results, with its sections that were found.
 *
 * @param words words of the query, see `wordsOf`
 */
export function presentSearchResultPage(
  { id, hits, description, ancestors }: FoundPage,
  words: readonly string[],
  resourceUrls: ResourceUrls,
): components['schemas']['SearchResultPage'] {
  const [best] = hits;
  if (!best) {
    throw new Error('A search result has no section.');
  }
  const urls = resourceUrls.page(best.space, id);
  const sections = hits.map(({ section, title, anchor, body, rank }) => ({
    id: section,
    title,
    path: `${best.pagePath}${anchor}`,
    score: rank,
    body: sectionExcerpt(body, words),
    urls: { app: `${urls.app}${encodeURI(anchor)}` },
  }));
  return {
    id,
    title: best.pageTitle,
    description,
    path: best.pagePath,
    score: bestScoreOf(sections),
    rank: best.pagePosition,
    sections,
    ancestors: ancestors.map((title) => ({ title })),
    urls,
  };
}

/** Returns the score of a result that contains other results. */
export const bestScoreOf = (results: ReadonlyArray<{ score: number }>): number =>
  results.reduce((best, { score }) => Math.max(best, score), 0);
