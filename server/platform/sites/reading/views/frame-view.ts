/** The data of what all pages of a site have in common. */

import type { components } from '../../../../../generated/schema.d.ts';
import { directionOfLanguage } from '../../../../content/html/direction.ts';
import { AT_ROOT, addressOfRef } from '../../../../content/links/resolve.ts';
import type { SpaceAddresses } from '../../../../content/links/space-urls.ts';
import { findEmoji, type IconStyle } from '../../../../content/markdown/icons.ts';
import { type Html, html } from '../../../../contract/docs/html.ts';
import type { SectionEntry, SectionNode } from '../../../spaces/publications/structure.ts';
import { scriptPath } from '../../site-integrations/find.ts';
import { DEFAULT_CUSTOMIZATION } from '../../sites/queries/customization.ts';
import type { ReadingSpace } from '../../structure/spaces.ts';
import { labelsIn } from '../labels.ts';
import type { ReadingSite } from '../reading-site.ts';
import type { Assets } from '../resources/assets.ts';
import { linksOf } from '../resources/assets.ts';
import { externalDestination, fileTargetHref } from '../targets.ts';
import { contentIcon } from '../templates/icons.ts';
import type { Frame, HeaderLink, Link, NavigationLink, SiteCustomization, Tab } from '../templates/types.ts';
import { treeEntries } from './tree.ts';
import { type ViewContext, variantsOf } from './view-context.ts';

type ContentRef = components['schemas']['ContentRef'];

/** Returns the frame of a page. */
export async function frameView(context: ViewContext, assets: Assets): Promise<Frame> {
  const { reading, space, navigation, siteSpace } = context;
  const { customization, base, site } = reading;
  const language = languageOf(space, customization);
  const labels = labelsIn(language);
  const hrefs = await linkHrefs(context);
  return {
    title: customization.title ?? (site.title || space.title),
    home: reading.href(''),
    base,
    siteSpace: siteSpace.row.id,
    language,
    direction: directionOfLanguage(language),
    labels,
    customization,
    assets: linksOf(assets, base, customization),
    tabs: tabsOf(context),
    variants: await variantLinks(context),
    ...(await customLinks(context)),
    tree: treeEntries({
      navigation,
      current: context.page,
      labels,
      hrefOf: (page) =>
        page.record.type === 'link'
          ? hrefs.get(page.record.id)
          : reading.pageHref(siteSpace, navigation, page),
      iconOf: ({ record }) => iconOf(record, customization),
    }),
    favicon: faviconOf(customization),
    scripts: reading.integrations.scripts.map((script) => reading.href(scriptPath(script))),
    asksForConsent: asksForConsent(reading),
  };
}

/**
 * Returns whether visitors are asked for their consent to cookies: if a script of an integration sets them, or if the
 * site has a privacy policy and an integration receives the views of its pages, which requires consent.
 */
const asksForConsent = ({ integrations, customization }: ReadingSite): boolean =>
  integrations.scripts.some(({ cookies }) => cookies) ||
  (integrations.receivesViews && customization.privacyPolicy.url !== undefined);

/** Returns the icon or emoji of an entry. */
export function iconOf(
  { icon, emoji }: { icon?: string | null; emoji?: string | null },
  { styling }: SiteCustomization,
): Html | undefined {
  const character = emoji ? findEmoji(emoji) : undefined;
  if (character !== undefined) {
    return html`<span class="emoji" aria-hidden="true">${character}</span>`;
  }
  return icon ? contentIcon(icon, iconStyleOf(styling)) : undefined;
}

/** Icons exist as solid ones, and some of them as regular ones; the other styles are replaced by the nearest of both. */
export const iconStyleOf = ({ icons }: SiteCustomization['styling']): IconStyle =>
  icons === 'solid' || icons === 'duotone' ? 'solid' : 'regular';

/** Returns the language of the content of a space, which everything else on its pages has, too. */
const languageOf = (
  { language, contentLanguage }: ReadingSpace,
  { internationalization: { locale } }: SiteCustomization,
): string => bcp47(language ?? (locale === DEFAULT_LOCALE ? contentLanguage : null) ?? locale);

/** Locale of sites without a selected locale. */
const DEFAULT_LOCALE = DEFAULT_CUSTOMIZATION.internationalization.locale;

const bcp47 = (language: string): string => (language === 'pt-br' ? 'pt-BR' : language);

function tabsOf(context: ViewContext): Tab[] {
  const { reading } = context;
  return reading.structure.entries.flatMap((entry): Tab[] =>
    entry.type === 'site-space' ? [] : [tabOf(entry, context)],
  );
}

function tabOf(entry: SectionEntry, context: ViewContext): Tab {
  const { title, icon } = entry.row;
  if (entry.type === 'site-section') {
    return sectionLink(entry, context);
  }
  const items = entry.sections.map((section) => sectionLink(section, context));
  return { title, icon: iconOf({ icon }, context.reading.customization), items };
}

function sectionLink(node: SectionNode, { reading, section }: ViewContext): NavigationLink {
  const { title, icon, description } = node.row;
  return {
    title,
    icon: iconOf({ icon }, reading.customization),
    description: description ?? undefined,
    href: reading.href(reading.paths.pathOfSection(node)),
    isCurrent: node.row.id === section?.row.id,
  };
}

/** Returns links to the variants. Each leads to the page with the same path, if the variant has one. */
async function variantLinks(context: ViewContext): Promise<NavigationLink[]> {
  const { reading, siteSpace, navigation, page } = context;
  const variants = variantsOf(context);
  if (variants.length < 2) {
    return [];
  }
  const path = page ? navigation.pathOf(page) : [];
  return await Promise.all(
    variants.slice(0, MAX_SHOWN_VARIANTS).map(async (variant) => {
      const space = reading.spaceOf(variant);
      const other = path.length > 0 ? await reading.navigationOf(space) : undefined;
      const counterpart = other?.resolve(path);
      return {
        title: space.title,
        icon: iconOf(space, reading.customization),
        href:
          other && counterpart
            ? reading.pageHref(variant, other, counterpart)
            : reading.href(reading.paths.pathOf(variant.row.id)),
        isCurrent: variant.row.id === siteSpace.row.id,
      };
    }),
  );
}

/** Maximum number of variants in the switcher. */
const MAX_SHOWN_VARIANTS = 50;

/** Returns the addresses of the links at the top level and near the current page, by page. */
async function linkHrefs(context: ViewContext): Promise<Map<string, string>> {
  const { navigation, page } = context;
  const lists = [navigation.roots];
  for (let open = page; open; open = open.parent) {
    lists.push(open.children);
  }
  for (const group of navigation.roots) {
    lists.push(group.children);
  }
  const hrefs = new Map<string, string>();
  const links = lists.flatMap((list) =>
    list.flatMap(({ record }) => (record.type === 'link' ? [record] : [])),
  );
  const urls = links.flatMap(({ target }) => (target.kind === 'url' ? [target.url] : []));
  const inSpaces: SpaceAddresses =
    urls.length > 0 ? await context.reading.findSpaceAddresses(urls) : new Map();
  for (const record of links) {
    if (!hrefs.has(record.id)) {
      const { target, href: fallback } = record;
      const address = target.kind === 'url' ? inSpaces.get(target.url) : undefined;
      const internal = address && (await externalDestination(context, address)).url;
      const href = internal ?? (await hrefOf(context, target, fallback));
      if (href !== undefined) {
        hrefs.set(record.id, href);
      }
    }
  }
  return hrefs;
}

/** Returns the address that a reference leads to; undefined if the visitor cannot see its target. */
async function hrefOf(context: ViewContext, ref: ContentRef, fallback?: string): Promise<string | undefined> {
  if (ref.kind === 'url') {
    return safeHref(ref.url);
  }
  const { reading, siteSpace, space, navigation } = context;
  if ((ref.kind === 'page' || ref.kind === 'anchor') && (ref.space === undefined || ref.space === space.id)) {
    const page = ref.page === undefined ? undefined : navigation.find(ref.page);
    const anchor = ref.kind === 'anchor' ? `#${encodeURIComponent(ref.anchor)}` : '';
    return page && `${reading.pageHref(siteSpace, navigation, page)}${anchor}`;
  }
  if (ref.kind === 'file') {
    return fileTargetHref(context, ref.file);
  }
  const target = await externalDestination(context, addressOfRef(ref, AT_ROOT));
  return target?.url ?? (fallback === undefined ? undefined : safeHref(fallback));
}

/** Returns an address that may be linked. */
const safeHref = (url: string): string | undefined =>
  /^(?:https?|mailto|tel):/i.test(url.trim()) && URL.canParse(url) ? new URL(url).href : undefined;

async function customLinks(
  context: ViewContext,
): Promise<Pick<Frame, 'headerLinks' | 'footerGroups' | 'announcementLink'>> {
  const { header, footer, announcement } = context.reading.customization;
  const linksOfList = async (
    links: readonly { title: string; to: ContentRef | null }[] = [],
  ): Promise<Link[]> => {
    const resolved: Link[] = [];
    for (const { title, to } of links) {
      const href = to && (await hrefOf(context, to));
      if (href) {
        resolved.push({ title, href });
      }
    }
    return resolved;
  };
  const headerLinks: HeaderLink[] = [];
  for (const { title, to, style = 'link', links } of header.links) {
    const nested = await linksOfList(links);
    const href = to ? await hrefOf(context, to) : undefined;
    if (href !== undefined || nested.length > 0) {
      headerLinks.push({ title, href, style, links: nested });
    }
  }
  const footerGroups: Frame['footerGroups'] = [];
  for (const { title, links } of footer.groups) {
    footerGroups.push({ title, links: await linksOfList(links) });
  }
  const [announcementLink] = await linksOfList(announcement?.link ? [announcement.link] : []);
  return { headerLinks, footerGroups, announcementLink };
}

function faviconOf({ favicon }: SiteCustomization): NonNullable<Frame['favicon']> {
  if ('icon' in favicon) {
    return favicon.icon;
  }
  const emoji = 'emoji' in favicon ? findEmoji(favicon.emoji) : undefined;
  const glyph = emoji === undefined ? DEFAULT_GLYPH : `<text y="14" font-size="14">${emoji}</text>`;
  const icon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${glyph}</svg>`)}`;
  return { light: icon, dark: icon };
}

const DEFAULT_GLYPH = '<path fill="#5b7cc4" d="M3 1h7l3 3v11H3z"/>';
