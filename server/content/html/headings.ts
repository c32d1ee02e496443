/** Renders headings with their anchors, and finds the anchors of a page. */

import { type AnyBlock, type BlockOf, MAX_INCLUDED_DEPTH } from '../markdown/document.ts';
import { anchorOf, Slugs, visibleText } from '../markdown/slug.ts';
import { anchorKeyOf, type RenderContext } from './context.ts';
import { within } from './direction.ts';
import { element, type Html, safeUrl } from './markup.ts';
import type { OutlineEntry, RenderOptions, RenderTargets } from './options.ts';
import { targetKey } from './options.ts';

type Heading = BlockOf<'heading-1' | 'heading-2' | 'heading-3'>;

const LEVELS = { 'heading-1': 1, 'heading-2': 2, 'heading-3': 3 } as const;
const ELEMENTS = ['h2', 'h3', 'h4', 'h5', 'h6'] as const;

/** Renders a heading with its anchor, and adds it to the outline. */
export function renderHeading(context: RenderContext, block: Heading): Html {
  const { page } = context;
  const { dir, inner } = within(context, block);
  const content = inner.inlines(inner, block.nodes);
  const id = anchorOf(page.slugs, block);
  const level: OutlineEntry['level'] = LEVELS[block.type];
  const title = visibleText(block.nodes).trim();
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
    content,
    link,
  );
}

/** Maximum number of blocks that are searched for anchors. */
const MAX_SEARCHED_BLOCKS = 100_000;

/** Returns the anchors of the headings of a page in the order in which they are rendered, by themselves and by key. */
export function anchorsOf(
  blocks: readonly AnyBlock[],
  { included, targets = new Map() }: Pick<RenderOptions, 'included' | 'targets'>,
): Map<string, string> {
  const anchors = new Map<string, string>();
  const slugs = new Slugs();
  let remaining = MAX_SEARCHED_BLOCKS;
  const visit = (nodes: readonly AnyBlock[], current: RenderTargets, depth: number): void => {
    for (const block of nodes) {
      remaining -= 1;
      if (remaining < 0) {
        return;
      }
      if (block.type === 'heading-1' || block.type === 'heading-2' || block.type === 'heading-3') {
        const anchor = anchorOf(slugs, block);
        anchors.set(anchor, anchor);
        const key = anchorKeyOf(anchor);
        if (!anchors.has(key)) {
          anchors.set(key, anchor);
        }
      } else if (block.type === 'reusable-content') {
        const content = included?.get(current.get(targetKey(block.data.ref))?.included ?? '');
        if (content && depth < MAX_INCLUDED_DEPTH) {
          visit(content.nodes, content.targets, depth + 1);
        }
      } else if (block.type === 'expandable') {
        visit(block.data.body, current, depth);
      } else if (block.type !== 'paragraph' && block.type !== 'code' && block.type !== 'code-line') {
        // Blocks of all other types contain blocks.
        visit(block.nodes as readonly AnyBlock[], current, depth);
      }
    }
  };
  visit(blocks, targets, 0);
  return anchors;
}
