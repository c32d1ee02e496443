import { html } from '../../../../contract/docs/html.ts';
import { fill } from '../labels.ts';
import { frame } from './frame.ts';
import { icon } from './icons.ts';
import { sidebar } from './navigation.ts';
import type { Frame, MessageView } from './types.ts';

/** Renders a page with a message, such as that of an error. */
export function messagePage(view: Frame, message: MessageView): string {
  const { labels, base, siteSpace } = view;
  const { title, text, requestId, hasSearch, link, buttons = [] } = message;
  const main = html`<div class="layout no-outline">
${sidebar(view)}
<main id="site:content" class="message" tabindex="-1">
<h1>${title}</h1>
${text !== '' && html`<p class="lead">${text}</p>`}
${
  hasSearch &&
  html`<form class="message-search" role="search" aria-label="${labels.searchResults}" action="${base}/~search" method="get">
<input type="hidden" name="in" value="${siteSpace}">${icon('search')}<input name="q" type="search" aria-label="${labels.searchHint}" placeholder="${labels.search}" maxlength="200"><button type="submit" class="button button-primary">${labels.search}</button>
</form>`
}
${buttons.length > 0 && html`<p class="message-buttons">${buttons.map((button) => html`<a class="button button-primary" rel="nofollow" href="${button.href}">${button.title}</a>`)}</p>`}
${link && html`<p><a href="${link.href}">${link.title}</a></p>`}
${requestId !== undefined && html`<p class="request-id">${fill(labels.requestId, { id: requestId })}</p>`}
</main>
</div>`;
  return frame(view, { title, isIndexed: false }, { main, kind: 'message-page' });
}
