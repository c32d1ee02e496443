/** The data that the templates of the reading view show. Addresses are paths on the origin of the site, or URLs. */

import type { Html } from '../../../../contract/docs/html.ts';
import type { CompleteCustomization } from '../../sites/queries/customization.ts';
import type { Labels } from '../labels.ts';

export type SiteCustomization = CompleteCustomization;

/** Writing direction of a language. */
export type Direction = 'ltr' | 'rtl';

/** Link with a label. */
export interface Link {
  title: string;
  href: string;
}

/** Link that leads to where the reader may already be. */
export interface NavigationLink extends Link {
  icon?: Html | undefined;
  description?: string | undefined;
  isCurrent: boolean;
}

/** A section, or a section group as a menu. */
export type Tab = NavigationLink | { title: string; icon?: Html | undefined; items: NavigationLink[] };

/** Link of the header, or a menu of links. */
export interface HeaderLink {
  title: string;
  href: string | undefined;
  style: 'link' | 'button-primary' | 'button-secondary';
  links: Link[];
}

/** Entry of the page tree. */
export interface TreeEntry {
  kind: 'page' | 'group' | 'link' | 'more';
  title: string;
  href: string | undefined;
  icon?: Html | undefined;
  isCurrent: boolean;
  /** Whether the entry has entries, also if they are not shown. */
  hasEntries: boolean;
  entries: TreeEntry[];
}

/** What every page of a site has. */
export interface Frame {
  /** Title of the site. */
  title: string;
  /** Address of the first page of the site. */
  home: string;
  /** Base address of the site's own resources. */
  base: string;
  /** ID of the site space that is read. */
  siteSpace: string;
  language: string;
  direction: Direction;
  labels: Labels;
  customization: SiteCustomization;
  assets: AssetLinks;
  tabs: Tab[];
  /** Variants of the section or the site, if there are several. */
  variants: NavigationLink[];
  headerLinks: HeaderLink[];
  footerGroups: Array<{ title: string; links: Link[] }>;
  announcementLink: Link | undefined;
  /** Entries of the page tree. */
  tree: TreeEntry[];
  /** Icons for light and dark browsers. */
  favicon: { light: string; dark: string } | undefined;
  /** Addresses of the scripts of integrations. */
  scripts: readonly string[];
  /** Whether visitors are asked for their consent to cookies. */
  asksForConsent: boolean;
}

/** Addresses of style sheets, scripts and fonts. */
export interface AssetLinks {
  styles: readonly string[];
  /** Runs before the page is shown. */
  early: string;
  modules: readonly string[];
  /** Runs before the scripts of integrations, which rely on it. */
  integrations: string;
  /** Style sheet and script of the blocks of integrations, in their frames. */
  block: { style: string; script: string };
  /** Fonts that are loaded first. */
  fonts: readonly string[];
}

/** Metadata in the head of a page. */
export interface Head {
  title: string;
  description?: string | undefined;
  /** Canonical URL. */
  canonical?: string | undefined;
  image?: string | undefined;
  isIndexed: boolean;
  /** Versions of the page in other languages. */
  alternates?: Array<{ language: string; href: string }>;
  markdown?: string | undefined;
  /** Rules of this page in addition to those of the site. */
  style?: Html | undefined;
}

/** Heading in the outline of a page. */
export interface OutlineHeading {
  id: string;
  title: string;
  level: number;
}

/** Image above a page. */
export interface CoverView {
  light: CoverImage;
  /** Image for dark themes, if it differs. */
  dark: CoverImage | undefined;
  /** Whether it is as wide as the window, not as the content. */
  isFull: boolean;
}

/** Image of a cover. */
export interface CoverImage {
  href: string;
  width: number | undefined;
  height: number | undefined;
  /** Vertical offset of the image from its center, as a share of its width. */
  offset: number;
}

/** A page with its neighbors. */
export interface PageView {
  head: Head;
  title: string;
  /** ID of the title, for links to it. */
  titleId?: string | undefined;
  icon?: Html | undefined;
  description: string | undefined;
  cover: CoverView | undefined;
  breadcrumbs: Link[];
  content: Html;
  outline: OutlineHeading[];
  previous: Link | undefined;
  next: Link | undefined;
  updatedAt: string | undefined;
  editHref: string | undefined;
  markdownHref: string | undefined;
  pdfHref: string | undefined;
  /** PDF of all pages of the space that the visitor sees. */
  wholePdfHref: string | undefined;
  /** Address of the form for the opinion of readers. */
  feedbackHref: string | undefined;
  show: {
    title: boolean;
    description: boolean;
    tree: boolean;
    outline: boolean;
    pagination: boolean;
    metadata: boolean;
    actions: boolean;
    /** Whether headings have links to themselves. */
    anchors: boolean;
    isWide: boolean;
  };
}

/** Results of a search. */
export interface SearchView {
  query: string;
  count: number;
  results: SearchResult[];
}

/** A page that a search found. */
export interface SearchResult {
  title: string;
  href: string;
  /** Where the page is: its section, variant and ancestors. */
  trail: string[];
  sections: Array<{ title: string; href: string; excerpt: ExcerptPart[] }>;
}

/** Part of an excerpt; words of the query are marked. */
export interface ExcerptPart {
  text: string;
  isMatch: boolean;
}

/** A page with a message instead of content. */
export interface MessageView {
  title: string;
  text: string;
  requestId?: string | undefined;
  hasSearch: boolean;
  link?: Link | undefined;
  buttons?: readonly Link[];
}
