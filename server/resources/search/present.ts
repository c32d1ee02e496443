import type { components } from '../../../generated/schema.d.ts';
import type { SearchHit } from '../../database/search/types.ts';
import type { ResourceUrls } from '../../models/resource-urls.ts';

/**
 * Presents a page of search results, with its sections that were found.
 *
 * @param hits at least one
 */
export function presentSearchResultPage(
  id: string,
  hits: SearchHit[],
  resourceUrls: ResourceUrls,
): components['schemas']['SearchResultPage'] {
  const [best] = hits;
  if (!best) {
    throw new Error('A search result has no section.');
  }
  const urls = resourceUrls.page(best.space, id);
  return {
    id,
    title: best.pageTitle,
    path: best.pagePath,
    sections: hits.map(({ section, title, anchor, body }) => ({
      id: section,
      title,
      path: `${best.pagePath}${anchor}`,
      body,
      urls: { app: `${urls.app}${encodeURI(anchor)}` },
    })),
    urls,
  };
}
