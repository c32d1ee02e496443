import { Html, html } from '../../../../contract/docs/html.ts';
import type { Labels } from '../labels.ts';
import { feedbackForm } from './feedback.ts';
import { frame } from './frame.ts';
import { icon } from './icons.ts';
import { breadcrumbs, neighbors, outline, sidebar } from './navigation.ts';
import type { CoverImage, CoverView, Frame, PageView } from './types.ts';

/** Renders a page of a space. */
export function page(view: Frame, content: PageView): string {
  const { labels, language } = view;
  const { show } = content;
  const aside = show.outline ? outline(content.outline, labels) : undefined;
  const classes = [
    'layout',
    ...(show.isWide ? ['wide'] : []),
    ...(aside ? [] : ['no-outline']),
    ...(show.anchors ? [] : ['no-anchors']),
  ];
  const image = content.cover && cover(content.cover);
  const id = content.titleId !== undefined && html` id="${content.titleId}"`;
  const main = html`${content.cover?.isFull && image}
<div class="${classes.join(' ')}">
${show.tree ? sidebar(view) : undefined}
<main id="site:content" tabindex="-1">
${!content.cover?.isFull && image}
<article>
<header class="page-header">
${breadcrumbs(content.breadcrumbs, labels)}
${show.title && html`<h1${id}>${content.icon}${content.title}</h1>`}
${!show.title && html`<h1${id} class="visually-hidden">${content.title}</h1>`}
${show.description && content.description !== undefined && html`<p class="lead">${content.description}</p>`}
${show.actions && actions(content, labels)}
</header>
${content.content}
</article>
${feedbackForm(content.feedbackHref, labels)}
${show.pagination && neighbors(content, labels)}
${show.metadata && metadata(content, labels, language)}
</main>
${aside && html`<div class="outline-column">${aside}</div>`}
</div>`;
  const style = content.cover && coverStyle(content.cover);
  return frame(view, { ...content.head, style }, { main, kind: 'page' });
}

function cover({ light, dark, isFull }: CoverView): Html {
  const image = ({ href, width, height }: CoverImage, theme: string | undefined) =>
    html`<img${theme !== undefined && html` class="${theme}"`} src="${href}" alt="" width="${width}" height="${height}">`;
  return html`<div class="cover${isFull && ' cover-full'}">${image(light, dark && 'light-only')}${
    dark && image(dark, 'dark-only')
  }</div>`;
}

/** Moves the images of a cover, within their height. */
function coverStyle({ light, dark }: CoverView): Html {
  const rule = (selector: string, { offset }: CoverImage) =>
    offset === 0
      ? ''
      : `.cover ${selector}{object-position:50% clamp(100%,50% + ${(offset * 100).toFixed(3)}cqi,0%)}`;
  return new Html(`${rule('img', light)}${dark ? rule('.dark-only', dark) : ''}`);
}

function actions(
  { markdownHref, pdfHref, wholePdfHref, editHref }: PageView,
  labels: Labels,
): Html | undefined {
  const items = [
    markdownHref !== undefined &&
      html`<li><a href="${markdownHref}">${icon('file')}${labels.markdown}</a></li>`,
    pdfHref !== undefined && html`<li><a href="${pdfHref}">${icon('download')}${labels.pdf}</a></li>`,
    wholePdfHref !== undefined &&
      html`<li><a href="${wholePdfHref}">${icon('download')}${labels.wholePdf}</a></li>`,
    editHref !== undefined &&
      html`<li><a href="${editHref}" rel="noopener">${icon('edit')}${labels.edit}</a></li>`,
  ].filter((item) => item !== false);
  return items.length === 0
    ? undefined
    : html`<ul class="page-actions" aria-label="${labels.actions}">${items}</ul>`;
}

function metadata({ updatedAt }: PageView, labels: Labels, language: string): Html | undefined {
  if (updatedAt === undefined) {
    return undefined;
  }
  const date = new Date(updatedAt);
  const [before = '', after = ''] = labels.updated.split('{date}');
  const shown = dateFormat(language).format(date);
  return html`<p class="updated">${before}<time datetime="${updatedAt}">${shown}</time>${after}</p>`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the format of dates in a language; formats are slow to create. */
function dateFormat(language: string): Intl.DateTimeFormat {
  const existing = formats.get(language);
  if (existing) {
    return existing;
  }
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  formats.set(language, format);
  return format;
}
