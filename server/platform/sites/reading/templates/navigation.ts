/** The page tree, breadcrumbs, outline, and links to neighboring pages. */
import { type Html, html } from '../../../../contract/docs/html.ts';
import type { Labels } from '../labels.ts';
import { icon } from './icons.ts';
import { externalAttributes } from './links.ts';
import type { Frame, Link, OutlineHeading, PageView, SiteCustomization, TreeEntry } from './types.ts';

/** Renders the page tree, which is a drawer on small screens, and repeats the links of the header there. */
export function sidebar({ tree, labels, headerLinks, variants, customization }: Frame): Html | undefined {
  const links = headerLinks.flatMap(({ title, href, links: nested }) => [
    ...(href === undefined ? [] : [{ title, href }]),
    ...nested,
  ]);
  if (tree.length === 0 && links.length === 0) {
    return undefined;
  }
  return html`<div class="sidebar" id="site:navigation" popover>
<button type="button" class="icon-button drawer-close" popovertarget="site:navigation" popovertargetaction="hide" aria-label="${labels.close}">${icon('close')}</button>
${
  variants.length > 1 &&
  html`<ul class="drawer-links drawer-variants">${variants.map(
    ({ title, href, isCurrent }) =>
      html`<li><a href="${href}"${isCurrent && html` aria-current="true"`}>${title}</a></li>`,
  )}</ul>`
}
<nav class="tree" aria-label="${labels.pages}">${entries(tree, customization)}</nav>
${
  links.length > 0 &&
  html`<ul class="drawer-links">${links.map(
    ({ title, href }) =>
      html`<li><a href="${href}"${externalAttributes(href, customization)}>${title}</a></li>`,
  )}</ul>`
}
</div>`;
}

const entries = (all: readonly TreeEntry[], customization: SiteCustomization): Html =>
  html`<ul>${all.map((entry) => item(entry, customization))}</ul>`;

function item(entry: TreeEntry, customization: SiteCustomization): Html {
  const { kind, title, href, isCurrent, hasEntries, entries: nested } = entry;
  const children = nested.length > 0 && entries(nested, customization);
  if (kind === 'group') {
    return html`<li class="group">${
      href === undefined
        ? html`<p class="group-title">${entry.icon}${title}</p>`
        : html`<a class="group-title parent" href="${href}">${entry.icon}${title}</a>`
    }${children}</li>`;
  }
  const isOpen = nested.length > 0;
  // The style sheet draws the chevron of a parent: a tree has many.
  const name = kind === 'more' ? 'more' : hasEntries ? 'parent' : undefined;
  return html`<li${isOpen && html` class="open"`}><a${name && html` class="${name}"`} href="${href}"${
    isCurrent && html` aria-current="page"`
  }${kind === 'link' && href !== undefined && externalAttributes(href, customization)}>${entry.icon}<span>${title}</span>${
    kind === 'link' && icon('external')
  }</a>${children}</li>`;
}

/** Renders the links to the ancestors of a page. */
export function breadcrumbs(links: readonly Link[], labels: Labels): Html | undefined {
  return links.length === 0
    ? undefined
    : html`<nav class="breadcrumbs" aria-label="${labels.breadcrumbs}"><ol>${links.map(
        ({ title, href }) => html`<li><a href="${href}">${title}</a>${icon('chevron')}</li>`,
      )}</ol></nav>`;
}

/** Renders the headings of a page as links. */
export function outline(headings: readonly OutlineHeading[], labels: Labels): Html | undefined {
  const shown = headings.filter(({ level }) => level <= 2);
  return shown.length === 0
    ? undefined
    : html`<nav class="outline" aria-labelledby="site:outline-title"><p id="site:outline-title">${labels.outline}</p><ul>${shown.map(
        ({ id, title, level }) =>
          html`<li class="level-${level}"><a href="#${encodeURIComponent(id)}">${title}</a></li>`,
      )}</ul></nav>`;
}

/** Renders the links to the previous and the next page. */
export function neighbors({ previous, next }: PageView, labels: Labels): Html | undefined {
  const link = (target: Link | undefined, rel: 'prev' | 'next', label: string) =>
    target &&
    html`<a class="neighbor ${rel}" rel="${rel}" href="${target.href}"><small>${label}</small><span>${target.title}</span></a>`;
  return previous || next
    ? html`<nav class="neighbors" aria-label="${labels.pagination}">${link(previous, 'prev', labels.previous)}${link(next, 'next', labels.next)}</nav>`
    : undefined;
}
