/** The document around every page of a site. */
import { type Html, html } from '../../../../contract/docs/html.ts';
import { cookieBanner } from './consent.ts';
import { footer } from './footer.ts';
import { announcement, header, tabs } from './header.ts';
import { NONCE } from './nonce.ts';
import { styleOf } from './theme.ts';
import type { Frame, Head } from './types.ts';

/** Renders a document. `main` is the element of the page, with what is next to it. */
export function frame(
  view: Frame,
  head: Head,
  { main, kind, query = '' }: { main: Html; kind: string; query?: string },
): string {
  const { customization, language, direction, labels, assets, scripts } = view;
  return html`<!doctype html>
<html lang="${language}" dir="${direction}"${documentAttributes(customization)}>
<head>
${metadata(view, head)}
${assets.fonts.map((href) => html`<link rel="preload" as="font" type="font/woff2" crossorigin href="${href}">`)}
${assets.styles.map((href) => html`<link rel="stylesheet" nonce="${NONCE}" href="${href}">`)}
<style nonce="${NONCE}">${styleOf(customization)}${head.style}</style>
<script nonce="${NONCE}" src="${assets.early}"${scripts.length > 0 && html` data-shared`}></script>
${assets.modules.map((href) => html`<script type="module" nonce="${NONCE}" src="${href}"></script>`)}
${(scripts.length > 0 || view.asksForConsent) && html`<script nonce="${NONCE}" src="${assets.integrations}" data-cookie-path="${view.base || '/'}"></script>`}
${scripts.map((src) => html`<script async nonce="${NONCE}" src="${src}"></script>`)}
</head>
<body class="${kind}" data-search="${view.base}/~search.json?in=${view.siteSpace}" data-copied="${labels.copied}">
<a class="skip" href="#site:content">${labels.skip}</a>
${cookieBanner(view)}
${announcement(view)}
${header(view, query)}
${tabs(view)}
${main}
${footer(view)}
</body>
</html>
`.text;
}

/** Returns the attributes of a document that select its styles. */
export function documentAttributes({ styling, themes, header: { preset } }: Frame['customization']): Html {
  const classes = [
    `corners-${styling.corners}`,
    `depth-${styling.depth}`,
    `theme-${styling.theme}`,
    `links-${styling.links}`,
    `list-${styling.sidebar.list}`,
    `sidebar-${styling.sidebar.background}`,
    ...(styling.background === 'match' ? ['background-match'] : []),
    ...(styling.tint ? ['tinted'] : []),
    ...(preset === 'none' ? ['without-header'] : []),
    ...(themes.toggeable ? [] : ['fixed-theme']),
  ];
  const theme = themes.default !== 'system' && html` data-theme="${themes.default}"`;
  return html` class="${classes.join(' ')}"${theme}`;
}

function metadata(view: Frame, head: Head): Html {
  const { title, description, canonical, image, isIndexed, alternates = [], markdown } = head;
  const fullTitle = title === view.title ? title : `${title} | ${view.title}`;
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${fullTitle}</title>
${description !== undefined && html`<meta name="description" content="${description}">`}
${!isIndexed && html`<meta name="robots" content="noindex">`}
${canonical !== undefined && html`<link rel="canonical" href="${canonical}"><meta property="og:url" content="${canonical}">`}
${alternates.map(({ language, href }) => html`<link rel="alternate" hreflang="${language}" href="${href}">`)}
${markdown !== undefined && html`<link rel="alternate" type="text/markdown" href="${markdown}">`}
<meta property="og:type" content="article"><meta property="og:title" content="${title}"><meta property="og:site_name" content="${view.title}">
${description !== undefined && html`<meta property="og:description" content="${description}">`}
${image !== undefined && html`<meta property="og:image" content="${image}">`}
<meta name="twitter:card" content="${image === undefined ? 'summary' : 'summary_large_image'}">
<meta name="color-scheme" content="light dark">
${view.favicon && favicon(view.favicon)}`;
}

/** Browsers without support for `media` use the last icon. */
const favicon = ({ light, dark }: NonNullable<Frame['favicon']>): Html =>
  html`${dark !== light && html`<link rel="icon" media="(prefers-color-scheme: dark)" href="${dark}">`}<link rel="icon"${dark !== light && html` media="(prefers-color-scheme: light)"`} href="${light}">`;
