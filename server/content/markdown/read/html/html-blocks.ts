/** Reads blocks that are written in HTML: images, tables, paragraphs, headings, lists, code. */
import { alignment } from '../../alignments.ts';
import { unknownAttributes } from '../../attributes.ts';
import type { Alignment, Block, ListItem } from '../../document.ts';
import {
  defined,
  paragraph,
  parent,
  rawParagraph,
  reference,
  voidBlock,
  voidInline,
} from '../../document.ts';
import { headingType } from '../../headings.ts';
import { imagesOfLine } from '../images.ts';
import { isEmptyLine, type LineContext, readLine } from '../inlines.ts';
import { type Element, isImage, isVisible, type Piece } from '../pieces.ts';
import type { BlockRange } from '../ranges.ts';
import { bytesOfCells, readHtmlTable } from '../tables.ts';
import { withAnchors } from './element-ids.ts';
import { isBlockElement } from './elements.ts';
import { HtmlImages } from './html-images.ts';
import { codeOfElement } from './pre.ts';

/** Reads the blocks of HTML elements. */
export class HtmlBlocks {
  readonly #context: LineContext;
  readonly #images: HtmlImages;
  readonly #located: (block: Block, range: BlockRange) => void;

  /** @param located records the range of a block */
  constructor(context: LineContext, located: (block: Block, range: BlockRange) => void) {
    this.#context = context;
    this.#located = located;
    this.#images = new HtmlImages(context);
  }

  /** Reads the blocks of a cell in a Markdown table. */
  cell(pieces: Piece[]): Block[] {
    return this.blocks(pieces, true);
  }

  /** Reads the blocks of elements and the lines between them. In cells, images are part of a line. */
  blocks(pieces: Piece[], inCell = false): Block[] {
    const blocks: Block[] = [];
    let line: Piece[] = [];
    const endLine = () => {
      const pieces = line;
      line = [];
      const images = inCell ? undefined : imagesOfLine(pieces);
      if (images) {
        blocks.push(parent('images', {}, images));
        return;
      }
      const nodes = readLine(pieces, this.#context);
      if (!isEmptyLine(nodes)) {
        blocks.push(paragraph(nodes));
      }
    };
    for (const piece of pieces) {
      if (piece.kind === 'block') {
        endLine();
        blocks.push(piece.block);
      } else if (piece.kind === 'element' && (isBlockElement(piece.name) || (!inCell && isImage(piece)))) {
        endLine();
        for (const block of this.#element(piece, inCell)) {
          blocks.push(block);
          if (piece.place) {
            this.#located(block, piece.place);
          }
        }
      } else if (piece.kind === 'comment' && !line.some(isVisible)) {
        line = [];
        blocks.push(voidBlock('comment', { text: piece.value }));
      } else {
        line.push(piece);
      }
    }
    endLine();
    return blocks;
  }

  #element(element: Element, inCell: boolean): Block[] {
    const { name, attributes, children } = element;
    switch (name) {
      case 'table': {
        const table = readHtmlTable(element, {
          line: (pieces) => readLine(pieces, this.#context),
          blocks: (pieces) => this.blocks(pieces, true),
        });
        if (!table) {
          return this.blocks(children, inCell);
        }
        this.#context.budget.spend(bytesOfCells(table));
        return [table];
      }
      case 'ul':
      case 'ol':
        return this.#list(element);
      case 'blockquote':
        return [parent('blockquote', {}, withAnchors([attributes.get('id')], this.blocks(children)))];
      case 'hr':
        return [voidBlock('divider', {})];
      case 'pre':
        return [codeOfElement(element, (id) => this.#context.note(id))];
      case 'iframe': {
        const url = attributes.get('src');
        return isEmbedded(url)
          ? [voidBlock('embed', defined({ url, attributes: unknownAttributes(attributes, ['src']) }))]
          : [rawParagraph(element.open)];
      }
      case 'select':
      case 'option':
      case 'textarea':
        return [];
      case 'audio':
      case 'video':
      case 'embed':
        return mediaOf(element) ?? this.blocks(children, inCell);
      default:
        break;
    }
    const images = this.#images.read(element);
    if (images) {
      return [images];
    }
    if (/^h[1-6]$/.test(name)) {
      return [this.#heading(element)];
    }
    const align = name === 'center' ? 'center' : alignmentOf(attributes);
    const nodes = name === 'p' && align && !children.some(isBlockPiece) && readLine(children, this.#context);
    if (nodes) {
      return isEmptyLine(nodes) ? [] : [parent('paragraph', { align }, nodes)];
    }
    const id = attributes.get('id');
    const anchor = id ? [paragraph([voidInline('anchor', { id })])] : [];
    return [...anchor, ...this.blocks(children, inCell).map((block) => aligned(block, align))];
  }

  #heading({ name, attributes, children }: Element): Block {
    const align = alignmentOf(attributes);
    const anchors: { id?: string } = {};
    const nodes = readLine(children, this.#context, anchors);
    const id = attributes.get('id') || anchors.id;
    return parent(headingType(Number(name.slice(1))), defined({ id, align }), nodes);
  }

  #list({ name, attributes, children }: Element): Block[] {
    const items: ListItem[] = [];
    for (const child of children) {
      if (child.kind === 'element' && child.name === 'li') {
        const blocks = this.blocks(child.children, true);
        items.push(parent('list-item', {}, withAnchors([child.attributes.get('id')], blocks)));
      } else if (child.kind === 'element' || child.kind === 'block') {
        // A list in a list, without an item around it.
        items.at(-1)?.nodes.push(...this.blocks([child], true));
      }
    }
    if (items.length === 0) {
      return this.blocks(children);
    }
    const start = /^\d{1,9}$/.test(attributes.get('start') ?? '') ? Number(attributes.get('start')) : 1;
    return [
      name === 'ol'
        ? parent('list-ordered', start === 1 ? {} : { start }, items)
        : parent('list-unordered', {}, items),
    ];
  }
}

/** Returns the block of a sound or video: a file of the content, or an embed; undefined without an address. */
function mediaOf({ attributes, children }: Element): Block[] | undefined {
  const source = children.find((child) => child.kind === 'element' && child.name === 'source');
  const url =
    attributes.get('src') || (source?.kind === 'element' ? source.attributes.get('src') : undefined);
  const ref = url ? reference(url) : undefined;
  if (url === undefined || !ref) {
    return undefined;
  }
  return [isEmbedded(url) ? voidBlock('embed', { url }) : voidBlock('file', { ref })];
}

/** Returns whether the URL of a frame is one of external content. */
export const isEmbedded = (url: string | undefined): url is string => /^(?:https?:)?\/\//i.test(url ?? '');

/** Returns the alignment of an element, from its attribute or style. */
function alignmentOf(attributes: Map<string, string>): Alignment | undefined {
  const style = /(?:^|;)\s*text-align\s*:\s*(\w+)/i.exec(attributes.get('style') ?? '')?.[1];
  return alignment(attributes.get('align') ?? style);
}

/** Applies the alignment of the enclosing element to a block without an alignment. The block keeps its range. */
function aligned(block: Block, align: Alignment | undefined): Block {
  if (!align || align === 'start') {
    return block;
  }
  switch (block.type) {
    case 'paragraph':
    case 'heading-1':
    case 'heading-2':
    case 'heading-3':
    case 'images':
      block.data.align ??= align;
      return block;
    default:
      return block;
  }
}

const isBlockPiece = (piece: Piece): boolean =>
  piece.kind === 'block' || (piece.kind === 'element' && isBlockElement(piece.name));
