/** The data of a page: its content, its place in the tree, and its metadata. */
import type { OutlineEntry, ShownBlock } from '../../../../content/html/options.ts';
import { DEFAULT_LAYOUT, type DocumentRecord } from '../../../../content/tree/records.ts';
import { Html } from '../../../../contract/docs/html.ts';
import { readJson } from '../../../../database/json.ts';
import type { ReadingSpace } from '../../structure/spaces.ts';
import { editHref } from '../edit-links/address.ts';
import { feedbackHref } from '../feedback/address.ts';
import type { ReadingServices } from '../reading-site.ts';
import { renderContent } from '../render-content.ts';
import { fileTargetHref } from '../targets.ts';
import type { CoverImage, Frame, Head, Link, PageView } from '../templates/types.ts';
import { iconOf } from './frame-view.ts';
import type { ReadablePage } from './navigation.ts';
import { type ContentContext, type PageContext, variantsOf } from './view-context.ts';

/** The data of a page, and the blocks of integrations that it shows in frames. */
export interface RenderedView {
  view: PageView;
  blocks: readonly ShownBlock[];
}

/** Returns the data of a page. */
export async function pageView(
  services: ReadingServices,
  context: ContentContext,
  frame: Frame,
): Promise<RenderedView> {
  const { page, reading, siteSpace, navigation, space } = context;
  const { record } = page;
  const { customization } = reading;
  const rendered = await renderContent(services, context, frame);
  const href = reading.pageHref(siteSpace, navigation, page);
  const { previous, next } = navigation.neighbors(page);
  const linkOf = (target: ReadablePage): Link => ({
    title: target.record.title,
    href: reading.pageHref(siteSpace, navigation, target),
  });
  const layout = { ...DEFAULT_LAYOUT, ...record.layout };
  const description = record.description ?? (rendered.excerpt === '' ? undefined : rendered.excerpt);
  const hasMarkdown = customization.pageActions.markdown && reading.isForAgents;
  const markdown = hasMarkdown ? reading.markdownHref(siteSpace, page) : undefined;
  const cover = await coverOf(context, layout);
  const view: PageView = {
    head: {
      title: record.title,
      description,
      canonical: reading.absolute(href),
      image: imageOf(context, cover?.light.href ?? rendered.image),
      isIndexed: isIndexed(context),
      alternates: await alternatesOf(context),
      markdown,
    },
    title: record.title,
    titleId: rendered.titleId,
    icon: iconOf(record, customization),
    description: record.description,
    cover,
    breadcrumbs: breadcrumbsOf(context),
    content: new Html(rendered.html),
    outline: rendered.outline.map(({ id, title, level }: OutlineEntry) => ({ id, title, level })),
    previous: previous && linkOf(previous),
    next: next && linkOf(next),
    updatedAt: updatedAtOf(record, space),
    editHref: customization.git.showEditLink ? editHref(readJson(space.git), record.git?.path) : undefined,
    markdownHref: markdown,
    feedbackHref: customization.feedback.enabled ? feedbackHref(reading, siteSpace, record.id) : undefined,
    pdfHref: customization.pdf.enabled
      ? reading.href(`/~pdf/${siteSpace.row.id}/${encodeURIComponent(record.id)}`)
      : undefined,
    wholePdfHref: customization.pdf.enabled ? reading.href(`/~pdf/${siteSpace.row.id}`) : undefined,
    show: {
      title: layout.title,
      description: layout.description,
      tree: layout.tableOfContents,
      outline: layout.outline,
      pagination: layout.pagination && customization.pagination.enabled,
      metadata: layout.metadata,
      actions: layout.actions,
      anchors: layout.anchors,
      isWide: layout.width === 'wide',
    },
  };
  return { view, blocks: rendered.blocks };
}

/** Returns the time of the last change of a page that is known. */
export const updatedAtOf = (
  { updatedAt, createdAt, git }: DocumentRecord,
  space: ReadingSpace,
): string | undefined => updatedAt ?? createdAt ?? (git ? space.updatedAt : undefined);

/** Returns whether search engines may index a page. */
export const isIndexed = ({ reading, page }: Pick<PageContext, 'reading' | 'page'>): boolean =>
  reading.site.visibility === 'public' && !isExcluded(page.record);

/** Returns whether an author excluded a page from search engines. */
export const isExcluded = ({ noIndex, noRobotsIndex }: DocumentRecord): boolean =>
  noIndex === true || noRobotsIndex === true;

function breadcrumbsOf({ reading, siteSpace, navigation, page, section }: PageContext): Link[] {
  const links: Link[] = [];
  for (let ancestor = page.parent; ancestor; ancestor = ancestor.parent) {
    if (ancestor.record.type !== 'link' && ancestor.record.type !== 'computed') {
      links.unshift({
        title: ancestor.record.title,
        href: reading.pageHref(siteSpace, navigation, ancestor),
      });
    }
  }
  return section && page !== navigation.first
    ? [{ title: section.row.title, href: reading.href(reading.paths.pathOf(siteSpace.row.id)) }, ...links]
    : links;
}

async function coverOf(
  context: ContentContext,
  layout: { cover: boolean; coverSize: string },
): Promise<PageView['cover']> {
  const { cover } = context.page.record;
  const light = layout.cover && cover && (await coverImageOf(context, cover.ref, cover.yPos));
  if (!light) {
    return undefined;
  }
  const dark = await coverImageOf(context, cover.refDark, cover.yPos);
  return { light, dark, isFull: layout.coverSize !== 'hero' };
}

async function coverImageOf(
  { content, reading, siteSpace }: ContentContext,
  ref: NonNullable<DocumentRecord['cover']>['ref'],
  yPos: number,
): Promise<CoverImage | undefined> {
  if (ref?.kind === 'url') {
    const size = { width: undefined, height: undefined };
    return /^https:/i.test(ref.url) ? { href: ref.url, ...size, offset: 0 } : undefined;
  }
  const file = ref?.kind === 'file' ? await content.readFile(ref.file) : undefined;
  const { width, height } = file?.dimensions ?? {};
  return (
    file && {
      href: fileTargetHref({ reading, siteSpace }, file.id),
      width,
      height,
      offset: width === undefined || width <= 0 ? 0 : yPos / width,
    }
  );
}

function imageOf({ reading }: PageContext, image: string | undefined): string | undefined {
  const { socialPreview } = reading.customization;
  const href = socialPreview.url ?? image;
  return href === undefined ? undefined : reading.absolute(href);
}

/** Returns the same page in the variants of other languages. */
async function alternatesOf(context: PageContext): Promise<NonNullable<Head['alternates']>> {
  const { reading, space, navigation, page } = context;
  const variants = variantsOf(context);
  const languages = new Set(variants.map((variant) => reading.spaceOf(variant).language));
  if (
    space.language === null ||
    languages.size < 2 ||
    languages.size < variants.length ||
    languages.has(null)
  ) {
    return [];
  }
  const path = navigation.pathOf(page);
  const alternates: NonNullable<Head['alternates']> = [];
  for (const variant of variants) {
    const other = reading.spaceOf(variant);
    const otherNavigation = await reading.navigationOf(other);
    const target = otherNavigation.resolve(path);
    if (target && other.language !== null) {
      const href = reading.pageHref(variant, otherNavigation, target);
      alternates.push({ language: other.language, href: reading.absolute(href) });
    }
  }
  return alternates;
}
