/** The input and output of the HTML renderer: plain data, which is passed between threads. */
import { writeRef } from '../links/address.ts';
import type { UrlPatterns } from '../links/url-patterns.ts';
import type { Block, Reference } from '../markdown/document.ts';
import type { IconStyle } from '../markdown/icons.ts';

/** Target of a reference, as readers of the page see it. */
export interface RenderTarget {
  kind: Reference['kind'];
  /** Title of a page, name of a file or user, or the URL itself. */
  title: string;
  /** Address of the target for readers. Without one, the reference is shown, but not linked. */
  url?: string | undefined;
  /** Title of the section of the page that the reference leads to. */
  section?: string | undefined;
  description?: string | undefined;
  icon?: string | undefined;
  emoji?: string | undefined;
  /** Size of a file in bytes. */
  bytes?: number | undefined;
  /** Media type of a file. */
  contentType?: string | undefined;
  /** Dimensions of an image in pixels. */
  width?: number | undefined;
  height?: number | undefined;
  /** Key of a reusable content in {@link RenderOptions.included}. */
  included?: string | undefined;
}

/** Targets by {@link targetKey}. */
export type RenderTargets = ReadonlyMap<string, RenderTarget>;

/** Returns the key of a reference in {@link RenderTargets}: the link destination as written, if it is a URL. */
export const targetKey = (ref: Reference): string => writeRef(ref);

/** Blocks of a reusable content, with the targets of its own references. */
export interface IncludedBlocks {
  nodes: readonly Block[];
  targets: RenderTargets;
}

/** Texts of the page frame that the renderer inserts, in the language of the page. */
export interface RenderLabels {
  info: string;
  success: string;
  warning: string;
  danger: string;
  /** Name of the link of a heading. */
  anchor: string;
  code: string;
  copy: string;
  table: string;
  tabs: string;
  done: string;
  notDone: string;
  download: string;
  note: string;
  /** Shown instead of the rest of a page that is too large. */
  truncated: string;
}

export const ENGLISH_LABELS: RenderLabels = {
  info: 'Info',
  success: 'Success',
  warning: 'Warning',
  danger: 'Danger',
  anchor: 'Link to this section',
  code: 'Code',
  copy: 'Copy',
  table: 'Table',
  tabs: 'Tabs',
  done: 'Done',
  notDone: 'Not done',
  download: 'Download',
  note: 'Note',
  truncated: 'The rest of this page is not shown because the page is too large.',
};

/** A block of an integration that a page shows. */
export interface ShownBlock {
  /** Identifies the block and its properties. */
  key: string;
  /** Name of the integration. */
  integration: string;
  /** ID of the block within the integration. */
  block: string;
  props: Record<string, string>;
  /** URL that the block shows instead of an embed or a link. */
  url?: string;
}

/** The blocks of integrations that are shown in frames. Others are shown as text. */
export interface BlockFrames {
  /** Path of the frames of the page, before the key of a block. */
  href: string;
  /** Names of the blocks: `integration/block`. */
  names: readonly string[];
  /** Blocks that are written as code, by the language of the code, with the property that contains the code. */
  languages: Readonly<Record<string, { integration: string; block: string; property: string }>>;
  /** Blocks that replace embeds and links, by the patterns of their URLs. */
  urls: readonly UrlPatterns[];
}

export interface RenderOptions {
  /** Title of the page, which the frame shows. Links to it lead to the top of the page. */
  title?: string | undefined;
  /** Targets of the references of the page. Without a target, only absolute URLs are linked. */
  targets?: RenderTargets | undefined;
  /** Reusable contents by the key in their targets. */
  included?: ReadonlyMap<string, IncludedBlocks> | undefined;
  /** Language tag (BCP 47). Default: `en`. */
  language?: string | undefined;
  /** Direction of the text around the content. Default: the direction of the language. */
  direction?: Direction | undefined;
  /** Whether links to other sites open in a new tab. */
  externalLinksInNewTab?: boolean | undefined;
  /** Level of the largest heading. Default: 2, below the title of the page. */
  headingLevel?: 2 | 3 | 4 | undefined;
  labels?: Partial<RenderLabels> | undefined;
  /** Style of icons without a style in their name. Default: `solid`. */
  iconStyle?: IconStyle | undefined;
  /** Without it, all blocks of integrations are shown as text. */
  blockFrames?: BlockFrames | undefined;
  /** Whether code is not highlighted. */
  plainCode?: boolean | undefined;
}

export type Direction = 'ltr' | 'rtl';

/** Heading in the outline of a page. */
export interface OutlineEntry {
  /** Anchor. */
  id: string;
  title: string;
  /** 1 for the largest. */
  level: 1 | 2 | 3;
}

/** Features that a page uses, so that a frame loads scripts only where required. */
export interface PageFeatures {
  /** Code blocks or prompts, which have a button to copy them. */
  code: boolean;
  math: boolean;
  tabs: boolean;
}

export interface RenderedPage {
  html: string;
  /** Headings in order, other than those in tabs, expandable blocks, tables and notes. */
  outline: OutlineEntry[];
  features: PageFeatures;
  /** Start of the text of the page, for descriptions and previews; `''` for a page without text. */
  excerpt: string;
  /** Blocks of integrations that the page shows in frames, in order. */
  blocks: ShownBlock[];
  /** ID of the title; undefined without one, or if an anchor in the page has the same ID. */
  titleId?: string;
  /** Address of the first image, for previews. */
  image?: string;
}
