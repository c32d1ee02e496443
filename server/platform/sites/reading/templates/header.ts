/** The announcement, header and section tabs above every page. */
import { type Html, html } from '../../../../contract/docs/html.ts';
import { icon } from './icons.ts';
import { externalAttributes } from './links.ts';
import type { Frame, HeaderLink, NavigationLink, Tab } from './types.ts';

/** Renders the announcement of a site, if it is enabled. */
export function announcement({ customization, announcementLink }: Frame): Html | undefined {
  const { announcement: shown } = customization;
  if (!shown?.enabled) {
    return undefined;
  }
  const link =
    announcementLink &&
    html` <a href="${announcementLink.href}"${externalAttributes(announcementLink.href, customization)}>${announcementLink.title}</a>`;
  return html`<aside class="announcement announcement-${shown.style}"><p>${shown.message}${link}</p></aside>`;
}

/** Renders the header. Without scripts, the search field leads to the page of results. */
export function header(view: Frame, query: string): Html {
  const { customization, labels, home, tree } = view;
  const { header: settings, themes } = customization;
  const hasMenu = tree.length > 0 || view.headerLinks.length > 0;
  return html`<header class="site-header header-${settings.preset}">
<div class="bar">
${hasMenu && html`<button type="button" class="icon-button menu-button" popovertarget="site:navigation" aria-label="${labels.menu}">${icon('menu')}</button>`}
<a class="brand" href="${home}">${brand(view)}</a>
${!hasTabs(view) && view.variants.length > 1 && variants(view.variants, labels.variants)}
${tree.length > 0 && searchForm(view, query)}
${view.headerLinks.length > 0 && settings.preset !== 'none' && html`<nav class="header-links" aria-label="${labels.menu}">${view.headerLinks.map((link) => headerLink(link, view))}</nav>`}
${themes.toggeable && html`<button type="button" class="icon-button theme-button" hidden aria-label="${labels.theme}">${icon('sun')}${icon('moon')}</button>`}
</div>
</header>`;
}

function searchForm({ customization, labels, base, siteSpace }: Frame, query: string): Html {
  return html`<form class="search search-${customization.styling.search}" role="search" action="${base}/~search" method="get">
<input type="hidden" name="in" value="${siteSpace}">
<label class="visually-hidden" for="site:search">${labels.searchHint}</label>
${icon('search')}
<input id="site:search" name="q" type="search" value="${query}" maxlength="200" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="${labels.search}">
<kbd class="search-key" hidden>/</kbd>
<div class="search-panel" id="site:search-panel" hidden></div>
<span class="visually-hidden" role="status" data-results="${labels.results}" data-none="${labels.noResults}"></span>
</form>`;
}

function brand({ title, customization }: Frame): Html {
  const { logo } = customization.header;
  if (!logo) {
    return html`<span class="brand-title">${title}</span>`;
  }
  return html`<img class="logo light-only" src="${logo.light}" alt="${title}" height="32"><img class="logo dark-only" src="${logo.dark}" alt="${title}" height="32">`;
}

function headerLink({ title, href, style, links }: HeaderLink, { customization }: Frame): Html {
  const classes = style === 'link' ? 'header-link' : `button ${style}`;
  if (links.length > 0) {
    return html`<details class="menu"><summary class="${classes}">${title}${icon('down')}</summary><ul class="menu-list">${links.map(
      (link) =>
        html`<li><a href="${link.href}"${externalAttributes(link.href, customization)}>${link.title}</a></li>`,
    )}</ul></details>`;
  }
  return href === undefined
    ? html`<span class="${classes}">${title}</span>`
    : html`<a class="${classes}" href="${href}"${externalAttributes(href, customization)}>${title}</a>`;
}

/** Whether there are sections to choose from; otherwise the header has the variants. */
const hasTabs = ({ tabs: all }: Frame): boolean => all.length > 1 || all.some((entry) => 'items' in entry);

/** Renders the sections, with groups as menus, and the variants of the current one. */
export function tabs(view: Frame): Html | undefined {
  const { tabs: all, variants: versions, labels } = view;
  if (!hasTabs(view)) {
    return undefined;
  }
  return html`<div class="tab-bar"><div class="bar">
<nav class="section-tabs" aria-label="${labels.sections}"><ul>${all.map(tab)}</ul></nav>
${versions.length > 1 && variants(versions, labels.variants)}
</div></div>`;
}

/** Renders a section, or a group. The tabs scroll, so that only the top layer does not clip the menu of a group. */
function tab(entry: Tab, at: number): Html {
  if ('href' in entry) {
    return html`<li>${navigationLink(entry, 'section-tab')}</li>`;
  }
  const isCurrent = entry.items.some((item) => item.isCurrent);
  const id = `site:sections-${at}`;
  return html`<li><button type="button" class="section-tab${isCurrent && ' current'}" popovertarget="${id}">${entry.icon}<span>${entry.title}</span>${icon('down')}</button><ul class="menu-list" id="${id}" popover>${entry.items.map(
    (item) => html`<li>${navigationLink(item, '')}</li>`,
  )}</ul></li>`;
}

function navigationLink(
  { title, href, icon: image, description, isCurrent }: NavigationLink,
  name: string,
): Html {
  return html`<a class="${name}" href="${href}"${isCurrent && html` aria-current="true"`}>${image}<span>${title}${
    name === '' && description !== undefined && html`<small>${description}</small>`
  }</span></a>`;
}

function variants(items: readonly NavigationLink[], label: string): Html {
  const current = items.find(({ isCurrent }) => isCurrent) ?? items[0];
  return html`<details class="menu variants"><summary class="button" aria-label="${label}: ${current?.title}">${current?.title}${icon('down')}</summary><ul class="menu-list">${items.map(
    (item) => html`<li>${navigationLink(item, '')}</li>`,
  )}</ul></details>`;
}
