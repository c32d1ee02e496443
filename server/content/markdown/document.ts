/**
 * The block document in the contract's own types, and the few functions that build its nodes.
 */
import type { components } from '../../../generated/schema.d.ts';

type Schemas = components['schemas'];

export type Document = Schemas['Document'];
export type Block = Schemas['DocumentBlock'];
export type InlineNode = Schemas['DocumentInlineNode'];
export type Inline = Schemas['DocumentInline'];
export type Text = Schemas['DocumentText'];
export type Leaf = Schemas['DocumentLeaf'];
export type Mark = Schemas['DocumentMark'];
export type Alignment = Schemas['DocumentAlignment'];
export type Reference = Schemas['ContentRef'];
export type ListItem = Schemas['DocumentListItemBlock'];
export type Image = Schemas['DocumentImageBlock'];
export type Table = Schemas['DocumentTableBlock'];
export type TableColumn = Schemas['DocumentTableColumn'];
export type Code = Schemas['DocumentCodeBlock'];
export type CodeLine = Schemas['DocumentCodeLineBlock'];
/** Why markdown is kept verbatim instead of being read into blocks. */
export type ProblemReason = Schemas['DocumentProblemReason'];

/** A block that stands inside one kind of parent only. */
export type NestedBlock =
  | ListItem
  | CodeLine
  | Image
  | Schemas['DocumentTabsItemBlock']
  | Schemas['DocumentStepBlock']
  | Schemas['DocumentColumnBlock']
  | Schemas['DocumentUpdateBlock'];

/** Any block of a document. */
export type AnyBlock = Block | NestedBlock;

type WithNodes = Exclude<AnyBlock, { isVoid: true }>;
type Void = Extract<AnyBlock, { isVoid: true }>;
type Of<All, Type> = All extends { type: infer T } ? (Type extends T ? All : never) : never;

/** A block that holds nodes. */
export function parent<Type extends WithNodes['type']>(
  type: Type,
  data: Of<WithNodes, Type>['data'],
  nodes: Of<WithNodes, Type>['nodes'],
): Of<WithNodes, Type> {
  // The compiler does not follow that the parts of one member of the union make that member again.
  return { object: 'block', type, isVoid: false, data, nodes } as unknown as Of<WithNodes, Type>;
}

/** A block that holds no nodes. */
export function voidBlock<Type extends Void['type']>(
  type: Type,
  data: Of<Void, Type>['data'],
): Of<Void, Type> {
  // As in `parent`.
  return { object: 'block', type, isVoid: true, data, nodes: [] } as unknown as Of<Void, Type>;
}

type VoidInline = Extract<Inline, { isVoid: true }>;

/** An inline that holds no nodes. */
export function voidInline<Type extends VoidInline['type']>(
  type: Type,
  data: Of<VoidInline, Type>['data'],
): Of<VoidInline, Type> {
  // As in `parent`.
  return { object: 'inline', type, isVoid: true, data, nodes: [] } as unknown as Of<VoidInline, Type>;
}

/** A paragraph. */
export function paragraph(nodes: InlineNode[]): Block {
  return parent('paragraph', {}, nodes);
}

/** A text without marks. */
export function plainText(text: string): Text {
  return { object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] };
}

/** Markup that the platform does not know, as it was written. */
export function rawLeaf(source: string): Leaf {
  return { object: 'leaf', text: source, marks: [], raw: true };
}

/** A paragraph of markup that the platform does not know, as it was written. */
export function rawParagraph(source: string): Block {
  return paragraph([{ object: 'text', leaves: [rawLeaf(source)] }]);
}

/** The source of a paragraph that `rawParagraph` made; undefined for any other block. */
export function rawSource(block: AnyBlock): string | undefined {
  if (block.type !== 'paragraph' || block.nodes.length !== 1) return undefined;
  const [text] = block.nodes;
  if (text?.object !== 'text' || text.leaves.length !== 1) return undefined;
  return text.leaves[0]?.raw ? text.leaves[0].text : undefined;
}

/** The longest address that the contract lets a reference hold. */
const LONGEST_ADDRESS = 2048;

/** A reference by address; undefined for an address that the contract does not let through. */
export function reference(url: string): Reference | undefined {
  return url.length <= LONGEST_ADDRESS ? { kind: 'url', url } : undefined;
}

/** The text of inline nodes, without marks; what shows nothing as text gives nothing. */
export function textOf(nodes: readonly InlineNode[]): string {
  let text = '';
  for (const node of nodes) {
    if (node.object === 'text') for (const leaf of node.leaves) text += leaf.text;
    else text += textOf(node.nodes);
  }
  return text;
}

/** The text that stands for an address where a page gives no better: its last segment. */
export function addressLabel(url: string): string {
  const path = url.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  return path.slice(path.lastIndexOf('/') + 1) || url;
}

/** Leaves out the entries that are undefined. */
export function defined<T extends object>(entries: { [K in keyof T]: T[K] | undefined }): T {
  const kept = Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
  // What is left has exactly the entries of T that are set; T's required ones are never undefined.
  return kept as T;
}
