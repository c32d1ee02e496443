/** Lists what has an anchor on a page, in the displayed order. */
import type { AnyBlock, BlockOf, InlineNode, Reference } from '../document.ts';
import type { HeadingType } from '../headings.ts';
import { blocksOf } from '../nodes.ts';
import { visibleText } from '../slug.ts';

/** A block with an anchor that is derived from a title, unless it has an ID of its own. */
export interface AnchoredBlock {
  block: AnyBlock;
  id: string | undefined;
  title: string;
}

export interface Anchored {
  headings: AnchoredBlock[];
  /** Blocks other than headings. */
  others: AnchoredBlock[];
  /** IDs of elements. */
  elements: string[];
}

/** Returns the blocks that replace a reference to a reusable content, and how its own references are replaced. */
export type IncludeBlocks = (
  ref: Reference,
) => { nodes: readonly AnyBlock[]; include: IncludeBlocks } | undefined;

/** Maximum number of blocks that are searched for anchors. */
const MAX_SEARCHED_BLOCKS = 100_000;

/** Lists what has an anchor in blocks, and in what they include. */
export function anchoredIn(blocks: readonly AnyBlock[], include: IncludeBlocks | undefined): Anchored {
  const found: Anchored = { headings: [], others: [], elements: [] };
  let remaining = MAX_SEARCHED_BLOCKS;
  const add = (list: AnchoredBlock[], block: AnyBlock, title: string, id?: string) =>
    list.push({ block, id, title });
  const visitInlines = (nodes: readonly InlineNode[], current: IncludeBlocks | undefined): void => {
    for (const node of nodes) {
      if (node.object === 'text') {
        continue;
      }
      const id = idOfInline(node);
      if (id !== undefined) {
        found.elements.push(id);
      }
      if (node.type === 'annotation') {
        visit(node.data.body, current);
      }
      visitInlines(node.nodes, current);
    }
  };
  const visit = (nodes: readonly AnyBlock[], current: IncludeBlocks | undefined): void => {
    for (const block of nodes) {
      remaining -= 1;
      if (remaining < 0) {
        return;
      }
      const id = idOfBlock(block);
      if (id !== undefined) {
        found.elements.push(id);
      }
      switch (block.type) {
        case 'heading-1':
        case 'heading-2':
        case 'heading-3':
          add(found.headings, block, visibleText(block.nodes), block.data.id);
          visitInlines(block.nodes, current);
          break;
        case 'paragraph':
          visitInlines(block.nodes, current);
          break;
        case 'code':
          for (const line of block.nodes) {
            visitInlines(line.nodes, current);
          }
          break;
        case 'expandable':
          add(found.others, block, visibleText(block.data.title), block.data.id);
          visitInlines(block.data.title, current);
          visit(block.data.body, current);
          break;
        case 'tabs-item':
          add(found.others, block, block.data.title);
          visit(block.nodes, current);
          break;
        case 'swagger':
        case 'openapi-operation':
        case 'openapi-webhook':
          add(found.others, block, operationTitle(block));
          break;
        case 'table':
          for (const part of shownCells(block)) {
            if ('title' in part) {
              visitInlines(part.title, current);
            } else {
              visit(part.cell, current);
            }
          }
          break;
        case 'reusable-content': {
          const content = current?.(block.data.ref);
          if (content) {
            visit(content.nodes, content.include);
          }
          break;
        }
        default:
          visit(blocksOf(block) ?? [], current);
      }
    }
  };
  visit(blocks, include);
  return found;
}

/** Returns the ID of an inline element. */
export function idOfInline(node: Exclude<InlineNode, { object: 'text' }>): string | undefined {
  return node.type === 'anchor' ? node.data.id : node.type === 'span' ? idOf(node.data) : undefined;
}

/** Returns the ID that an attribute of a block sets. */
export const idOfBlock = ({ type, data }: AnyBlock): string | undefined =>
  NESTED.has(type) ? undefined : idOf(data);

/** Blocks that are not shown as elements of their own. */
const NESTED: ReadonlySet<AnyBlock['type']> = new Set<AnyBlock['type']>([
  'image',
  'tabs-item',
  'stepper-step',
  'column',
  'update',
]);

function idOf(data: { attributes?: Record<string, string> } | object): string | undefined {
  const attributes = 'attributes' in data ? data.attributes : undefined;
  return (attributes && Object.hasOwn(attributes, 'id') && attributes.id) || undefined;
}

/** Returns the text that hosts derive the anchor of an operation from. */
export function operationTitle({
  data,
}: BlockOf<'swagger' | 'openapi-operation' | 'openapi-webhook'>): string {
  const path = 'path' in data ? data.path : 'name' in data ? data.name : undefined;
  return [data.method?.toUpperCase(), path].filter(Boolean).join(' ');
}

/** Lists the titles of columns and the cells of a table that are shown, row by row. */
function* shownCells({
  data,
}: BlockOf<'table'>): Generator<{ title: readonly InlineNode[] } | { cell: readonly AnyBlock[] }> {
  const { view, definition, records } = data;
  const columns = view.columns.flatMap((id) => {
    const column = Object.hasOwn(definition, id) ? definition[id] : undefined;
    const isShown = column && column.hidden !== true && (view.type !== 'cards' || column.card === undefined);
    return isShown ? [column] : [];
  });
  // A row of empty titles is not shown.
  const hasTitles = columns.some(({ title }) => visibleText(title).trim() !== '');
  if (view.type === 'grid' && view.hideHeader !== true && hasTitles) {
    for (const { title } of columns) {
      yield { title };
    }
  }
  const rows = Object.values(records).sort((a, b) => (a.orderIndex < b.orderIndex ? -1 : 1));
  for (const { values } of rows) {
    for (const { id } of columns) {
      const cell = Object.hasOwn(values, id) ? values[id] : undefined;
      if (cell) {
        yield { cell };
      }
    }
  }
}

/** Whether a block is a heading. */
export const isHeading = (block: AnyBlock): block is BlockOf<HeadingType> =>
  block.type === 'heading-1' || block.type === 'heading-2' || block.type === 'heading-3';
