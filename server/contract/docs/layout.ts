import { Html, html } from './html.ts';
import { firstSentence } from './markdown.ts';
import type { OperationReference, Reference } from './reference.ts';

/** Relative URLs of a page: links work behind a proxy that adds a path prefix. */
export interface Links {
  /** The overview. */
  overview: string;
  /** The OpenAPI document. */
  document: string;
  /** Prefix of the paths of operations, from the page to the root of the server. */
  root: string;
  operation(id: string): string;
  model(name: string): string;
  asset(name: string): string;
}

/** @param root relative URL of the folder of `docs` */
export function createLinks(root: string, assetsPath: string): Links {
  return {
    overview: `${root}docs`,
    document: `${root}openapi.json`,
    root,
    operation: (id) => `${root}docs/operations/${encodeURIComponent(id)}`,
    model: (name) => `${root}docs/models/${encodeURIComponent(name)}`,
    asset: (name) => `${root}${assetsPath}/${name}`,
  };
}

/** An icon that needs no request, in a color that is visible on light and dark backgrounds. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%233b6fd4' d='M3 1h7l3 3v11H3z'/%3E%3C/svg%3E";

/** Contents of a page. */
export interface PageContents {
  title: string;
  main: Html;
  /** Id of the operation that the page describes. */
  current?: string | undefined;
}

/** Renders a page with the navigation of the contract. */
export function layout(reference: Reference, links: Links, { title, main, current }: PageContents): string {
  const { info } = reference.document;
  const name = info.title;
  return html`<!doctype html>
<html lang="en" data-root="${links.root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === name ? name : `${title} · ${name}`}</title>
<link rel="icon" href="${ICON}">
${['base.css', 'frame.css', 'reference.css'].map(
  (name) => html`<link rel="stylesheet" href="${links.asset(name)}">
`,
)}
<script src="${links.asset('theme.js')}"></script>
<script type="module" src="${links.asset('search.js')}"></script>
<script type="module" src="${links.asset('samples.js')}"></script>
<script type="module" src="${links.asset('request.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<button type="button" class="menu" popovertarget="navigation">Menu</button>
<a class="home" href="${links.overview}">${name}</a>
<span class="version">${info.version}</span>
<button type="button" class="theme" hidden>Dark mode</button>
</header>
<nav class="navigation" id="navigation" popover aria-label="Operations">
<search hidden>
<label for="search">Search operations</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="Search" aria-describedby="search-hint">
<p class="hint" id="search-hint" role="status">Press <kbd>/</kbd> to search.</p>
</search>
${navigation(reference, links, current)}
</nav>
<main id="content" tabindex="-1">
${main}
</main>
</body>
</html>
`.text;
}

/** Lists of operations by the root of their links. Thousands of operations take longer to render than a page. */
const navigations = new WeakMap<Reference, Map<string, string>>();

function navigation(reference: Reference, links: Links, current: string | undefined): Html {
  const cached = navigations.get(reference) ?? new Map<string, string>();
  navigations.set(reference, cached);
  const list = cached.get(links.root) ?? renderNavigation(reference, links);
  cached.set(links.root, list);
  const target = current === undefined ? undefined : linkTarget(links, current);
  return new Html(target === undefined ? list : list.replace(target, () => `${target} aria-current="page"`));
}

const linkTarget = (links: Links, id: string) => html`href="${links.operation(id)}"`.text;

function renderNavigation({ groups }: Reference, links: Links): string {
  const item = ({ id, title, method, path, isNamed, deprecated }: OperationReference) =>
    html`<li><a ${new Html(linkTarget(links, id))} data-path="${path}">${methodBadge(method)}<span class="title">${
      deprecated ? html`<s>${title}</s>` : title
    }</span>${isNamed && title !== id && html`<span class="id">${id}</span>`}</a></li>`;
  return html`<ul class="groups">${groups.map(
    (group) => html`<li><h2>${group.name}</h2><ul>${group.operations.map(item)}</ul></li>`,
  )}</ul>`.text;
}

/** Renders an HTTP method. */
export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

/** Renders the list of operations of the overview. */
export function operationTable(operations: readonly OperationReference[], links: Links): Html {
  return html`<ul class="operations">${operations.map(
    ({ id, title, method, path, description }) =>
      html`<li><a href="${links.operation(id)}">${title}</a><p class="target">${methodBadge(method)}<code>${breakable(path)}</code></p><p>${firstSentence(description)}</p></li>`,
  )}</ul>`;
}

/** Allows line breaks between the segments of a path. */
export function breakable(path: string): Html {
  return html`${path.split(/(?<=.)(?=\/)/).map((segment, index) => html`${index > 0 && html`<wbr>`}${segment}`)}`;
}
