/**
 * The nodes of documents as the content engine reads and prints them. `wire/` converts them to the documents of the
 * contract and back.
 */
import type { components } from '../../../generated/schema.d.ts';

type Schemas = components['schemas'];

export type Reference = Schemas['DocumentRef'];
export type Alignment = Schemas['DocumentAlignment'];
/** Reason for keeping Markdown verbatim instead of reading it into blocks. */
export type ProblemReason = Schemas['DocumentProblemReason'];

/** Text as a tree of blocks. */
export interface Document {
  object: 'document';
  data: Schemas['DocumentData'];
  nodes: Block[];
}

interface BlockBase<Type extends string, Data> {
  object: 'block';
  type: Type;
  /** Derived from the content, see `withKeys`. */
  key?: string;
  data: Data;
}

interface ParentBlock<Type extends string, Data, Node> extends BlockBase<Type, Data> {
  isVoid: false;
  nodes: Node[];
}

interface VoidBlock<Type extends string, Data> extends BlockBase<Type, Data> {
  isVoid: true;
  /** Always empty. */
  nodes: Text[];
}

/** Data of a node with attributes that no other property represents, as written. */
interface Tagged {
  attributes?: Record<string, string>;
}

/** Data of a node with a caption. */
interface Captioned extends Tagged {
  caption?: InlineNode[];
}

/** Data of a block that shows a part of a specification. */
interface SpecificationData extends Tagged {
  /** Slug of the specification in the organization. */
  spec?: string;
  /** Source of the specification. */
  ref?: Reference;
}

export type ListItem = ParentBlock<'list-item', { checked?: boolean }, Block>;

export type Image = VoidBlock<
  'image',
  Captioned & { ref: Reference; refDark?: Reference; alt?: string; width?: string; height?: string }
>;

export type CodeLine = ParentBlock<'code-line', { highlighted?: boolean }, Text | Annotation>;

export type Code = ParentBlock<
  'code',
  Tagged & {
    syntax?: string;
    title?: string;
    overflow?: 'wrap' | 'scroll';
    lineNumbers?: boolean;
    fullWidth?: boolean;
  },
  CodeLine
>;

type TabsItem = ParentBlock<'tabs-item', Tagged & { title: string; icon?: string }, Block>;
type Step = ParentBlock<'stepper-step', Tagged, Block>;
type Column = ParentBlock<'column', Tagged & { width?: string }, Block>;
type Update = ParentBlock<'update', Tagged & { date?: string; tags?: string[] }, Block>;

/** Column of a table. */
export interface TableColumn extends Tagged {
  id: string;
  title: InlineNode[];
  /** As written; `text` by default. */
  type: string;
  align?: Alignment;
  /** As written. */
  width?: string;
  hidden?: boolean;
  options?: Array<{ id: string; label: string; color?: string }>;
  /** Role of the column in a card. */
  card?: 'target' | 'cover' | 'cover-dark';
}

/** Row of a table, with its cells by column. Empty cells are omitted. */
export interface TableRow {
  orderIndex: string;
  values: Record<string, Block[]>;
}

/** Data of a table. */
export interface TableData extends Tagged {
  view: {
    type: 'grid' | 'cards';
    /** IDs of all columns, in order. */
    columns: string[];
    cardSize?: 'medium' | 'large';
    hideHeader?: boolean;
  };
  definition: Record<string, TableColumn>;
  records: Record<string, TableRow>;
  fullWidth?: boolean;
}

export type Table = VoidBlock<'table', TableData>;

type Paragraph = ParentBlock<
  'paragraph',
  { align?: Alignment; problem?: Schemas['DocumentProblem'] },
  InlineNode
>;

/** Block at the top level of a document or inside another block. */
export type Block =
  | Paragraph
  | ParentBlock<'heading-1' | 'heading-2' | 'heading-3', { id?: string; align?: Alignment }, InlineNode>
  | ParentBlock<'list-ordered' | 'list-unordered' | 'list-tasks', { start?: number }, ListItem>
  | VoidBlock<'divider', Record<never, never>>
  | ParentBlock<'blockquote', Record<never, never>, Block>
  | ParentBlock<'hint', Tagged & { style: Schemas['DocumentHintBlockData']['style']; icon?: string }, Block>
  | ParentBlock<'images', { align?: Alignment; fullWidth?: boolean; withFrame?: boolean }, Image>
  | VoidBlock<'file', Captioned & { ref: Reference }>
  | VoidBlock<'drawing', Captioned & { ref: Reference }>
  | VoidBlock<'embed', Captioned & { url: string; fullWidth?: boolean }>
  | Code
  | VoidBlock<'math', { formula: string }>
  | VoidBlock<'expandable', { id?: string; title: InlineNode[]; body: Block[]; open?: boolean }>
  | ParentBlock<'tabs', Tagged & { fullWidth?: boolean }, TabsItem>
  | Table
  | VoidBlock<'swagger', Tagged & { ref?: Reference; path?: string; method?: string }>
  | VoidBlock<'openapi-operation', SpecificationData & { path?: string; method?: string }>
  | VoidBlock<'openapi-schemas', SpecificationData & { schemas?: string[]; grouped?: boolean }>
  | VoidBlock<'openapi-webhook', SpecificationData & { name?: string; method?: string }>
  | VoidBlock<'content-ref', Tagged & { ref: Reference; title?: InlineNode[] }>
  | VoidBlock<
      'integration',
      {
        integration: string;
        block: string;
        props: Record<string, string>;
        url?: string;
        action?: Schemas['DocumentUnfurlAction'];
        caption?: InlineNode[];
        fullWidth?: boolean;
      }
    >
  | VoidBlock<'reusable-content', { ref: Reference }>
  | ParentBlock<'stepper', Tagged, Step>
  | ParentBlock<'prompt', Tagged & { description?: string; icon?: string }, Block>
  | ParentBlock<'if', { expression: string }, Block>
  | ParentBlock<'columns', Tagged, Column>
  | ParentBlock<'updates', Tagged & { format?: string }, Update>
  | VoidBlock<'comment', { text: string }>
  | ParentBlock<'tag', { name: string; content?: string; paired: boolean }, Block>;

/** A block that is allowed in one kind of parent only. */
export type NestedBlock = ListItem | CodeLine | Image | TabsItem | Step | Column | Update;

/** Any block of a document. */
export type AnyBlock = Block | NestedBlock;

/** Formatting of a text. */
export type Mark =
  | Schemas['DocumentPlainMark']
  | { object: 'mark'; type: 'color'; data: { text?: string; background?: string } };

/** Part of a text with the same marks throughout. */
export interface Leaf {
  object: 'leaf';
  /** A line feed is a line break. */
  text: string;
  marks: Mark[];
  /** Whether the text is markup that is preserved verbatim. */
  raw?: true;
}

export interface Text {
  object: 'text';
  leaves: Leaf[];
}

interface InlineBase<Type extends string, Data, Void extends boolean> {
  object: 'inline';
  type: Type;
  isVoid: Void;
  data: Data;
  /** Empty if `isVoid`. */
  nodes: InlineNode[];
}

/** Text with a note. */
export type Annotation = InlineBase<'annotation', { body: Block[] }, false>;

/** Inline node other than text. */
export type Inline =
  | InlineBase<'link', { ref: Reference; title?: string }, false>
  | InlineBase<'emoji', { code: string }, true>
  | InlineBase<'icon', { icon: string; color?: string }, true>
  | InlineBase<'expression', { expression: string }, true>
  | InlineBase<'inline-math', { formula: string }, true>
  | InlineBase<
      'inline-image',
      Tagged & {
        ref: Reference;
        refDark?: Reference;
        alt?: string;
        title?: string;
        size?: 'line' | 'original';
      },
      true
    >
  | Annotation
  | InlineBase<
      'mention',
      {
        ref: Reference;
        /** Text in Markdown, if it is not the default one, see `mentionLabel`. */
        label?: string;
      },
      true
    >
  | InlineBase<
      'button',
      Tagged & { ref?: Reference; kind: 'primary' | 'secondary'; icon?: string; label: string },
      true
    >
  | InlineBase<'anchor', { id: string }, true>
  | InlineBase<'span', Tagged & { option?: string }, false>
  | InlineBase<'comment', { text: string }, true>
  | InlineBase<'tag', { name: string; content?: string }, true>;

/** Node of inline content. */
export type InlineNode = Text | Inline;
