/**
 * Assembles the items of a page's flow: the items between the start and end of a tag, of `<details>` or of another
 * element become one block. Tags without an end, and ends without a start, are tags that the contract does not define.
 */
import type { Tag } from '../attributes.ts';
import {
  type AnyBlock,
  type Block,
  defined,
  type InlineNode,
  parent,
  rawParagraph,
  voidBlock,
} from '../document.ts';
import type { OpenTag } from '../html.ts';
import { isFree } from '../tags/readers.ts';
import { endedBy, tagReader } from '../tags/tags.ts';
import type { FlowItem } from './flow.ts';
import { tagData } from './inlines.ts';
import type { Piece } from './pieces.ts';
import type { BlockRange } from './ranges.ts';

/** Services that the flow of a page requires. */
export interface FlowContext {
  /** Reads the content of elements. */
  readPieces(pieces: Piece[]): Block[];
  /** Returns whether the page has an end tag for a tag that the contract does not define. */
  hasEnd(name: string): boolean;
  /** Records the range of a block. Several blocks with the same range object can only be replaced together. */
  located(block: AnyBlock, range: BlockRange): void;
  /** Returns whether the range of a block is known. */
  isLocated(block: AnyBlock): boolean;
}

interface Frame {
  /** Name of the tag, or of the element in angle brackets. */
  name: string;
  blocks: AnyBlock[];
  range: BlockRange | undefined;
  tag?: Tag;
  element?: { tag: OpenTag; children: Piece[] };
  details?: { id: string | undefined; open: boolean; source: string; title?: InlineNode[] };
}

const DETAILS = '<details>';

/** Maximum nesting depth of tags. Deeper start tags are left as written. */
const MAX_TAG_DEPTH = 40;

/** Assembles the blocks of one flow. */
export class Assembler {
  readonly #root: AnyBlock[] = [];
  readonly #stack: Frame[] = [];
  readonly #open = new Map<string, number>();
  readonly #context: FlowContext;
  readonly #outer: Assembler | undefined;
  /** Range of the item before the current one. */
  #last: BlockRange | undefined;
  /** Items from an end tag on that closes a tag of an outer flow. */
  readonly escaped: FlowItem[] = [];

  /** @param outer the flow that contains the list or quotation with this flow */
  constructor(context: FlowContext, outer?: Assembler) {
    this.#context = context;
    this.#outer = outer;
  }

  /** Returns whether a tag is open in this flow or an outer one. */
  isOpen(name: string): boolean {
    return (this.#open.get(name) ?? 0) > 0 || (this.#outer?.isOpen(name) ?? false);
  }

  add(item: FlowItem): void {
    if (this.escaped.length > 0 || this.#escapes(item)) {
      this.escaped.push(item);
      return;
    }
    this.#addHere(item);
    this.#last = item.range;
  }

  #addHere(item: FlowItem): void {
    const { range } = item;
    switch (item.kind) {
      case 'block':
        this.#append([item.block], range);
        break;
      case 'tag':
        this.#tag(item.tag, range);
        break;
      case 'details': {
        const { id, open, source } = item;
        this.#start({ name: DETAILS, blocks: [], range, details: { id, open, source } });
        break;
      }
      case 'summary': {
        const frame = this.#stack.at(-1);
        if (frame?.details && frame.details.title === undefined && frame.blocks.length === 0) {
          frame.details.title = item.title;
          frame.details.id ??= item.id;
        } else {
          this.#append([rawParagraph(item.source)], range);
        }
        break;
      }
      case 'endDetails':
        this.#finish(DETAILS, range, () => []);
        break;
      case 'pieces':
        this.#pieces(item.pieces, range);
        break;
      case 'open': {
        const { tag } = item;
        this.#start({ name: `<${tag.name}>`, blocks: [], range, element: { tag, children: [] } });
        break;
      }
      case 'close':
        this.#finish(`<${item.name}>`, range, () => []);
    }
  }

  /** Closes what is open, and returns the blocks. */
  end(): Block[] {
    while (this.#stack.length > 0) {
      this.#abandon();
    }
    return this.#root.filter(isFree);
  }

  #escapes(item: FlowItem): boolean {
    const ended = item.kind === 'tag' ? this.#endedBy(item.tag) : undefined;
    return ended !== undefined && !this.#open.get(ended) && (this.#outer?.isOpen(ended) ?? false);
  }

  /** Returns the name of the tag that an end tag closes: a known one, or one that is open. */
  #endedBy({ name }: Tag): string | undefined {
    const ended = endedBy(name);
    return ended ?? (name.startsWith('end') && this.isOpen(name.slice(3)) ? name.slice(3) : undefined);
  }

  #pieces(pieces: Piece[], range: BlockRange | undefined): void {
    const element = this.#stack.at(-1)?.element;
    if (!element) {
      const blocks = this.#context.readPieces(pieces);
      // An element that has no block of its own contains blocks with their own ranges.
      const areLocated = blocks.some((block) => this.#context.isLocated(block));
      this.#append(blocks, areLocated ? undefined : range);
      return;
    }
    const [only, ...more] = pieces;
    if (only?.kind === 'element' && more.length === 0) {
      element.children.push({ ...only, place: range });
      return;
    }
    for (const piece of pieces) {
      element.children.push(piece);
    }
  }

  #tag(tag: Tag, range: BlockRange | undefined): void {
    const ended = this.#endedBy(tag);
    if (ended !== undefined) {
      this.#finish(ended, range, () => [unknownTag(tag)]);
      return;
    }
    const reader = tagReader(tag.name);
    if (reader?.end === 'never' || (!reader && !this.#context.hasEnd(tag.name))) {
      this.#append(reader?.read(tag, []) ?? [unknownTag(tag)], range);
    } else {
      this.#start({ name: tag.name, blocks: [], range, tag });
    }
  }

  #start(frame: Frame): void {
    if (this.#stack.length >= MAX_TAG_DEPTH) {
      this.#append(startOf(frame), frame.range);
      return;
    }
    this.#stack.push(frame);
    this.#open.set(frame.name, (this.#open.get(frame.name) ?? 0) + 1);
  }

  #pop(): Frame | undefined {
    const frame = this.#stack.pop();
    if (frame) {
      this.#open.set(frame.name, (this.#open.get(frame.name) ?? 1) - 1);
    }
    return frame;
  }

  #finish(name: string, range: BlockRange | undefined, stray: () => Block[]): void {
    if (!this.#open.get(name)) {
      this.#append(stray(), range);
      return;
    }
    while (this.#stack.at(-1)?.name !== name) {
      this.#abandon();
    }
    const frame = this.#pop();
    if (frame?.element) {
      this.#pieces([elementOf(frame.element)], joined(frame.range, range));
    } else if (frame) {
      this.#append(this.#read(frame), joined(frame.range, range));
    }
  }

  #read({ name, tag, details, blocks }: Frame): AnyBlock[] {
    if (details) {
      const { id, title = [], open } = details;
      const data = { id, title, body: blocks.filter(isFree), open: open || undefined };
      return [voidBlock('expandable', defined(data))];
    }
    if (!tag) {
      return blocks;
    }
    const reader = tagReader(name);
    const fits = reader && (!reader.within || this.#stack.at(-1)?.name === reader.within);
    return (fits ? reader.read(tag, blocks) : undefined) ?? [unknownTag(tag, blocks.filter(isFree))];
  }

  /**
   * Closes a start without an end. If it contains blocks that are only allowed in it, it is read as if it had ended.
   */
  #abandon(): void {
    const frame = this.#pop();
    if (!frame) {
      return;
    }
    const { tag, element, details, range, blocks } = frame;
    if (details) {
      // In HTML, it extends to the end of the element around it.
      this.#append(this.#read(frame), joined(range, this.#last));
      return;
    }
    if (element) {
      this.#pieces([elementOf(element)], undefined);
      return;
    }
    const reader = tag && tagReader(frame.name);
    if (tag && reader && !blocks.every(isFree)) {
      this.#append(reader.read(tag, blocks) ?? [], undefined);
      return;
    }
    const block = tag && reader?.end === 'optional' ? reader.read(tag, []) : undefined;
    this.#append(block ?? startOf(frame), range);
    this.#append(blocks, undefined);
  }

  /** Appends blocks that are read from a range; those from an unknown one may have ranges of their own. */
  #append(blocks: readonly AnyBlock[], range: BlockRange | undefined): void {
    const frame = this.#stack.at(-1);
    const into = frame?.blocks ?? this.#root;
    for (const block of blocks) {
      if (!frame?.element) {
        into.push(block);
      } else if (isFree(block)) {
        frame.element.children.push({ kind: 'block', block });
      }
      if (range) {
        this.#context.located(block, range);
      }
    }
  }
}

/** Returns the start of a frame that has no end. */
const startOf = ({ tag, details }: Frame): Block[] =>
  tag ? [unknownTag(tag)] : details ? [rawParagraph(details.source)] : [];

function elementOf({ tag, children }: NonNullable<Frame['element']>): Piece {
  const { name, attributes, source: open } = tag;
  return { kind: 'element', name, attributes, children, open, close: '' };
}

/** Creates the block of a tag that is not defined; without blocks, it has no end tag. */
function unknownTag(tag: Tag, blocks?: Block[]): Block {
  return parent('tag', { ...tagData(tag), paired: blocks !== undefined }, blocks ?? []);
}

function joined(start: BlockRange | undefined, end: BlockRange | undefined): BlockRange | undefined {
  return start && end && { start: start.start, end: end.end };
}
