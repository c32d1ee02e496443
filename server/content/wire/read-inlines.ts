/** Converts inline nodes of the contract. The inverse of `write-inlines.ts`. */
import type { components } from '../../../generated/schema.d.ts';
import {
  type Block,
  defined,
  type Inline,
  type InlineNode,
  type Leaf,
  plainText,
  type Text,
} from '../markdown/document.ts';
import { findEmoji, isEmojiName } from '../markdown/icons.ts';
import {
  type Attributes,
  emojiCode,
  emojiName,
  setAttribute,
  TEXT,
  unlessEmpty,
  writtenColor,
} from './properties.ts';
import { BUTTON_ACTION, BUTTON_SIZE } from './write-inlines.ts';

type Schemas = components['schemas'];
type InlineOf<Type extends Inline['type']> = Extract<Inline, { type: Type }>;

/** Converts the blocks of a note. */
export type ReadBlocks = (blocks: readonly Schemas['DocumentBlock'][]) => Block[];

/** Converts inline nodes. */
export const readInlines = (
  nodes: readonly Schemas['DocumentInlineNode'][],
  readBlocks: ReadBlocks,
): InlineNode[] =>
  nodes.flatMap((node) => (node.object === 'text' ? readText(node) : [readInline(node, readBlocks)]));

/** Converts a text. Leaves with the mark of a span become one. */
function readText({ leaves }: Schemas['DocumentText']): InlineNode[] {
  const nodes: InlineNode[] = [];
  let attributes: string | undefined;
  let into: Text | undefined;
  for (const leaf of leaves) {
    const span = leaf.marks.find((mark) => mark.type === 'span');
    const written = span && JSON.stringify(span.data);
    if (into === undefined || written !== attributes) {
      into = { object: 'text', leaves: [] };
      attributes = written;
      nodes.push(
        span ? { object: 'inline', type: 'span', isVoid: false, data: span.data, nodes: [into] } : into,
      );
    }
    into.leaves.push(readLeaf(leaf));
  }
  return leaves.length === 0 ? [{ object: 'text', leaves: [] }] : nodes;
}

/** Converts a part of a text. */
export function readLeaf({ text, marks, raw }: Schemas['DocumentLeaf']): Leaf {
  const read = marks.flatMap((mark): Leaf['marks'] => {
    if (mark.type === 'span') {
      return [];
    }
    if (mark.type !== 'color') {
      return [mark];
    }
    const { text, background, css } = mark.data;
    const data = defined<{ text?: string; background?: string }>({
      text: writtenColor(text, css?.text),
      background: writtenColor(background, css?.background),
    });
    return Object.keys(data).length > 0 ? [{ object: 'mark', type: 'color', data }] : [];
  });
  return { object: 'leaf', text, marks: read, ...(raw && { raw }) };
}

function readInline(node: Schemas['DocumentInline'], readBlocks: ReadBlocks): InlineNode {
  const object = 'inline';
  const nodes: InlineNode[] = [];
  switch (node.type) {
    case 'link':
      return {
        object,
        type: node.type,
        isVoid: false,
        data: node.data,
        nodes: readInlines(node.nodes, readBlocks),
      };
    case 'span':
      return {
        object,
        type: node.type,
        isVoid: false,
        data: node.data,
        nodes: readInlines(node.nodes, readBlocks),
      };
    case 'annotation': {
      const body = readBlocks(node.fragments[0]?.nodes ?? []);
      return {
        object,
        type: node.type,
        isVoid: false,
        data: { body },
        nodes: readInlines(node.nodes, readBlocks),
      };
    }
    case 'emoji':
      return readEmoji(node.data);
    case 'icon': {
      const { icon, color, css } = node.data;
      const data = defined<InlineOf<'icon'>['data']>({ icon, color: writtenColor(color, css) });
      return { object, type: node.type, isVoid: true, data, nodes };
    }
    case 'button': {
      const { size, action, ...data } = node.data;
      const attributes: Attributes = { ...data.attributes };
      setAttribute(BUTTON_SIZE, 'data-size', size, attributes);
      setAttribute(BUTTON_ACTION, 'data-action', action?.action, attributes);
      if (action?.action === 'select') {
        setAttribute(TEXT, 'data-slug', action.slug, attributes);
      } else {
        setAttribute(TEXT, 'data-query', action?.query, attributes);
      }
      const all = defined<InlineOf<'button'>['data']>({ ...data, attributes: unlessEmpty(attributes) });
      return { object, type: node.type, isVoid: true, data: all, nodes };
    }
    case 'inline-image': {
      const { caption, alt = caption, ...image } = node.data;
      const data = { ...image, ...(alt !== undefined && { alt }) };
      return { object, type: node.type, isVoid: true, data, nodes };
    }
    case 'mention':
      return { object, type: node.type, isVoid: true, data: node.data, nodes };
    case 'expression':
      return { object, type: node.type, isVoid: true, data: node.data, nodes };
    case 'inline-math':
      return { object, type: node.type, isVoid: true, data: node.data, nodes };
    case 'anchor':
      return { object, type: node.type, isVoid: true, data: node.data, nodes };
    case 'comment':
      return { object, type: node.type, isVoid: true, data: node.data, nodes };
    case 'tag':
      return { object, type: node.type, isVoid: true, data: node.data, nodes };
  }
}

/** Converts an emoji. Markdown has names for most; the others are text. */
function readEmoji({ code, name }: Schemas['DocumentEmojiInlineData']): InlineNode {
  const written = name !== undefined && emojiCode(name) === code ? name : emojiName(code);
  const character = findEmoji(code);
  if (written === undefined && (character !== undefined || !isEmojiName(code))) {
    return plainText(character ?? code);
  }
  return { object: 'inline', type: 'emoji', isVoid: true, data: { code: written ?? code }, nodes: [] };
}
