/** The values of table cells, which columns of other types than text have besides their blocks. */
import type { components } from '../../../generated/schema.d.ts';
import { writeRef } from '../links/address.ts';
import {
  type AnyBlock,
  addressLabel,
  type Block,
  type InlineNode,
  paragraph,
  parent,
  plainText,
  type Reference,
  voidBlock,
  voidInline,
} from '../markdown/document.ts';
import { visibleText } from '../markdown/slug.ts';

type Schemas = components['schemas'];

/** Value of a cell. */
export type CellValue = NonNullable<Schemas['DocumentTableValue']>;
/** Type of a column. */
export type ColumnType = Schemas['DocumentTableColumn']['type'];

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/**
 * Returns the value of a cell; undefined if its blocks are not a value of the type.
 *
 * @param refOf returns the reference of the contract
 * @param max highest rating
 */
export function valueOfCell(
  type: ColumnType,
  blocks: readonly Block[],
  refOf: (ref: Reference) => Reference,
  max: number,
): CellValue | undefined {
  switch (type) {
    case 'text':
      return undefined;
    case 'number':
      return numberOf(blocks);
    case 'rating': {
      const rating = numberOf(blocks);
      return rating !== undefined && rating >= 0 && rating <= max ? Math.round(rating) : undefined;
    }
    case 'checkbox': {
      const text = textOfCell(blocks);
      return text === 'true' ? true : text === 'false' ? false : undefined;
    }
    case 'select': {
      const options = blocks.flatMap((block) => (block.type === 'paragraph' ? optionsIn(block.nodes) : []));
      return options.length > 0 ? options : undefined;
    }
    case 'users': {
      const users = refsIn(blocks).flatMap(({ ref }) => {
        const user = refOf(ref);
        return user.kind === 'user' ? [user.user] : [];
      });
      return users.length > 0 ? users : undefined;
    }
    case 'files': {
      const refs = refsIn(blocks).map(({ ref }) => refOf(ref));
      const files = refs.flatMap((ref) => (ref.kind === 'file' ? [ref.file] : []));
      return files.length > 0 ? files : refs.find(({ kind }) => kind === 'url');
    }
    case 'content-ref': {
      const [first] = refsIn(blocks);
      return first && refOf(first.ref);
    }
    case 'image': {
      for (const { ref, alt } of refsIn(blocks)) {
        const image = refOf(ref);
        if (image.kind === 'file' || image.kind === 'url') {
          return alt ? { ref: image, alt } : image;
        }
      }
      return undefined;
    }
  }
}

function numberOf(blocks: readonly Block[]): number | undefined {
  const text = textOfCell(blocks);
  return NUMBER.test(text) ? Number(text) : undefined;
}

const textOfCell = (blocks: readonly Block[]): string =>
  blocks
    .map((block) => (block.type === 'paragraph' ? visibleText(block.nodes) : ''))
    .join('')
    .trim();

const optionsIn = (nodes: readonly InlineNode[]): string[] =>
  nodes.flatMap((node) => {
    if (node.object === 'text') {
      return [];
    }
    return node.type === 'span' && node.data.option !== undefined
      ? [node.data.option]
      : optionsIn(node.nodes);
  });

/** A reference in a cell; that of an image can have an alternative text. */
interface CellRef {
  ref: Reference;
  alt?: string | undefined;
}

/** Lists the references of a cell, in order. */
function refsIn(blocks: readonly AnyBlock[]): CellRef[] {
  return blocks.flatMap((block): CellRef[] => {
    if (block.type === 'images') {
      return block.nodes.map(({ data: { ref, alt } }) => ({ ref, alt }));
    }
    if (block.type === 'paragraph') {
      return inlineRefs(block.nodes);
    }
    return 'ref' in block.data && block.data.ref ? [{ ref: block.data.ref }] : [];
  });
}

const inlineRefs = (nodes: readonly InlineNode[]): CellRef[] =>
  nodes.flatMap((node): CellRef[] => {
    if (node.object === 'text') {
      return [];
    }
    return 'ref' in node.data && node.data.ref ? [{ ref: node.data.ref }] : inlineRefs(node.nodes);
  });

/** Returns the blocks of a cell with a value other than the name of a fragment. */
export function blocksOfValue(
  type: ColumnType,
  value: CellValue,
  labels: ReadonlyMap<string, string>,
): Block[] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value === '' ? [] : [paragraph([plainText(String(value))])];
  }
  if (Array.isArray(value)) {
    const nodes = value.flatMap((id, at) => [
      ...(at > 0 ? [plainText(' ')] : []),
      inlineOfId(type, id, labels.get(id) ?? id),
    ]);
    return nodes.length > 0 ? [paragraph(nodes)] : [];
  }
  if ('kind' in value) {
    return [paragraph([linkTo(value)])];
  }
  if (value.alt === undefined) {
    return [paragraph([linkTo(value.ref)])];
  }
  return [parent('images', {}, [voidBlock('image', { ref: value.ref, alt: value.alt })])];
}

function inlineOfId(type: ColumnType, id: string, label: string): InlineNode {
  switch (type) {
    case 'select':
      return {
        object: 'inline',
        type: 'span',
        isVoid: false,
        data: { option: id },
        nodes: [plainText(label)],
      };
    case 'users':
      return voidInline('mention', { ref: { kind: 'user', user: id } });
    case 'files':
      return linkTo({ kind: 'file', file: id });
    default:
      return plainText(id);
  }
}

function linkTo(ref: Reference): InlineNode {
  const nodes = [plainText(addressLabel(writeRef(ref)))];
  return { object: 'inline', type: 'link', isVoid: false, data: { ref }, nodes };
}
