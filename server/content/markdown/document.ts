/** The block document, and functions that create its nodes. */

import type { AnyBlock, Block, Code, Inline, InlineNode, Leaf, Reference, Text } from './node-types.ts';
import { trimEndOf } from './text-ends.ts';

export type * from './node-types.ts';

/** Block of a type. */
export type BlockOf<Type extends AnyBlock['type']> = Extract<AnyBlock, { type: Type }>;

type WithNodes = Exclude<AnyBlock, { isVoid: true }>;
type Void = Extract<AnyBlock, { isVoid: true }>;
type ExtractType<All, Type> = All extends { type: infer T } ? (Type extends T ? All : never) : never;

/** Creates a block with nodes. */
export function parent<Type extends WithNodes['type']>(
  type: Type,
  data: ExtractType<WithNodes, Type>['data'],
  nodes: ExtractType<WithNodes, Type>['nodes'],
): ExtractType<WithNodes, Type> {
  // TypeScript cannot infer that the parts of one member of the union form this member again.
  return { object: 'block', type, isVoid: false, data, nodes } as unknown as ExtractType<WithNodes, Type>;
}

/** Creates a block without nodes. */
export function voidBlock<Type extends Void['type']>(
  type: Type,
  data: ExtractType<Void, Type>['data'],
): ExtractType<Void, Type> {
  // As in `parent`.
  return { object: 'block', type, isVoid: true, data, nodes: [] } as unknown as ExtractType<Void, Type>;
}

type VoidInline = Extract<Inline, { isVoid: true }>;

/** Creates an inline without nodes. */
export function voidInline<Type extends VoidInline['type']>(
  type: Type,
  data: ExtractType<VoidInline, Type>['data'],
): ExtractType<VoidInline, Type> {
  // As in `parent`.
  return { object: 'inline', type, isVoid: true, data, nodes: [] } as unknown as ExtractType<
    VoidInline,
    Type
  >;
}

/** Creates a paragraph. */
export function paragraph(nodes: InlineNode[]): Block {
  return parent('paragraph', {}, nodes);
}

/** Creates a text without marks. */
export function plainText(text: string): Text {
  return { object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] };
}

/** Creates a leaf with unknown markup, as written. */
export function rawLeaf(source: string): Leaf {
  return { object: 'leaf', text: source, marks: [], raw: true };
}

/** Creates a paragraph with unknown markup, as written. */
export function rawParagraph(source: string): Block {
  return paragraph([{ object: 'text', leaves: [rawLeaf(source)] }]);
}

/** Returns the source of a paragraph created by `rawParagraph`; undefined for any other block. */
export function rawSource(block: AnyBlock): string | undefined {
  if (block.type !== 'paragraph' || block.nodes.length !== 1) {
    return undefined;
  }
  const [text] = block.nodes;
  if (text?.object !== 'text' || text.leaves.length !== 1) {
    return undefined;
  }
  return text.leaves[0]?.raw ? text.leaves[0].text : undefined;
}

/** Maximum length of the URL of a reference in the contract. */
const MAX_URL_CHARACTERS = 2048;
/** Maximum nesting depth of reusable contents that are shown. They may include themselves. */
export const MAX_INCLUDED_DEPTH = 4;

/** Formats the target of a reference. */
export type AddressOf = (ref: Reference) => string;

/** Kinds of references. */
export const REFERENCE_KINDS: ReadonlySet<unknown> = new Set<Reference['kind']>([
  'file',
  'url',
  'page',
  'anchor',
  'user',
  'collection',
  'space',
  'reusable-content',
  'openapi',
]);

/** Creates a reference to a URL; returns undefined if the contract does not allow the URL. */
export function reference(url: string): Reference | undefined {
  return url.length <= MAX_URL_CHARACTERS ? { kind: 'url', url } : undefined;
}

/** Returns whether lines of a code are highlighted, or parts of them have notes. */
export const hasMarkedLines = ({ nodes }: Code): boolean =>
  nodes.some((line) => line.data.highlighted || line.nodes.some(({ object }) => object === 'inline'));

/** Returns the text of inline nodes without marks. Nodes that are not shown as text are omitted. */
export function inlineText(nodes: readonly InlineNode[]): string {
  let text = '';
  for (const node of nodes) {
    if (node.object === 'text') {
      for (const leaf of node.leaves) {
        text += leaf.text;
      }
    } else {
      text += inlineText(node.nodes);
    }
  }
  return text;
}

/** Returns the default label of a URL: its last path segment. */
export function addressLabel(url: string): string {
  const path = trimEndOf(url.replace(/[?#].*$/s, ''), '/');
  return path.slice(path.lastIndexOf('/') + 1) || url;
}

/** Title of the links that are mentions: readers see the title of the target instead of the text of the link. */
export const MENTION_TITLE = 'mention';

const SCHEME = /^[a-z][a-z\d+.-]*:/i;

/** Returns the default text of a mention: its anchor, the whole URL, or the last segment of a path. */
export function mentionLabel(url: string): string {
  const at = url.indexOf('#');
  return at >= 0 && at < url.length - 1
    ? url.slice(at)
    : SCHEME.test(url) || url.startsWith('//')
      ? url
      : addressLabel(url);
}

/** Returns the text of a mention in Markdown, which readers see if its target has no title. */
export const textOfMention = ({ ref, label }: Extract<Inline, { type: 'mention' }>['data']): string =>
  label || (ref.kind === 'url' ? mentionLabel(ref.url) : '');

/** Removes undefined entries. */
export function defined<T extends object>(entries: { [K in keyof T]: T[K] | undefined }): T {
  const result = Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
  // The result has exactly the entries of T that are set; required entries are never undefined.
  return result as T;
}
