/** Renders headings with their anchors, and the anchors of other blocks. */

import type { BlockAnchor } from '../markdown/anchors/page-anchors.ts';
import type { IncludeBlocks } from '../markdown/anchors/walk.ts';
import { type AnyBlock, type BlockOf, MAX_INCLUDED_DEPTH } from '../markdown/document.ts';
import { visibleText } from '../markdown/slug.ts';
import { mentionTitle, type RenderContext } from './context.ts';
import { within } from './direction.ts';
import { EMPTY, element, type Html, join, safeUrl } from './markup.ts';
import { type OutlineEntry, type RenderOptions, type RenderTargets, targetKey } from './options.ts';

type Heading = BlockOf<'heading-1' | 'heading-2' | 'heading-3'>;

const LEVELS = { 'heading-1': 1, 'heading-2': 2, 'heading-3': 3 } as const;
const ELEMENTS = ['h2', 'h3', 'h4', 'h5', 'h6'] as const;

/** Renders a heading with its anchor, and adds it to the outline. */
export function renderHeading(context: RenderContext, block: Heading): Html {
  const { page } = context;
  const { dir, inner } = within(context, block);
  const content = inner.inlines(inner, block.nodes);
  const level: OutlineEntry['level'] = LEVELS[block.type];
  const title = visibleText(block.nodes, (mention) => mentionTitle(context, mention)).trim();
  const { id, others } = page.anchors.next(block) ?? { id: page.anchors.unique(title), others: [] };
  if (!context.isAside && title !== '') {
    page.outline.push({ id, title, level });
  }
  const { align } = block.data;
  const name = ELEMENTS[(page.options.headingLevel ?? 2) - 2 + level - 1] ?? 'h6';
  const link = element('a', {
    class: 'anchor',
    href: safeUrl(`#${encodeURIComponent(id.toWellFormed())}`),
    'aria-label': `${page.labels.anchor}: ${title}`,
  });
  return element(
    name,
    { id, class: align === 'center' || align === 'end' ? `align-${align}` : undefined, dir },
    otherAnchors(others),
    content,
    link,
  );
}

/** Renders the IDs that hosts derive from a title besides its own: bookmarks of readers contain them. */
export const otherAnchors = (ids: BlockAnchor['others']): Html =>
  ids.length === 0 ? EMPTY : join(ids.map((id) => element('span', { id })));

/** Renders an element with an ID, unless a heading or an earlier element has it. */
export const renderAnchor = ({ page }: RenderContext, id: string | undefined): Html =>
  id !== undefined && page.anchors.takeElement(id) ? element('span', { id }) : EMPTY;

/** Returns how references to reusable contents are replaced on a page. */
export function includedBlocks({
  included,
  targets = new Map(),
}: Pick<RenderOptions, 'included' | 'targets'>): IncludeBlocks | undefined {
  const within =
    (current: RenderTargets, depth: number): IncludeBlocks =>
    (ref): { nodes: readonly AnyBlock[]; include: IncludeBlocks } | undefined => {
      const content = included?.get(current.get(targetKey(ref))?.included ?? '');
      return content && depth < MAX_INCLUDED_DEPTH
        ? { nodes: content.nodes, include: within(content.targets, depth + 1) }
        : undefined;
    };
  return included && within(targets, 0);
}
