import type { components } from '../../../generated/schema.d.ts';
import type { SearchHit } from '../../database/search.ts';
import type { Addresses } from '../../models/addresses.ts';

/**
 * Presents a page of search results, with its sections that were found.
 *
 * @param hits at least one
 */
export function presentSearchResultPage(
  id: string,
  hits: SearchHit[],
  addresses: Addresses,
): components['schemas']['SearchResultPage'] {
  const [best] = hits;
  if (!best) {
    throw new Error('A search result has no section.');
  }
  const urls = addresses.page(best.space, id);
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
