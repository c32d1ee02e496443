/** Renders the document of a page as HTML. */
import { PageAnchors } from '../markdown/anchors/page-anchors.ts';
import type { Document } from '../markdown/document.ts';
import { renderBlocks } from './blocks.ts';
import { MAX_HIGHLIGHT_MS } from './code/highlight.ts';
import { mentionTitle, type PageState, type RenderContext } from './context.ts';
import { directionOfLanguage } from './direction.ts';
import { excerptOf } from './excerpt.ts';
import { includedBlocks } from './headings.ts';
import { renderInlines } from './inlines.ts';
import { element, join } from './markup.ts';
import { ENGLISH_LABELS, type RenderedPage, type RenderOptions } from './options.ts';

/** Maximum processor time for typesetting the formulas of a page. All further ones are shown as written. */
export const MAX_PAGE_FORMULAS_MS = 2000;

/** Renders a document. The result contains neither scripts nor styles, and no markup of the author. */
export function renderHtml({ nodes }: Pick<Document, 'nodes'>, options: RenderOptions = {}): RenderedPage {
  const language = options.language ?? 'en';
  const page: PageState = {
    options,
    language,
    labels: { ...ENGLISH_LABELS, ...options.labels },
    direction: options.direction ?? directionOfLanguage(language),
    icons: new Map(),
    ids: 0,
    anchors: new PageAnchors(nodes, { title: options.title, include: includedBlocks(options) }),
    outline: [],
    features: { code: false, math: false, tabs: false },
    notes: [],
    blocks: [],
    image: undefined,
    characters: 0,
    isTruncated: false,
    highlightMs: options.plainCode ? 0 : MAX_HIGHLIGHT_MS,
    formulasMs: MAX_PAGE_FORMULAS_MS,
  };
  const context: RenderContext = {
    page,
    targets: options.targets ?? new Map(),
    direction: page.direction,
    isInteractive: false,
    isAside: false,
    includedDepth: 0,
    depth: 0,
    blocks: renderBlocks,
    inlines: renderInlines,
  };
  const body = renderBlocks(context, nodes);
  return {
    html: element('div', { class: 'content' }, body, join(page.notes)),
    outline: page.outline,
    features: page.features,
    excerpt: excerptOf(nodes, (mention) => mentionTitle(context, mention)),
    blocks: page.blocks,
    ...(page.anchors.titleId !== undefined && { titleId: page.anchors.titleId }),
    ...(page.image !== undefined && { image: page.image }),
  };
}
