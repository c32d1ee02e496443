/** Context for rendering the blocks of a page. */
import { SITE_ID_PREFIX } from '../markdown/anchors/names.ts';
import type { PageAnchors } from '../markdown/anchors/page-anchors.ts';
import type { AnyBlock, InlineNode, Reference } from '../markdown/document.ts';
import type { MentionText } from '../markdown/slug.ts';
import { type Html, safeUrl, type Url } from './markup.ts';
import { titleOfMention } from './mentions.ts';
import {
  type Direction,
  type OutlineEntry,
  type PageFeatures,
  type RenderLabels,
  type RenderOptions,
  type RenderTarget,
  type RenderTargets,
  type ShownBlock,
  targetKey,
} from './options.ts';

/** State of a page that all its blocks share. */
export interface PageState {
  readonly options: RenderOptions;
  readonly language: string;
  readonly labels: RenderLabels;
  /** Direction of the text around the content. */
  readonly direction: Direction;
  readonly anchors: PageAnchors;
  /** IDs of the icons of the page by their paths. */
  readonly icons: Map<string, string>;
  /** Number of IDs of elements that no author links to. */
  ids: number;
  readonly outline: OutlineEntry[];
  readonly features: PageFeatures;
  /** Notes of the page, which follow its last block. */
  readonly notes: Html[];
  /** Blocks of integrations that the page shows in frames. */
  readonly blocks: ShownBlock[];
  image: Url | undefined;
  /** Length of the markup so far. */
  characters: number;
  isTruncated: boolean;
  /** Remaining time for highlighting code and for formulas. */
  highlightMs: number;
  formulasMs: number;
}

export interface RenderContext {
  readonly page: PageState;
  readonly targets: RenderTargets;
  /** Direction of the surrounding text. */
  readonly direction: Direction;
  /** Whether the content is inside a link or button, and must not contain another. */
  readonly isInteractive: boolean;
  /** Whether the content is hidden at first or repeats other content, so that its headings are not in the outline. */
  readonly isAside: boolean;
  /** Number of reusable contents that the content is nested in. */
  readonly includedDepth: number;
  /** Number of blocks that the content is nested in. */
  readonly depth: number;
  blocks(context: RenderContext, blocks: readonly AnyBlock[]): Html;
  inlines(context: RenderContext, nodes: readonly InlineNode[]): Html;
}

/** Returns an ID that differs from all anchors, which cannot have its prefix. */
export function generatedId(page: PageState, prefix: string): string {
  page.ids += 1;
  return `${SITE_ID_PREFIX}${prefix}:${page.ids}`;
}

/** Target of a reference as it is rendered. */
export interface LinkedTarget extends Omit<RenderTarget, 'url'> {
  url?: Url | undefined;
}

/** Returns the target of a reference. */
export function targetOf({ targets, page }: RenderContext, ref: Reference): LinkedTarget {
  const target = targets.get(targetKey(ref));
  if (target) {
    return { ...target, url: target.url === undefined ? undefined : safeUrl(target.url) };
  }
  if (ref.kind === 'anchor' && ref.page === undefined) {
    return anchorTarget(page, ref.anchor);
  }
  if (ref.kind === 'url') {
    if (ref.url.startsWith('#')) {
      return anchorTarget(page, ref.url.slice(1));
    }
    // A relative address without a target is broken.
    const url = /^[a-z][a-z\d+.-]*:/i.test(ref.url.trim()) ? safeUrl(ref.url) : undefined;
    return { kind: 'url', title: ref.url, url };
  }
  const href = 'href' in ref && ref.href !== undefined ? safeUrl(ref.href) : undefined;
  return { kind: ref.kind, title: titleOf(ref), url: href };
}

/** Returns what readers see of a mention. */
export const mentionTitle = (context: RenderContext, mention: Parameters<MentionText>[0]): string =>
  titleOfMention(mention, targetOf(context, mention.ref));

function anchorTarget({ anchors }: PageState, anchor: string): LinkedTarget {
  const id = anchors.find(anchor) ?? anchor;
  const url = safeUrl(`#${encodeURIComponent(id.toWellFormed())}`);
  return { kind: 'anchor', title: `#${anchor}`, section: anchors.titles.get(id) || undefined, url };
}

function titleOf(ref: Reference): string {
  switch (ref.kind) {
    case 'url':
      return ref.url;
    case 'openapi':
      return ref.spec;
    case 'anchor':
      return ref.anchor;
    default:
      return '';
  }
}

/** Returns the attributes of a link. */
export function linkAttributes(
  { page }: RenderContext,
  { kind, url }: LinkedTarget,
): { href?: Url | undefined; target?: string; rel?: string } {
  const isExternal = kind === 'url' && url !== undefined && /^https?:/i.test(url);
  return isExternal && page.options.externalLinksInNewTab
    ? { href: url, target: '_blank', rel: 'noopener' }
    : { href: url };
}

/** Rounds a number, and limits it to a range. */
export const clamp = (value: number, min: number, max: number): number =>
  Math.min(max, Math.max(min, Math.round(value)));

/** Returns the classes of a block that may use the full width of the page. */
export const withWidth = (classes: string, fullWidth: boolean | undefined): string =>
  fullWidth ? `${classes} full-width` : classes;
