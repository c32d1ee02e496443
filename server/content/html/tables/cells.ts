/** Reads the cells of tables, and cards. */
import type { AnyBlock, Block, InlineNode, Reference, Table, TableColumn } from '../../markdown/document.ts';
import { visibleText } from '../../markdown/slug.ts';

type Row = Table['data']['records'][string];

/** A row that is shown as a card. */
export interface Card {
  target: Reference | undefined;
  cover: Reference | undefined;
  coverDark: Reference | undefined;
  /** Columns with contents. The first column is the title. */
  shown: TableColumn[];
}

/** Returns the card of a row: hidden columns, and those of its target and covers, are not among its contents. */
export function cardOf(columns: readonly TableColumn[], { values }: Row): Card {
  const refOfRole = (role: TableColumn['card']): Reference | undefined => {
    const column = columns.find(({ card }) => card === role);
    return column && firstRef(values[column.id] ?? []);
  };
  return {
    target: refOfRole('target'),
    cover: refOfRole('cover'),
    coverDark: refOfRole('cover-dark'),
    shown: columns.filter(({ hidden, card, id }) => hidden !== true && card === undefined && values[id]),
  };
}

/** Returns the text of a cell. */
export const plainText = (blocks: readonly Block[]): string =>
  blocks
    .map((block) => visibleText(inlinesOf(block)))
    .join('')
    .trim();

export const inlinesOf = (block: Block): readonly InlineNode[] =>
  block.type === 'paragraph' ? block.nodes : [];

/** Returns the options that a cell names, with their texts. */
export const optionIds = (blocks: readonly Block[]): Array<{ id: string; label: string }> =>
  blocks
    .flatMap(inlinesOf)
    .flatMap((node) =>
      node.object === 'inline' && node.type === 'span' && node.data.option !== undefined
        ? [{ id: node.data.option, label: visibleText(node.nodes) }]
        : [],
    );

/** Returns the first reference in the blocks of a cell. */
export function firstRef(blocks: readonly AnyBlock[]): Reference | undefined {
  for (const block of blocks) {
    if ('ref' in block.data && block.data.ref) {
      return block.data.ref;
    }
    if (block.type === 'images') {
      return firstRef(block.nodes);
    }
    const inner = block.type === 'paragraph' ? firstInlineRef(block.nodes) : undefined;
    if (inner) {
      return inner;
    }
  }
  return undefined;
}

function firstInlineRef(nodes: readonly InlineNode[]): Reference | undefined {
  for (const node of nodes) {
    if (node.object === 'inline') {
      const ref = 'ref' in node.data ? node.data.ref : firstInlineRef(node.nodes);
      if (ref) {
        return ref;
      }
    }
  }
  return undefined;
}
