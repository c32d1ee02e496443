import { type Html, html } from '../../../../contract/docs/html.ts';
import { fill } from '../labels.ts';
import { frame } from './frame.ts';
import { sidebar } from './navigation.ts';
import type { ExcerptPart, Frame, SearchView } from './types.ts';

/** Renders the results of a search, for readers without scripts and for more results than fit in the panel. */
export function searchPage(view: Frame, search: SearchView): string {
  const { labels } = view;
  const { query, count, results } = search;
  const summary =
    query === ''
      ? labels.emptySearch
      : count === 0
        ? fill(labels.noResults, { query })
        : fill(labels.results, { count, query });
  const main = html`<div class="layout no-outline">
${sidebar(view)}
<main id="site:content" tabindex="-1">
<header class="page-header"><h1>${labels.searchResults}</h1><p class="lead">${summary}</p></header>
<ol class="results">${results.map(
    (result) => html`<li>
${result.trail.length > 0 && html`<p class="trail">${result.trail.join(' › ')}</p>`}
<h2><a href="${result.href}">${result.title}</a></h2>
${result.sections.map(
  (section) =>
    html`<div class="result-section">${
      section.title !== '' && html`<h3><a href="${section.href}">${section.title}</a></h3>`
    }<p>${section.excerpt.map(excerptPart)}</p></div>`,
)}
</li>`,
  )}</ol>
</main>
</div>`;
  const head = { title: labels.searchResults, isIndexed: false };
  return frame(view, head, { main, kind: 'search-page', query });
}

const excerptPart = ({ text, isMatch }: ExcerptPart): Html =>
  isMatch ? html`<mark>${text}</mark>` : html`${text}`;
