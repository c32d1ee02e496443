import type { components } from '../../../../generated/schema.d.ts';
import { sectionExcerpt, wordsOf } from '../../../content/search-excerpts.ts';
import type { FoundPage } from '../visitors/published-pages.ts';
import type { AnswerSource } from './rules.ts';

type Schemas = components['schemas'];

/** Presents the results of a search in a site, grouped by space. */
export function presentSearch(
  query: string,
  { count, pages }: { count: number; pages: readonly FoundPage[] },
): Schemas['SiteSearchResults'] {
  const words = wordsOf(query);
  const ranked = pages.map((page, at) => ({ page, rank: at + 1 }));
  const items = [...Map.groupBy(ranked, ({ page }) => page.space.id).values()].map((found) => {
    const presented = found.map(({ page, rank }) => presentPage(page, rank, words));
    const [best] = found;
    return {
      type: 'space' as const,
      id: best?.page.space.id ?? '',
      title: best?.page.space.title ?? '',
      score: Math.max(...presented.map(({ score }) => score)),
      pages: presented,
    };
  });
  return { items, count };
}

function presentPage(
  { id, title, description, path, ancestors, url, hits }: FoundPage,
  rank: number,
  words: readonly string[],
): Schemas['SiteSearchPage'] {
  const sections = hits.map((hit) => ({
    id: hit.section,
    title: hit.title,
    path: `${path}${hit.anchor}`,
    score: scoreOf(hit),
    body: sectionExcerpt(hit.body, words),
    urls: { app: `${url}${encodeURI(hit.anchor)}` },
  }));
  return {
    id,
    title,
    description,
    path,
    score: Math.max(...sections.map(({ score }) => score)),
    rank,
    sections,
    ancestors: ancestors.map((ancestor) => ({ title: ancestor })),
    urls: { app: url },
  };
}

/** Presents a page that an answer is based on. */
export function presentSource({ page, sections }: AnswerSource): Schemas['SiteAnswerSource'] {
  const { id, title, space, url } = page;
  return {
    type: 'page',
    page: id,
    revision: space.revision,
    space: space.id,
    sections: [...sections],
    title,
    urls: { app: url },
  };
}

/** Ranks are comparable within one result; scores are not negative. */
const scoreOf = ({ rank }: { rank: number }): number => Math.max(0, rank);
