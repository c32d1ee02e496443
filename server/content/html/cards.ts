/** Renders blocks that refer to a resource as a card: files, drawings, embedded content, and links to pages. */
import type { BlockOf, Reference } from '../markdown/document.ts';
import { type LinkedTarget, linkAttributes, type RenderContext, targetOf, withWidth } from './context.ts';
import { iconHtml, labelHtml } from './icons.ts';
import { drawingImage, renderCaption } from './images.ts';
import { type Attributes, EMPTY, element, type Html, text } from './markup.ts';

interface CardContent {
  icon: Html;
  title: Html;
  /** Second line. */
  detail?: string | undefined;
}

/** Renders a card: a link to a target, or without an address its title only. */
function card(
  context: RenderContext,
  target: LinkedTarget,
  { icon, title, detail }: CardContent,
  attributes: Attributes = {},
): Html {
  const content = [
    icon === '' ? EMPTY : element('span', { class: 'link-card-icon' }, icon),
    element(
      'span',
      { class: 'link-card-text' },
      element('span', { class: 'link-card-title' }, title),
      detail === undefined || detail === ''
        ? EMPTY
        : element('span', { class: 'link-card-detail' }, text(detail)),
    ),
  ];
  return target.url === undefined || context.isInteractive
    ? element('span', { class: 'link-card' }, ...content)
    : element('a', { class: 'link-card', ...attributes, ...linkAttributes(context, target) }, ...content);
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Formats a size in a language. */
function formatBytes(bytes: number, language: string): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const unit = BYTE_UNITS[power] ?? 'byte';
  const options = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(supportedLanguage(language), options).format(bytes / 1000 ** power);
}

/** Returns a language that can be formatted: an author can enter any tag. */
export function supportedLanguage(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** Renders a file as a card that downloads it. */
export function renderFile(context: RenderContext, { data }: BlockOf<'file'>): Html {
  const { page } = context;
  const target = targetOf(context, data.ref);
  const details = [
    page.labels.download,
    ...(target.bytes === undefined ? [] : [formatBytes(target.bytes, page.language)]),
  ];
  return element(
    'figure',
    { class: 'file' },
    card(
      context,
      target,
      {
        icon: iconHtml(context.page, fileIcon(target.contentType)),
        title: text(target.title),
        detail: target.url === undefined ? undefined : details.join(' · '),
      },
      { download: target.kind === 'file' },
    ),
    renderCaption(context, data.caption),
  );
}

function fileIcon(contentType = ''): string {
  const [kind] = contentType.split('/', 1);
  if (/pdf$/.test(contentType)) {
    return 'file-pdf';
  }
  if (/zip|tar|compressed/.test(contentType)) {
    return 'file-zipper';
  }
  return kind === 'image' || kind === 'audio' || kind === 'video' ? `file-${kind}` : 'file-lines';
}

/** Renders the image of a drawing, or else a card. */
export function renderDrawing(context: RenderContext, { data }: BlockOf<'drawing'>): Html {
  const target = targetOf(context, data.ref);
  return element(
    'figure',
    { class: 'image' },
    drawingImage(context, data.ref, target.title) ??
      card(context, target, { icon: iconHtml(context.page, 'pen-ruler'), title: text(target.title) }),
    renderCaption(context, data.caption),
  );
}

/** Renders embedded content as a link: other sites learn nothing about readers who do not follow it. */
export function renderEmbed(context: RenderContext, { data }: BlockOf<'embed'>): Html {
  const target = targetOf(context, { kind: 'url', url: data.url });
  const host = URL.canParse(data.url) ? new URL(data.url).host.replace(/^www\./, '') : '';
  return element(
    'figure',
    { class: withWidth('embed', data.fullWidth) },
    card(context, target, {
      icon: iconHtml(
        context.page,
        /(?:^|\.)(?:youtube\.com|youtu\.be|vimeo\.com|loom\.com)$/.test(host) ? 'circle-play' : 'link',
      ),
      title: text(target.title),
      detail: host === target.title ? undefined : host,
    }),
    renderCaption(context, data.caption),
  );
}

/** Renders a link to a page, with its description. */
export function renderContentRef(context: RenderContext, { data }: BlockOf<'content-ref'>): Html {
  const target = targetOf(context, data.ref);
  const title = data.title ? context.inlines({ ...context, isInteractive: true }, data.title) : EMPTY;
  return element(
    'div',
    { class: 'content-ref' },
    card(context, target, {
      icon:
        labelHtml(context.page, target) ||
        iconHtml(context.page, target.kind === 'url' ? 'link' : 'file-lines'),
      title: title === '' ? text(target.title) : title,
      detail: target.description,
    }),
  );
}

/** Renders a named resource without content of its own, such as a specification. */
export function renderNamed(context: RenderContext, ref: Reference, icon: string): Html {
  const target = targetOf(context, ref);
  return card(context, target, { icon: iconHtml(context.page, icon), title: text(target.title) });
}
