/** Renders the blocks of a document. */

import { idOfBlock } from '../markdown/anchors/walk.ts';
import { textOfTag } from '../markdown/attributes.ts';
import {
  type AnyBlock,
  type BlockOf,
  type ListItem,
  MAX_INCLUDED_DEPTH,
  rawSource,
} from '../markdown/document.ts';
import { textWithin } from '../markdown/text-within.ts';
import { renderContentRef, renderDrawing, renderEmbed, renderFile } from './cards.ts';
import { renderCode } from './code/code.ts';
import {
  renderColumns,
  renderExpandable,
  renderHint,
  renderPrompt,
  renderStepper,
  renderTabs,
  renderUpdates,
} from './containers.ts';
import { type RenderContext, targetOf } from './context.ts';
import { within } from './direction.ts';
import { renderAnchor, renderHeading } from './headings.ts';
import { renderImage, renderImages } from './images.ts';
import { checkbox } from './inlines.ts';
import { renderIntegration, renderWrittenBlock } from './integrations.ts';
import { EMPTY, element, type Html, join, text } from './markup.ts';
import { renderFormula } from './math.ts';
import { renderApiBlock, renderOperationLine } from './specifications/api.ts';
import { renderTable } from './table.ts';

/** Maximum length of the markup of a page, in UTF-16 units. The rest of a longer page is not shown. */
export const MAX_PAGE_MARKUP_CHARACTERS = 3_000_000;
/** Maximum number of levels of nested blocks. The text of deeper ones is shown without markup. */
const MAX_BLOCK_DEPTH = 60;
/** Minimum length of the markup of a block, so that empty ones count, too. */
const BLOCK_CHARACTERS = 20;

/** Renders blocks one below the other. */
export function renderBlocks(context: RenderContext, blocks: readonly AnyBlock[]): Html {
  const { page } = context;
  if (context.depth > MAX_BLOCK_DEPTH) {
    return element('p', {}, text(textWithin(blocks)));
  }
  const inner = { ...context, depth: context.depth + 1 };
  const parts: Html[] = [];
  for (const block of blocks) {
    page.characters += BLOCK_CHARACTERS;
    if (page.characters > MAX_PAGE_MARKUP_CHARACTERS) {
      if (!page.isTruncated) {
        page.isTruncated = true;
        parts.push(element('p', { class: 'truncated', role: 'note' }, text(page.labels.truncated)));
      }
      break;
    }
    parts.push(renderAnchor(inner, idOfBlock(block)), renderBlock(inner, block));
  }
  return join(parts);
}

function renderBlock(context: RenderContext, block: AnyBlock): Html {
  switch (block.type) {
    case 'paragraph':
      return renderParagraph(context, block);
    case 'heading-1':
    case 'heading-2':
    case 'heading-3':
      return renderHeading(context, block);
    case 'list-ordered':
    case 'list-unordered':
    case 'list-tasks':
      return renderList(context, block);
    case 'list-item':
      return renderItem(context, block);
    case 'divider':
      return element('hr', {});
    case 'blockquote': {
      const { dir, inner } = within(context, block);
      return element('blockquote', { dir }, renderBlocks(inner, block.nodes));
    }
    case 'hint':
      return renderHint(context, block);
    case 'images':
      return renderImages(context, block);
    case 'image':
      return renderImage(context, block);
    case 'file':
      return renderFile(context, block);
    case 'drawing':
      return renderDrawing(context, block);
    case 'embed':
      return renderEmbed(context, block);
    case 'content-ref':
      return renderContentRef(context, block);
    case 'code':
      return renderWrittenBlock(context, block) ?? renderCode(context, block);
    case 'math':
      return element(
        'div',
        { class: 'math', role: 'group', tabindex: 0, 'aria-label': block.data.formula, dir: 'ltr' },
        renderFormula(context, block.data.formula, true),
      );
    case 'expandable':
      return renderExpandable(context, block);
    case 'tabs':
      return renderTabs(context, block);
    case 'stepper':
      return renderStepper(context, block);
    case 'columns':
      return renderColumns(context, block);
    case 'updates':
      return renderUpdates(context, block);
    case 'prompt':
      return renderPrompt(context, block);
    case 'table':
      return renderTable(context, block);
    case 'swagger':
    case 'openapi-operation':
    case 'openapi-schemas':
    case 'openapi-webhook':
      return renderApiBlock(context, block);
    case 'reusable-content':
      return renderIncluded(context, block);
    case 'integration':
      return renderIntegration(context, block);
    case 'tag':
      return renderTag(context, block);
    case 'if':
    case 'tabs-item':
    case 'stepper-step':
    case 'column':
    case 'update':
      return renderBlocks(context, block.nodes);
    case 'comment':
      return EMPTY;
    default:
      return element('p', {}, text(textWithin(block)));
  }
}

function renderParagraph(context: RenderContext, block: BlockOf<'paragraph'>): Html {
  const { align, problem } = block.data;
  if (problem) {
    const source = rawSource(block) ?? '';
    context.page.characters += source.length;
    return element(
      'div',
      { class: 'verbatim' },
      element('p', { class: 'verbatim-note', role: 'note' }, text(problem.message)),
      element(
        'pre',
        { tabindex: 0, role: 'group', 'aria-label': problem.message, dir: 'auto' },
        text(source),
      ),
    );
  }
  const line = renderOperationLine(block);
  if (line) {
    return line;
  }
  const { dir, inner } = within(context, block);
  const content = inner.inlines(inner, block.nodes);
  const alignment = align === 'center' || align === 'end' ? `align-${align}` : undefined;
  return content.trim() === '' ? EMPTY : element('p', { class: alignment, dir }, content);
}

function renderList(
  context: RenderContext,
  block: BlockOf<'list-ordered' | 'list-unordered' | 'list-tasks'>,
): Html {
  const { dir, inner } = within(context, block);
  const items = block.nodes.map((item) => renderItem(inner, item));
  if (block.type === 'list-ordered') {
    const { start } = block.data;
    return element('ol', { start: start === 1 ? undefined : start, dir }, ...items);
  }
  return element('ul', { class: block.type === 'list-tasks' ? 'tasks' : undefined, dir }, ...items);
}

/** Renders a list item. A first paragraph without an element around it stays next to the mark. */
function renderItem(context: RenderContext, { data, nodes }: ListItem): Html {
  const [first, ...rest] = nodes;
  const isTight = first?.type === 'paragraph' && first.data.problem === undefined && rest.every(isList);
  const content = isTight
    ? join([context.inlines(context, first.nodes), renderBlocks(context, rest)])
    : renderBlocks(context, nodes);
  if (data.checked === undefined) {
    return element('li', {}, content);
  }
  return element(
    'li',
    { class: 'task' },
    checkbox(context, data.checked),
    element('div', { class: 'task-body' }, content),
  );
}

const isList = ({ type }: AnyBlock): boolean =>
  type === 'list-ordered' || type === 'list-unordered' || type === 'list-tasks';

function renderIncluded(context: RenderContext, { data }: BlockOf<'reusable-content'>): Html {
  const target = targetOf(context, data.ref);
  const content = context.page.options.included?.get(target.included ?? '');
  if (!content || context.includedDepth >= MAX_INCLUDED_DEPTH) {
    return EMPTY;
  }
  const inner = { ...context, targets: content.targets, includedDepth: context.includedDepth + 1 };
  return renderBlocks(inner, content.nodes);
}

/** Renders a tag that the contract does not define: its values, then its content. */
function renderTag(context: RenderContext, block: BlockOf<'tag'>): Html {
  const values = textOfTag(block.data);
  const line = values === '' ? EMPTY : element('p', { class: 'placeholder' }, text(values));
  return join([line, renderBlocks(context, block.nodes)]);
}
