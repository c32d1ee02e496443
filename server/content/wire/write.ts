/** Converts documents to those of the contract. */
import type { components } from '../../../generated/schema.d.ts';
import { writeRef } from '../links/address.ts';
import { PageAnchors } from '../markdown/anchors/page-anchors.ts';
import {
  type AnyBlock,
  type Block,
  type BlockOf,
  type Document,
  defined,
  type InlineNode,
  parent,
  plainText,
  type Reference,
} from '../markdown/document.ts';
import { visibleText } from '../markdown/slug.ts';
import { base } from './blocks.ts';
import { writeColumns, writeStepper, writeTabs, writeUpdates } from './layout.ts';
import { writeOperation } from './operations.ts';
import type { PromptMarkdown } from './prompts.ts';
import {
  type Attributes,
  attributeValue,
  COUNT,
  DEFAULT_TEXT,
  EXPANSION,
  FLAG,
  LENGTH,
  propertyOf,
  sideOf,
  unlessEmpty,
} from './properties.ts';
import { writeAnnotation, writeInlines, writeText } from './write-inlines.ts';
import { writeTable } from './write-table.ts';

type Schemas = components['schemas'];

/** How a document is converted to one of the contract. */
export interface WriteOptions {
  /** References by resource that replace those to URLs. */
  references?: ReadonlyMap<string, Reference> | undefined;
  /** Prints the blocks of prompts. Without it, prompts have no code. */
  prompts?: PromptMarkdown;
}

/** Converts a document to one of the contract, which has the same Markdown. Takes time in proportion to the document. */
export function writeDocument({ data, nodes }: Document, options: WriteOptions = {}): Schemas['Document'] {
  return { object: 'document', data, nodes: new Writer(options, nodes).blocks(nodes) };
}

class Writer {
  readonly #references: ReadonlyMap<string, Reference>;
  readonly #anchors: PageAnchors;
  /** Undefined within a prompt: its text contains the texts of nested prompts. */
  #prompts: PromptMarkdown | undefined;

  constructor({ references = new Map(), prompts }: WriteOptions, nodes: readonly Block[]) {
    this.#references = references;
    this.#prompts = prompts;
    this.#anchors = new PageAnchors(nodes);
  }

  ref(ref: Reference): Reference {
    return ref.kind === 'url' ? (this.#references.get(ref.url) ?? ref) : ref;
  }

  fileRef(written: Reference): Schemas['DocumentFileOrUrlRef'] {
    const ref = this.ref(written);
    return ref.kind === 'file' || ref.kind === 'url' ? ref : { kind: 'url', url: writeRef(written) };
  }

  inlines(nodes: readonly InlineNode[]): Schemas['DocumentInlineNode'][] {
    return writeInlines(nodes, this);
  }

  blocks(blocks: readonly Block[]): Schemas['DocumentBlock'][] {
    return blocks.map((block) => this.#block(block));
  }

  /** Converts blocks; none become an empty paragraph, because readers of the contract expect at least one. */
  someBlocks(blocks: readonly Block[]): Schemas['DocumentBlock'][] {
    return blocks.length === 0 ? [this.#paragraph([])] : this.blocks(blocks);
  }

  #paragraph(nodes: readonly InlineNode[]): Schemas['DocumentParagraphBlock'] {
    return { object: 'block', type: 'paragraph', isVoid: false, data: {}, nodes: this.inlines(nodes) };
  }

  #captions(caption: readonly InlineNode[] | undefined): Schemas['DocumentCaptionFragment'][] {
    const type = 'caption';
    return caption ? [{ object: 'fragment', fragment: type, type, nodes: [this.#paragraph(caption)] }] : [];
  }

  #captioned(caption: readonly InlineNode[] | undefined): Pick<Schemas['DocumentFileBlock'], 'fragments'> {
    return caption ? { fragments: this.#captions(caption) } : {};
  }

  /** Returns the metadata of a block with an anchor: that of the published page. Called once for each block. */
  anchored(block: AnyBlock, title: string): { meta: Schemas['DocumentBlockMeta'] } {
    return { meta: { id: this.#anchors.next(block)?.id ?? this.#anchors.unique(title) } };
  }

  #block(block: Block): Schemas['DocumentBlock'] {
    switch (block.type) {
      case 'paragraph': {
        const { type, data, nodes } = block;
        return { ...base(block), type, isVoid: false, data, nodes: this.inlines(nodes) };
      }
      case 'heading-1':
      case 'heading-2':
      case 'heading-3': {
        const { type, data, nodes } = block;
        const { meta } = this.anchored(block, visibleText(nodes));
        return { ...base(block), type, isVoid: false, data, meta, nodes: this.inlines(nodes) };
      }
      case 'list-ordered':
      case 'list-unordered':
      case 'list-tasks': {
        const { type, data } = block;
        const nodes = block.nodes.map((item): Schemas['DocumentListItemBlock'] => ({
          ...base(item),
          type: item.type,
          isVoid: false,
          data: item.data,
          nodes: this.someBlocks(item.nodes),
        }));
        return { ...base(block), type, isVoid: false, data, nodes };
      }
      case 'blockquote':
        return { ...base(block), type: block.type, isVoid: false, data: {}, nodes: this.blocks(block.nodes) };
      case 'hint': {
        const { type, data, nodes } = block;
        return { ...base(block), type, isVoid: false, data, nodes: this.someBlocks(nodes) };
      }
      case 'images':
        return this.#images(block);
      case 'file':
      case 'drawing': {
        const { ref, caption, ...data } = block.data;
        const all = { ref: this.fileRef(ref), ...data };
        return { ...base(block), type: block.type, isVoid: true, data: all, ...this.#captioned(caption) };
      }
      case 'integration': {
        const { caption, ...data } = block.data;
        return { ...base(block), type: block.type, isVoid: true, data, ...this.#captioned(caption) };
      }
      case 'embed': {
        const { caption, ...data } = block.data;
        return { ...base(block), type: block.type, isVoid: true, data, ...this.#captioned(caption) };
      }
      case 'code':
        return this.#code(block);
      case 'expandable':
        return this.#expandable(block);
      case 'tabs':
        return writeTabs(block, this);
      case 'table':
        return { ...base(block), type: block.type, isVoid: true, ...writeTable(block, this) };
      case 'swagger':
      case 'openapi-operation':
      case 'openapi-schemas':
      case 'openapi-webhook':
        return writeOperation(block, this);
      case 'content-ref': {
        const { ref, title, ...data } = block.data;
        const titled = title && { title: this.inlines(title) };
        const all = { ref: this.ref(ref), ...titled, ...data };
        return { ...base(block), type: block.type, isVoid: true, data: all };
      }
      case 'reusable-content':
        return { ...base(block), type: block.type, isVoid: true, data: { ref: this.ref(block.data.ref) } };
      case 'divider':
        return { ...base(block), type: block.type, isVoid: true, data: {} };
      case 'math':
        return { ...base(block), type: block.type, isVoid: true, data: block.data };
      case 'comment':
        return { ...base(block), type: block.type, isVoid: true, data: block.data };
      case 'stepper':
        return writeStepper(block, this);
      case 'prompt':
        return this.#prompt(block);
      case 'columns':
        return writeColumns(block, this);
      case 'updates':
        return writeUpdates(block, this);
      case 'if': {
        const { type, data, nodes } = block;
        return { ...base(block), type, isVoid: false, data, nodes: this.blocks(nodes) };
      }
      case 'tag': {
        const { type, data, nodes } = block;
        return { ...base(block), type, isVoid: false, data, nodes: this.blocks(nodes) };
      }
    }
  }

  #images(block: BlockOf<'images'>): Schemas['DocumentImagesBlock'] {
    const { align, ...row } = block.data;
    const nodes = block.nodes.map((image): Schemas['DocumentImageBlock'] => {
      const { ref, refDark, alt, caption, width, height } = image.data;
      const attributes = { ...image.data.attributes };
      const data = defined<Schemas['DocumentImageBlockData']>({
        ref: this.fileRef(ref),
        refDark: refDark && this.fileRef(refDark),
        alt,
        width: propertyOf(LENGTH, 'width', width, attributes),
        height: propertyOf(LENGTH, 'height', height, attributes),
        attributes: unlessEmpty(attributes),
      });
      return { ...base(image), type: image.type, isVoid: true, data, fragments: this.#captions(caption) };
    });
    const data = { ...(align && { align: sideOf(align) }), ...row };
    return { ...base(block), type: block.type, isVoid: false, data, nodes };
  }

  #code(block: BlockOf<'code'>): Schemas['DocumentCodeBlock'] {
    const nodes = block.nodes.map((line): Schemas['DocumentCodeLineBlock'] => ({
      ...base(line),
      type: line.type,
      isVoid: false,
      data: line.data,
      nodes: line.nodes.map((node) =>
        node.object === 'text' ? writeText(node) : writeAnnotation(node, this),
      ),
    }));
    const data = defined<Schemas['DocumentCodeBlockData']>({
      ...block.data,
      expandable: attributeValue(FLAG, 'expandable', block.data.attributes),
      collapsedLineCount: attributeValue(COUNT, 'collapsedLineCount', block.data.attributes),
    });
    return { ...base(block), type: block.type, isVoid: false, data, nodes };
  }

  #expandable(block: BlockOf<'expandable'>): Schemas['DocumentExpandableBlock'] {
    const { title, body, open } = block.data;
    const object = 'fragment';
    return {
      ...base(block),
      type: block.type,
      isVoid: true,
      data: open === undefined ? {} : { defaultExpanded: open },
      ...this.anchored(block, visibleText(title)),
      fragments: [
        {
          object,
          fragment: 'expandable-title',
          type: 'expandable-title',
          nodes: [this.#paragraph(title)],
        },
        { object, fragment: 'expandable-body', type: 'expandable-body', nodes: this.someBlocks(body) },
      ],
    };
  }

  #prompt(block: BlockOf<'prompt'>): Schemas['DocumentPromptBlock'] {
    const attributes: Attributes = { ...block.data.attributes };
    const data = defined<Schemas['DocumentPromptBlockData']>({
      description: propertyOf(DEFAULT_TEXT, 'description', block.data.description, attributes),
      icon: block.data.icon,
      openInAIProviders: attributeValue(FLAG, 'openInAIProviders', attributes),
      defaultExpanded: attributeValue(EXPANSION, 'defaultExpanded', attributes),
      attributes: unlessEmpty(attributes),
    });
    const [only, ...others] = block.nodes;
    const common = { ...base(block), type: block.type, isVoid: false as const, data };
    if (only?.type === 'code' && others.length === 0) {
      return { ...common, nodes: [this.#code(only)] };
    }
    const prompts = this.#prompts;
    this.#prompts = undefined;
    const text = prompts?.print(block.nodes, writeRef);
    const type = 'prompt-body' as const;
    const object = 'fragment' as const;
    const fragments = [{ object, fragment: type, type, nodes: this.someBlocks(block.nodes) }];
    this.#prompts = prompts;
    const nodes = text === undefined ? [] : [this.#code(codeOf(text))];
    return { ...common, nodes, fragments };
  }
}

/** Returns the code block with the text of a prompt. */
const codeOf = (markdown: string): BlockOf<'code'> =>
  parent(
    'code',
    { syntax: 'markdown' },
    markdown.split('\n').map((line) => parent('code-line', {}, line === '' ? [] : [plainText(line)])),
  );
