/** Converts the syntax tree of a page to blocks. */
import type { Blockquote, Html, List as MarkdownList, PhrasingContent, RootContent } from 'mdast';
import { readTag } from '../attributes.ts';
import type { AnyBlock, Block, Document, ListItem } from '../document.ts';
import { defined, paragraph, parent, plainText, voidBlock } from '../document.ts';
import { headingType } from '../headings.ts';
import { DocumentBudget } from '../limits.ts';
import { alertOf } from './alerts.ts';
import { Assembler, type FlowContext } from './assemble.ts';
import { codeBlock, MAX_BLOCK_DEPTH, readGrid, withoutBreaks } from './blocks.ts';
import { type NoteSource, PageDefinitions } from './definitions.ts';
import type { FlowItem } from './flow.ts';
import { headingParts } from './heading-id.ts';
import { HtmlBlocks } from './html/html-blocks.ts';
import { HtmlFlow } from './html/html-flow.ts';
import { type LineContext, readLine } from './inlines.ts';
import { markdownPieces } from './markdown-pieces.ts';
import { paragraphItems } from './paragraphs.ts';
import { type Passage, PassageReader } from './parse/passages.ts';
import { syntaxNodes } from './parse/windows.ts';
import type { Piece } from './pieces.ts';
import { type BlockRange, type LocatedNode, offsetsOf } from './ranges.ts';
import { textLine } from './spaces.ts';
import { bytesOfCells } from './tables.ts';

/** Approximate size of a block as JSON. */
const BLOCK_BYTES = 60;

/** Approximate size of a line of code as JSON. */
const LINE_BYTES = 120;

/** The ranges of the blocks of a document in the text that it was read from. */
export type BlockRanges = Map<AnyBlock, BlockRange>;

/** Where the blocks and notes of a document were read from. */
export class DocumentSource {
  readonly ranges: BlockRanges = new Map();
  readonly notes: NoteSource[] = [];
}

/**
 * Reads a page, without keys.
 *
 * `passages` reads its syntax. Pass the same instance to reuse passages of texts that were read before. `source` is
 * filled with the ranges of the blocks; it requires an instance of its own.
 */
export function readDocument(
  markdown: string,
  passages = new PassageReader(),
  source?: DocumentSource,
): Document {
  const nodes = new PageReader(markdown, passages.read(markdown), source).page();
  return { object: 'document', data: { schemaVersion: 1 }, nodes };
}

class PageReader implements FlowContext {
  readonly #passages: Passage[];
  readonly #ends: ReadonlySet<string>;
  readonly #documentSource: DocumentSource | undefined;
  readonly #definitions: PageDefinitions;
  readonly #budget = new DocumentBudget();
  readonly #html: HtmlFlow;
  readonly #elements: HtmlBlocks;
  readonly #line: LineContext;
  /** The text that the positions of the current nodes refer to. */
  #source = '';
  /** Whether this text is the page. */
  #inPage = true;
  #flow: Assembler | undefined;
  #depth = 0;

  constructor(markdown: string, passages: Passage[], source: DocumentSource | undefined) {
    this.#passages = passages;
    this.#ends = new Set(Array.from(markdown.matchAll(/\{%\s*end([\w@/-]+)/g), ([, name = '']) => name));
    this.#documentSource = source;
    this.#definitions = new PageDefinitions(passages, (note) => this.#part(note));
    this.#line = { note: (id) => this.#definitions.note(id), budget: this.#budget };
    this.#html = new HtmlFlow(this.#line, (markdown) => this.#inner(markdown));
    this.#elements = new HtmlBlocks(this.#line, (block, range) => {
      if (!this.isLocated(block)) {
        this.located(block, range);
      }
    });
  }

  page(): Block[] {
    const blocks = this.#assemble(this.#pageItems()).end();
    this.#documentSource?.notes.push(...this.#definitions.notes);
    return blocks;
  }

  readPieces(pieces: Piece[]): Block[] {
    return this.#elements.blocks(pieces);
  }

  hasEnd(name: string): boolean {
    return this.#ends.has(name);
  }

  isLocated(block: AnyBlock): boolean {
    return this.#documentSource?.ranges.has(block) ?? false;
  }

  located(block: AnyBlock, range: BlockRange): void {
    this.#documentSource?.ranges.set(block, range);
  }

  *#pageItems(): Generator<FlowItem> {
    for (const { nodes, source } of this.#passages) {
      this.#source = source;
      yield* this.#items(nodes);
    }
  }

  /** Reads Markdown within an HTML block. */
  #inner(markdown: string): Block[] {
    const source = markdown.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
    if (this.#depth >= MAX_BLOCK_DEPTH) {
      return [paragraph([plainText(source)])];
    }
    this.#depth++;
    const blocks = this.#part({ source, nodes: syntaxNodes(source) });
    this.#depth--;
    return blocks;
  }

  /** Reads the blocks of a passage with its own source text. */
  #part({ source, nodes }: Passage): Block[] {
    const outer = { source: this.#source, inPage: this.#inPage, flow: this.#flow };
    this.#source = source;
    this.#inPage = false;
    this.#flow = undefined;
    const blocks = this.#assemble(this.#items(nodes)).end();
    this.#source = outer.source;
    this.#inPage = outer.inPage;
    this.#flow = outer.flow;
    return blocks;
  }

  #assemble(items: Iterable<FlowItem>): Assembler {
    const outer = this.#flow;
    const assembler = new Assembler(this, outer);
    this.#flow = assembler;
    for (const item of items) {
      assembler.add(item);
    }
    this.#flow = outer;
    return assembler;
  }

  /**
   * Reads nested blocks, and the items from an end tag on that closes a tag around the container. Beyond the maximum
   * depth, returns the source as text.
   */
  #nested(node: LocatedNode & { children: RootContent[] }): { blocks: Block[]; escaped: FlowItem[] } {
    if (this.#depth >= MAX_BLOCK_DEPTH) {
      const source = this.#source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
      const nodes = textLine(source);
      return { blocks: nodes.length > 0 ? [paragraph(nodes)] : [], escaped: [] };
    }
    this.#depth++;
    const flow = this.#assemble(this.#items(node.children));
    this.#depth--;
    return { blocks: flow.end(), escaped: flow.escaped };
  }

  *#items(nodes: RootContent[]): Generator<FlowItem> {
    for (const node of nodes) {
      this.#budget.spend(BLOCK_BYTES);
      switch (node.type) {
        case 'paragraph':
          yield* paragraphItems(node, this.#rangeOf(node), {
            line: this.#line,
            html: this.#html,
            pieces: (children) => this.#pieces(children),
          });
          break;
        case 'tagLine':
          yield { kind: 'tag', tag: readTag(node.value), range: this.#rangeOf(node) };
          break;
        case 'html':
          yield* this.#html.items(node.value, this.#offsetOf(node));
          break;
        case 'table': {
          const { table, tags } = readGrid(node, this.#rangeOf(node), this.#source, {
            line: (children) => readLine(this.#pieces(children), this.#line),
            cell: (children) => this.#elements.cell(this.#pieces(children, true)),
          });
          this.#budget.spend(bytesOfCells(table.block));
          yield table;
          yield* tags;
          break;
        }
        case 'list':
          yield* this.#list(node);
          break;
        case 'blockquote':
          yield* this.#quote(node);
          break;
        default: {
          const block = this.#block(node);
          if (block) {
            yield { kind: 'block', block, range: this.#rangeOf(node) };
          }
        }
      }
    }
  }

  #block(node: RootContent): Block | undefined {
    switch (node.type) {
      case 'heading': {
        const { nodes: children, id } = headingParts(node, this.#source);
        const anchors: { id?: string } = {};
        const nodes = readLine(withoutBreaks(this.#pieces(children)), this.#line, anchors);
        return parent(headingType(node.depth), defined({ id: anchors.id ?? id }), nodes);
      }
      case 'thematicBreak':
        return voidBlock('divider', {});
      case 'code':
        this.#budget.spend(node.value.length + node.value.split('\n').length * LINE_BYTES);
        return codeBlock(node.value, node.lang ?? undefined, node.meta ?? undefined);
      case 'math':
        return voidBlock('math', { formula: node.meta ? `${node.meta}\n${node.value}`.trim() : node.value });
      default:
        return undefined;
    }
  }

  #pieces(nodes: PhrasingContent[], blocks = false): Piece[] {
    return markdownPieces(nodes, this.#definitions.definitions, blocks);
  }

  *#quote(node: Blockquote): Generator<FlowItem> {
    const alert = alertOf(node);
    const { blocks, escaped } = this.#nested(alert?.quote ?? node);
    const range = trimmedRange(this.#rangeOf(node), escaped);
    const block = alert ? parent('hint', { style: alert.style }, blocks) : parent('blockquote', {}, blocks);
    yield { kind: 'block', block, range };
    yield* escaped;
  }

  /** Reads a list. A tag that ends in an item, but starts before the list, divides it. */
  *#list(list: MarkdownList): Generator<FlowItem> {
    let items: ListItem[] = [];
    let first = list.children[0];
    let start = list.start ?? 1;
    const isTasks = list.children.some((item) => typeof item.checked === 'boolean');
    const end = (last: LocatedNode, escaped: readonly FlowItem[]): FlowItem => {
      const nodes = items;
      const data = list.ordered && start !== 1 ? { start } : {};
      const type = list.ordered ? 'list-ordered' : isTasks ? 'list-tasks' : 'list-unordered';
      const range = this.#rangeOf({ position: first && last.position && spanOf(first, last) });
      start += items.length;
      items = [];
      return { kind: 'block', block: parent(type, data, nodes), range: trimmedRange(range, escaped) };
    };
    for (const item of list.children) {
      first ??= item;
      const { blocks, escaped } = this.#nested(item);
      const block = parent('list-item', defined({ checked: item.checked ?? undefined }), blocks);
      items.push(block);
      const range = trimmedRange(this.#rangeOf(item), escaped);
      if (range) {
        this.located(block, range);
      }
      if (escaped.length > 0) {
        yield end(item, escaped);
        yield* escaped;
        first = undefined;
      }
    }
    const last = list.children.at(-1);
    if (items.length > 0 && last) {
      yield end(last, []);
    }
  }

  #rangeOf(node: LocatedNode): BlockRange | undefined {
    return this.#inPage && this.#documentSource ? offsetsOf(node) : undefined;
  }

  /** Returns the offset of an HTML node; undefined if its lines are indented in the page, so that offsets differ. */
  #offsetOf(node: Html): number | undefined {
    const range = this.#rangeOf(node);
    return range && this.#source.startsWith(node.value, range.start) ? range.start : undefined;
  }
}

const spanOf = (first: LocatedNode, last: LocatedNode): LocatedNode['position'] =>
  first.position && last.position && { start: first.position.start, end: last.position.end };

/** Returns the range of a container without the items that do not belong to it; undefined if these are not located. */
function trimmedRange(range: BlockRange | undefined, escaped: readonly FlowItem[]): BlockRange | undefined {
  const [first] = escaped;
  if (!range || !first) {
    return range;
  }
  return first.range && { start: range.start, end: first.range.start };
}
