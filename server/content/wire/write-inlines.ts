/** Converts inline nodes to those of the contract. */
import type { components } from '../../../generated/schema.d.ts';
import {
  type Annotation,
  type Block,
  defined,
  type Inline,
  type InlineNode,
  type Leaf,
  type Reference,
  type Text,
} from '../markdown/document.ts';
import { attributeValue, colorOf, emojiCode, oneOf, TEXT } from './properties.ts';

type Schemas = components['schemas'];

/** Services that converting inline nodes requires. */
export interface InlineWriter {
  /** Returns a reference to a resource instead of one to a URL that leads to it. */
  ref(ref: Reference): Reference;
  /** Returns a reference to a file instead of one to a URL that leads to it. */
  fileRef(ref: Reference): Schemas['DocumentFileOrUrlRef'];
  /** Converts at least one block. */
  someBlocks(blocks: readonly Block[]): Schemas['DocumentBlock'][];
}

/** Converts inline nodes. */
export const writeInlines = (
  nodes: readonly InlineNode[],
  writer: InlineWriter,
): Schemas['DocumentInlineNode'][] =>
  nodes.map((node) => (node.object === 'text' ? writeText(node) : writeInline(node, writer)));

/** Converts a text, with an additional mark around all other ones. */
export function writeText({ leaves }: Text, outer?: Schemas['DocumentMark']): Schemas['DocumentText'] {
  return { object: 'text', leaves: leaves.map((leaf) => writeLeaf(leaf, outer)) };
}

function writeLeaf(
  { text, marks, raw }: Leaf,
  outer: Schemas['DocumentMark'] | undefined,
): Schemas['DocumentLeaf'] {
  const written = marks.map(writeMark);
  return {
    object: 'leaf',
    text,
    marks: outer ? [outer, ...written] : written,
    ...(raw && { raw }),
  };
}

function writeMark(mark: Leaf['marks'][number]): Schemas['DocumentMark'] {
  if (mark.type !== 'color') {
    return mark;
  }
  const text = colorOf(mark.data.text);
  const background = colorOf(mark.data.background);
  const css =
    text.css === undefined && background.css === undefined
      ? undefined
      : defined<Schemas['DocumentCssColors']>({ text: text.css, background: background.css });
  const data = { text: text.color, background: background.color };
  return { object: 'mark', type: 'color', data: css ? { ...data, css } : data };
}

/** Sizes of buttons. */
export const BUTTON_SIZE = oneOf('small', 'medium', 'large');
/** Actions of buttons. */
export const BUTTON_ACTION = oneOf('search', 'ask', 'select');

function writeInline(node: Inline, writer: InlineWriter): Schemas['DocumentInlineNode'] {
  const object = 'inline';
  switch (node.type) {
    case 'link': {
      const { ref, title } = node.data;
      const data = defined<Schemas['DocumentLinkInlineData']>({ ref: writer.ref(ref), title });
      return { object, type: node.type, isVoid: false, data, nodes: writeInlines(node.nodes, writer) };
    }
    case 'emoji': {
      const { code } = node.data;
      return { object, type: node.type, isVoid: true, data: { code: emojiCode(code), name: code } };
    }
    case 'icon': {
      const { icon, color } = node.data;
      const { color: named, css } = colorOf(color);
      const data = { icon, color: named === 'default' ? undefined : named, css };
      return {
        object,
        type: node.type,
        isVoid: true,
        data: defined<Schemas['DocumentIconInlineData']>(data),
      };
    }
    case 'inline-image': {
      const { ref, refDark, ...data } = node.data;
      const dark = refDark && { refDark: writer.fileRef(refDark) };
      return { object, type: node.type, isVoid: true, data: { ref: writer.fileRef(ref), ...dark, ...data } };
    }
    case 'annotation':
      return writeAnnotation(node, writer);
    case 'mention':
      return {
        object,
        type: node.type,
        isVoid: true,
        data: { ...node.data, ref: writer.ref(node.data.ref) },
      };
    case 'button': {
      const { ref, ...data } = node.data;
      const size = attributeValue(BUTTON_SIZE, 'data-size', data.attributes);
      const action = ref ? undefined : actionOf(data.attributes);
      return {
        object,
        type: node.type,
        isVoid: true,
        data: {
          ...(ref && { ref: writer.ref(ref) }),
          ...(action && { action }),
          ...(size && { size }),
          ...data,
        },
      };
    }
    case 'span': {
      const { data, nodes } = node;
      const [only, ...others] = nodes;
      if (only?.object === 'text' && others.length === 0 && only.leaves.length > 0) {
        return writeText(only, { object: 'mark', type: 'span', data });
      }
      return { object, type: node.type, isVoid: false, data, nodes: writeInlines(nodes, writer) };
    }
    case 'expression':
      return { object, type: node.type, isVoid: true, data: node.data };
    case 'inline-math':
      return { object, type: node.type, isVoid: true, data: node.data };
    case 'anchor':
      return { object, type: node.type, isVoid: true, data: node.data };
    case 'comment':
      return { object, type: node.type, isVoid: true, data: node.data };
    case 'tag':
      return { object, type: node.type, isVoid: true, data: node.data };
  }
}

function actionOf(
  attributes: Record<string, string> | undefined,
): Schemas['DocumentButtonAction'] | undefined {
  const action = attributeValue(BUTTON_ACTION, 'data-action', attributes);
  if (action === undefined) {
    return undefined;
  }
  if (action === 'select') {
    const slug = attributeValue(TEXT, 'data-slug', attributes);
    return slug === undefined ? undefined : { action, slug };
  }
  const query = attributeValue(TEXT, 'data-query', attributes);
  return { action, ...(query !== undefined && { query }) };
}

/** Converts a text with a note. */
export function writeAnnotation(node: Annotation, writer: InlineWriter): Schemas['DocumentAnnotationInline'] {
  const fragment = 'annotation-body';
  const nodes = writer.someBlocks(node.data.body);
  return {
    object: 'inline',
    type: node.type,
    isVoid: false,
    data: {},
    nodes: writeInlines(node.nodes, writer),
    fragments: [{ object: 'fragment', fragment, type: fragment, nodes }],
  };
}
