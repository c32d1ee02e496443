/**
 * Assembles the items of a page's flow: the items between the start and end of a tag or `<details>` become one block.
 * Starts without an end, and ends without a start, are left as written.
 */
import type { Tag } from '../attributes.ts';
import type { AnyBlock, Block, InlineNode } from '../document.ts';
import { defined, rawParagraph, voidBlock } from '../document.ts';
import { endedBy, isFree, tagReader } from '../tags.ts';

/** An item of the flow. */
export type FlowItem =
  | { kind: 'block'; block: Block }
  | { kind: 'tag'; tag: Tag }
  | { kind: 'details'; open: boolean; source: string }
  | { kind: 'summary'; title: InlineNode[]; source: string }
  | { kind: 'endDetails'; source: string };

interface Frame {
  /** Name of the tag, or `<details>`. */
  name: string;
  source: string;
  blocks: AnyBlock[];
  tag?: Tag;
  open?: boolean;
  title?: InlineNode[];
}

const DETAILS = '<details>';

/** Maximum nesting depth of tags. Deeper start tags are left as written. */
const MAX_TAG_DEPTH = 40;

/** Assembles the blocks of a flow. */
export function assemble(items: Iterable<FlowItem>): Block[] {
  const assembler = new Assembler();
  for (const item of items) {
    assembler.add(item);
  }
  return assembler.end();
}

class Assembler {
  readonly #root: AnyBlock[] = [];
  readonly #stack: Frame[] = [];
  readonly #open = new Map<string, number>();

  add(item: FlowItem): void {
    switch (item.kind) {
      case 'block':
        this.#blocks().push(item.block);
        break;
      case 'tag':
        this.#tag(item.tag);
        break;
      case 'details':
        this.#start({ name: DETAILS, source: item.source, blocks: [], open: item.open });
        break;
      case 'summary': {
        const frame = this.#stack.at(-1);
        const fits = frame?.name === DETAILS && frame.title === undefined && frame.blocks.length === 0;
        if (fits) {
          frame.title = item.title;
        } else {
          this.#blocks().push(rawParagraph(item.source));
        }
        break;
      }
      case 'endDetails':
        this.#finish(DETAILS, item.source);
    }
  }

  end(): Block[] {
    while (this.#stack.length > 0) {
      this.#abandon();
    }
    return this.#root.filter(isFree);
  }

  #blocks(): AnyBlock[] {
    return this.#stack.at(-1)?.blocks ?? this.#root;
  }

  #tag(tag: Tag): void {
    const ended = endedBy(tag.name);
    if (ended !== undefined) {
      this.#finish(ended, tag.source);
      return;
    }
    const reader = tagReader(tag.name);
    if (!reader) {
      this.#blocks().push(rawParagraph(tag.source));
    } else if (reader.end === 'never') {
      this.#blocks().push(...(reader.read(tag, []) ?? [rawParagraph(tag.source)]));
    } else {
      this.#start({ name: tag.name, source: tag.source, blocks: [], tag });
    }
  }

  #start(frame: Frame): void {
    if (this.#stack.length >= MAX_TAG_DEPTH) {
      this.#blocks().push(rawParagraph(frame.source));
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

  #finish(name: string, source: string): void {
    if (!this.#open.get(name)) {
      this.#blocks().push(rawParagraph(source));
      return;
    }
    while (this.#stack.at(-1)?.name !== name) {
      this.#abandon();
    }
    const frame = this.#pop();
    if (!frame) {
      return;
    }
    const blocks = this.#read(frame) ?? [rawParagraph(frame.source), ...frame.blocks, rawParagraph(source)];
    this.#append(blocks);
  }

  #read(frame: Frame): AnyBlock[] | undefined {
    if (!frame.tag) {
      const title = frame.title ?? [];
      const data = { title, body: frame.blocks.filter(isFree), open: frame.open || undefined };
      return [voidBlock('expandable', defined(data))];
    }
    const reader = tagReader(frame.name);
    if (!reader || (reader.within && this.#stack.at(-1)?.name !== reader.within)) {
      return undefined;
    }
    return reader.read(frame.tag, frame.blocks);
  }

  /**
   * Closes a start without an end. If it contains blocks that are only allowed in it, it is read as if it had ended.
   */
  #abandon(): void {
    const frame = this.#pop();
    if (!frame) {
      return;
    }
    const reader = frame.tag && tagReader(frame.name);
    if (frame.tag && reader && !frame.blocks.every(isFree)) {
      this.#append(reader.read(frame.tag, frame.blocks) ?? []);
      return;
    }
    const block = frame.tag && reader?.end === 'optional' ? reader.read(frame.tag, []) : undefined;
    this.#append([...(block ?? [rawParagraph(frame.source)]), ...frame.blocks]);
  }

  #append(blocks: AnyBlock[]): void {
    const into = this.#blocks();
    for (const block of blocks) {
      into.push(block);
    }
  }
}
