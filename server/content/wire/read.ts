/** Converts documents of the contract. The inverse of `write.ts`. */
import type { components } from '../../../generated/schema.d.ts';
import { writeRef } from '../links/address.ts';
import {
  type Block,
  type BlockOf,
  type Document,
  defined,
  type InlineNode,
  inlineText,
  parent,
  plainText,
  type Reference,
  voidBlock,
} from '../markdown/document.ts';
import { textOfCodeLine } from '../markdown/print/html-code.ts';
import { keyOf } from './blocks.ts';
import { readColumns, readStepper, readTabs, readUpdates } from './layout.ts';
import { readOperation } from './operations.ts';
import type { PromptMarkdown } from './prompts.ts';
import {
  type Attributes,
  alignmentOf,
  COUNT,
  DEFAULT_TEXT,
  EXPANSION,
  FLAG,
  LENGTH,
  setAttribute,
  unlessEmpty,
  writtenOf,
} from './properties.ts';
import { readInlines, readLeaf } from './read-inlines.ts';
import { readTable } from './read-table.ts';

type Schemas = components['schemas'];

/** How a document of the contract is converted. */
export interface ReadOptions {
  /** Formats references as the page writes them. */
  addressOf?: (ref: Reference) => string;
  /** Prints and parses the blocks of prompts. Without it, changes of the code of a prompt with blocks are ignored. */
  prompts?: PromptMarkdown;
}

/** Converts a document of the contract. Takes time in proportion to the document. */
export function readWireDocument({ data, nodes }: Schemas['Document'], options: ReadOptions = {}): Document {
  return { object: 'document', data, nodes: new Reader(options).blocks(nodes) };
}

/** Returns whether a block is the paragraph that a container without blocks has in the contract. */
const isFiller = (block: Schemas['DocumentBlock'] | undefined): boolean =>
  block?.type === 'paragraph' && block.nodes.length === 0 && Object.keys(block.data ?? {}).length === 0;

class Reader {
  readonly #addressOf: (ref: Reference) => string;
  /** Undefined within a prompt: its text contains those of the prompts in it. */
  #prompts: PromptMarkdown | undefined;

  constructor({ addressOf = writeRef, prompts }: ReadOptions) {
    this.#addressOf = addressOf;
    this.#prompts = prompts;
  }

  blocks(blocks: readonly Schemas['DocumentBlock'][]): Block[] {
    return blocks.map((block) => ({ ...this.#block(block), ...keyOf(block) }));
  }

  /** Converts the blocks of a container without the paragraph that represents none. */
  someBlocks(blocks: readonly Schemas['DocumentBlock'][]): Block[] {
    return blocks.length === 1 && isFiller(blocks[0]) ? [] : this.blocks(blocks);
  }

  inlines(nodes: readonly Schemas['DocumentInlineNode'][]): InlineNode[] {
    return readInlines(nodes, (blocks) => this.someBlocks(blocks));
  }

  #caption(fragments: readonly Schemas['DocumentCaptionFragment'][] = []): InlineNode[] | undefined {
    const paragraph = fragments[0]?.nodes[0];
    return paragraph && this.inlines(paragraph.nodes);
  }

  #block(block: Schemas['DocumentBlock']): Block {
    switch (block.type) {
      case 'paragraph':
        return parent('paragraph', block.data ?? {}, this.inlines(block.nodes));
      case 'heading-1':
      case 'heading-2':
      case 'heading-3':
        return parent(block.type, block.data, this.inlines(block.nodes));
      case 'list-ordered':
      case 'list-unordered':
      case 'list-tasks': {
        const items = block.nodes.map((item) => ({
          ...parent('list-item', item.data ?? {}, this.someBlocks(item.nodes)),
          ...keyOf(item),
        }));
        return parent(block.type, block.data ?? {}, items);
      }
      case 'blockquote':
        return parent('blockquote', {}, this.blocks(block.nodes));
      case 'hint':
        return parent('hint', block.data, this.someBlocks(block.nodes));
      case 'images':
        return this.#images(block);
      case 'file':
      case 'drawing': {
        const caption = this.#caption(block.fragments);
        return voidBlock(block.type, { ...block.data, ...(caption && { caption }) });
      }
      case 'integration': {
        const caption = this.#caption(block.fragments);
        return voidBlock('integration', { ...block.data, ...(caption && { caption }) });
      }
      case 'embed': {
        const caption = this.#caption(block.fragments);
        return voidBlock('embed', { ...block.data, ...(caption && { caption }) });
      }
      case 'code':
        return this.#code(block);
      case 'expandable': {
        const { defaultExpanded: open } = block.data;
        const title = block.fragments.find(({ type }) => type === 'expandable-title')?.nodes[0];
        const body = block.fragments.find(({ type }) => type === 'expandable-body')?.nodes ?? [];
        return voidBlock('expandable', {
          title: title?.type === 'paragraph' ? this.inlines(title.nodes) : [],
          body: this.someBlocks(body),
          ...(open !== undefined && { open }),
        });
      }
      case 'tabs':
        return readTabs(block, this);
      case 'table':
        return voidBlock('table', readTable(block, this));
      case 'swagger':
      case 'openapi-operation':
      case 'openapi-schemas':
      case 'openapi-webhook':
        return readOperation(block);
      case 'content-ref': {
        const { title, ...data } = block.data;
        return voidBlock('content-ref', { ...data, ...(title && { title: this.inlines(title) }) });
      }
      case 'reusable-content':
        return voidBlock('reusable-content', block.data);
      case 'divider':
        return voidBlock('divider', {});
      case 'math':
        return voidBlock('math', block.data);
      case 'comment':
        return voidBlock('comment', block.data);
      case 'stepper':
        return readStepper(block, this);
      case 'prompt':
        return this.#prompt(block);
      case 'columns':
        return readColumns(block, this);
      case 'updates':
        return readUpdates(block, this);
      case 'if':
        return parent('if', block.data, this.blocks(block.nodes));
      case 'tag':
        return parent('tag', block.data, this.blocks(block.nodes));
    }
  }

  #images(block: Schemas['DocumentImagesBlock']): Block {
    const { align, ...row } = block.data;
    const images = block.nodes.map((image) => {
      const { width, height, ...data } = image.data;
      const attributes: Attributes = { ...data.attributes };
      const all = defined<BlockOf<'image'>['data']>({
        ...data,
        caption: this.#caption(image.fragments),
        width: writtenOf(LENGTH, 'width', width, attributes),
        height: writtenOf(LENGTH, 'height', height, attributes),
        attributes: unlessEmpty(attributes),
      });
      return { ...voidBlock('image', all), ...keyOf(image) };
    });
    return parent('images', { ...(align && { align: alignmentOf(align) }), ...row }, images);
  }

  #code(block: Schemas['DocumentCodeBlock']): BlockOf<'code'> {
    const { expandable, collapsedLineCount, ...data } = block.data;
    const attributes: Attributes = { ...data.attributes };
    setAttribute(FLAG, 'expandable', expandable, attributes);
    setAttribute(COUNT, 'collapsedLineCount', collapsedLineCount, attributes);
    const all = defined<BlockOf<'code'>['data']>({ ...data, attributes: unlessEmpty(attributes) });
    const lines = block.nodes.map((line) => ({
      ...parent(
        'code-line',
        line.data,
        line.nodes.map((node) => this.#codeNode(node)),
      ),
      ...keyOf(line),
    }));
    return { ...parent('code', all, lines), ...keyOf(block) };
  }

  /** Converts a text in a line of code; that of a note is reduced to its text. */
  #codeNode(node: Schemas['DocumentCodeLineNode']): BlockOf<'code-line'>['nodes'][number] {
    if (node.object === 'text') {
      return { object: 'text', leaves: node.leaves.map(readLeaf) };
    }
    const blocks = (nodes: readonly Schemas['DocumentBlock'][]) => this.someBlocks(nodes);
    const body = blocks(node.fragments[0]?.nodes ?? []);
    const nodes = [plainText(inlineText(readInlines(node.nodes, blocks)))];
    return { object: 'inline', type: node.type, isVoid: false, data: { body }, nodes };
  }

  #prompt(block: Schemas['DocumentPromptBlock']): Block {
    const { openInAIProviders, defaultExpanded, ...data } = block.data;
    const attributes: Attributes = { ...data.attributes };
    setAttribute(FLAG, 'openInAIProviders', openInAIProviders, attributes);
    setAttribute(EXPANSION, 'defaultExpanded', defaultExpanded, attributes);
    const all = defined<BlockOf<'prompt'>['data']>({
      description: writtenOf(DEFAULT_TEXT, 'description', data.description, attributes),
      icon: data.icon,
      attributes: unlessEmpty(attributes),
    });
    const codes = block.nodes.map((code) => this.#code(code));
    const [body] = block.fragments ?? [];
    if (!body) {
      return parent('prompt', all, codes);
    }
    const prompts = this.#prompts;
    this.#prompts = undefined;
    const blocks = this.someBlocks(body.nodes);
    this.#prompts = prompts;
    const text = codes.flatMap(({ nodes }) => nodes.map(textOfCodeLine)).join('\n');
    const isWritten = codes.length === 0 || !prompts || prompts.print(blocks, this.#addressOf) === text;
    return parent('prompt', all, isWritten ? blocks : prompts.parse(text));
  }
}
