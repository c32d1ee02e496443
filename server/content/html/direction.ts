/** The direction of blocks: that of their first letter, as for `dir="auto"`, but inherited by the blocks in them. */
import type { AnyBlock, BlockOf, InlineNode } from '../markdown/document.ts';
import type { RenderContext } from './context.ts';
import type { Direction } from './options.ts';

/** Letters of right-to-left scripts. */
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const LETTER = /\p{L}/u;

/** Returns the direction of the first letter of a text; undefined without letters. */
export function directionOf(text: string): Direction | undefined {
  const letter = LETTER.exec(text)?.[0];
  return letter === undefined ? undefined : RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}

/** Returns the direction of a language. */
export function directionOfLanguage(language: string): Direction {
  try {
    const { script } = new Intl.Locale(language).maximize();
    return /^(?:Adlm|Arab|Hebr|Nkoo|Rohg|Syrc|Thaa)$/.test(script ?? '') ? 'rtl' : 'ltr';
  } catch {
    return 'ltr';
  }
}

function directionOfInlines(nodes: readonly InlineNode[]): Direction | undefined {
  for (const node of nodes) {
    if (node.object === 'text') {
      for (const { text, marks } of node.leaves) {
        const isCode = marks.some(({ type }) => type === 'code');
        const direction = isCode ? undefined : directionOf(text);
        if (direction) {
          return direction;
        }
      }
    } else {
      const direction = directionOfInlines(node.nodes) ?? ownDirection(node.data);
      if (direction) {
        return direction;
      }
    }
  }
  return undefined;
}

const ownDirection = (data: object): Direction | undefined =>
  'label' in data && typeof data.label === 'string' ? directionOf(data.label) : undefined;

/** Maximum number of levels that are searched for a letter. */
const MAX_SEARCHED_LEVELS = 6;

function directionOfBlock(block: AnyBlock, levels: number): Direction | undefined {
  if (levels === 0 || block.type === 'code' || block.type === 'code-line') {
    return undefined;
  }
  if (block.type === 'expandable') {
    return directionOfInlines(block.data.title) ?? directionOfBlocks(block.data.body, levels - 1);
  }
  if (block.type === 'tabs-item') {
    return directionOf(block.data.title) ?? directionOfBlocks(block.nodes, levels - 1);
  }
  if (block.type === 'table') {
    return directionOfTable(block);
  }
  if (block.type === 'paragraph' || 'id' in block.data || block.type.startsWith('heading')) {
    // Blocks of these types contain inline nodes.
    return directionOfInlines(block.nodes as readonly InlineNode[]);
  }
  return directionOfBlocks(block.nodes as readonly AnyBlock[], levels - 1);
}

function directionOfTable({ data }: BlockOf<'table'>): Direction | undefined {
  for (const id of data.view.columns) {
    const direction = directionOfInlines(data.definition[id]?.title ?? []);
    if (direction) {
      return direction;
    }
  }
  const [row] = Object.values(data.records);
  return row && directionOfBlocks(Object.values(row.values).flat(), 2);
}

function directionOfBlocks(blocks: readonly AnyBlock[], levels: number): Direction | undefined {
  for (const block of blocks) {
    const direction = directionOfBlock(block, levels);
    if (direction) {
      return direction;
    }
  }
  return undefined;
}

/** Returns the direction of a block: that of its first letter; undefined without letters, and for code. */
export const directionOfFirstLetter = (block: AnyBlock): Direction | undefined =>
  directionOfBlock(block, MAX_SEARCHED_LEVELS);

/**
 * Returns the attribute of a block if its direction differs from the surrounding text, and the context within the
 * block.
 */
export function within(
  context: RenderContext,
  block: AnyBlock,
): { dir: Direction | undefined; inner: RenderContext } {
  const direction = directionOfFirstLetter(block) ?? context.direction;
  return direction === context.direction
    ? { dir: undefined, inner: context }
    : { dir: direction, inner: { ...context, direction } };
}
