/** Converts pieces to the inline nodes of a document. */
import type { Tag } from '../attributes.ts';
import type { Block, Inline, InlineNode, Leaf, Mark } from '../document.ts';
import { defined, inlineText, mentionLabel, plainText, rawLeaf, reference, voidInline } from '../document.ts';
import type { HeadingType } from '../headings.ts';
import { NOTE_LINK } from '../html.ts';
import type { DocumentBudget } from '../limits.ts';
import { markOf, withMark } from '../marks.ts';
import { hasCondition, previewOf } from '../nodes.ts';
import { isInvisibleTag, isTransparentElement, isVoidElement } from './html/elements.ts';
import {
  buttonOf,
  checkboxText,
  codePieces,
  emojiText,
  hasClass,
  iconOf,
  isEmptyImage,
  isMention,
  noteOfLink,
  spanData,
} from './html/inline-elements.ts';
import { imageOf, vectorImageOf } from './images.ts';
import { bytesOfPiece, type Element, isImage, type Piece, textOfPieces } from './pieces.ts';
import { addLeaf, lineText, spacedLine } from './spaces.ts';

/** Page context of a line. */
export interface LineContext {
  /** Returns the body of a footnote; undefined if it is not defined. */
  note(id: string): Block[] | undefined;
  /** Counts the nodes of the document, with their marks and text. */
  budget: DocumentBudget;
}

/** Properties at the start of a line besides its nodes. */
interface Anchors {
  /** ID of an empty `<a id>`. Only used by headings. */
  id?: string;
}

/** Reads the nodes of a line. Spaces are collapsed as in HTML, and removed at both ends and at the ends of marks. */
export function readLine(pieces: Piece[], context: LineContext, anchors?: Anchors): InlineNode[] {
  const nodes: InlineNode[] = [];
  const reader = new LineReader(context, anchors);
  reader.read(pieces, [], nodes, false);
  return spacedLine(nodes);
}

class LineReader {
  readonly #context: LineContext;
  readonly #anchors: Anchors | undefined;

  constructor(context: LineContext, anchors: Anchors | undefined) {
    this.#context = context;
    this.#anchors = anchors;
  }

  read(pieces: Piece[], marks: Mark[], into: InlineNode[], inLink: boolean): void {
    for (let index = 0; index < pieces.length; index++) {
      const piece = pieces[index];
      if (piece === undefined) {
        continue;
      }
      this.#context.budget.spend(bytesOfPiece(piece) + marks.length * MARK_BYTES);
      switch (piece.kind) {
        case 'text':
          addLeaf(into, { object: 'leaf', text: lineText(piece.value), marks });
          break;
        case 'code':
          addLeaf(into, codeLeaf(piece.value, marks));
          break;
        case 'raw':
          this.#raw(piece, into);
          break;
        case 'comment':
          into.push(voidInline('comment', { text: piece.value }));
          break;
        case 'tag':
          into.push(voidInline('tag', tagData(piece.tag)));
          break;
        case 'block':
          this.#block(piece.block, into);
          break;
        case 'break':
          addLeaf(into, { object: 'leaf', text: '\n', marks });
          break;
        case 'math':
          into.push(voidInline('inline-math', { formula: piece.value }));
          break;
        case 'emoji':
          into.push(voidInline('emoji', { code: piece.value }));
          break;
        case 'note':
          this.#note(piece, [], into);
          break;
        case 'element': {
          const next = pieces[index + 1];
          const annotated = piece.attributes.get('href')?.startsWith(NOTE_LINK) && next?.kind === 'note';
          if (annotated && !inLink) {
            const text: InlineNode[] = [];
            this.read(piece.children, marks, text, true);
            this.#note(next, text, into);
            index++;
          } else if (!inLink && this.#annotation(piece, marks, into)) {
            break;
          } else {
            this.#element(piece, marks, into, inLink);
          }
        }
      }
    }
  }

  /** Reads a tag without its counterpart: in HTML, that of a known element shows nothing. */
  #raw({ value, token }: Extract<Piece, { kind: 'raw' }>, into: InlineNode[]): void {
    const attributes = token?.kind === 'open' && token.name === 'a' ? token.attributes : undefined;
    const id = attributes?.get('id') || attributes?.get('name');
    if (id) {
      into.push(voidInline('anchor', { id }));
    } else if (!isInvisibleTag(token)) {
      addLeaf(into, rawLeaf(value));
    }
  }

  #note(note: { id: string; label: string }, nodes: InlineNode[], into: InlineNode[]): void {
    const body = this.#context.note(note.id);
    if (body) {
      into.push({ object: 'inline', type: 'annotation', isVoid: false, data: { body }, nodes });
    } else {
      into.push(...nodes, plainText(`[^${note.label}]`));
    }
  }

  /** Reads the annotation of a link in HTML, which names its note; returns whether it is one of a note that exists. */
  #annotation({ name, attributes, children }: Element, marks: Mark[], into: InlineNode[]): boolean {
    const id = name === 'a' ? noteOfLink(attributes.get('href')) : undefined;
    const body = id === undefined ? undefined : this.#context.note(id.toLowerCase());
    if (!body) {
      return false;
    }
    const nodes: InlineNode[] = [];
    // The label of a note is not part of the text.
    if (textOfPieces(children).trim() !== id) {
      this.read(children, marks, nodes, true);
    }
    into.push({ object: 'inline', type: 'annotation', isVoid: false, data: { body }, nodes });
    return true;
  }

  /** Reduces a block to a line, where only a line is possible. A conditional one is omitted: everyone would see it. */
  #block(block: Block, into: InlineNode[]): void {
    if (hasCondition(block)) {
      return;
    }
    if (block.type === 'paragraph' || isHeading(block)) {
      into.push(...block.nodes);
    } else {
      addLeaf(into, { object: 'leaf', text: lineText(previewOf(block)), marks: [] });
    }
  }

  #element(element: Element, marks: Mark[], into: InlineNode[], inLink: boolean): void {
    if (element.name === 'svg') {
      const { image, title } = vectorImageOf(element);
      if (image) {
        into.push(image);
      } else {
        addLeaf(into, { object: 'leaf', text: lineText(title), marks });
      }
      return;
    }
    const inline = this.#inlineOf(element, marks, inLink);
    if (inline === 'nothing') {
      return;
    }
    if (inline) {
      if (inline.type === 'link') {
        this.#anchor(element, into);
      }
      into.push(inline);
      return;
    }
    const mark = markOf(element);
    if (mark) {
      this.#anchor(element, into);
      const children = element.children;
      this.read(mark.type === 'code' ? codePieces(children) : children, withMark(marks, mark), into, inLink);
    } else if (element.name === 'span' && element.attributes.get('data-tag') === 'emoji') {
      addLeaf(into, { object: 'leaf', text: emojiText(element), marks });
    } else if (element.name === 'span' && element.attributes.size > 0) {
      const nodes: InlineNode[] = [];
      this.read(element.children, marks, nodes, inLink);
      const data = spanData(element.attributes);
      into.push({ object: 'inline', type: 'span', isVoid: false, data, nodes });
    } else if (element.name === 'q') {
      addLeaf(into, { object: 'leaf', text: '“', marks });
      this.read(element.children, marks, into, inLink);
      addLeaf(into, { object: 'leaf', text: '”', marks });
    } else if (element.name === 'input') {
      addLeaf(into, { object: 'leaf', text: checkboxText(element), marks });
    } else if (
      isTransparentElement(element.name) ||
      (element.name === 'a' && inLink && element.open === '')
    ) {
      this.read(element.children, marks, into, inLink);
    } else if (element.name === 'a' && !element.attributes.has('href')) {
      this.#anchor(element, into);
      this.read(element.children, marks, into, inLink);
    } else {
      addLeaf(into, rawLeaf(element.open));
      this.read(element.children, marks, into, inLink);
      addLeaf(into, rawLeaf(element.close));
    }
  }

  /** Adds the ID of an element that is represented by its content only. In a heading, the first is that of the heading. */
  #anchor({ attributes }: Element, into: InlineNode[]): void {
    const id = attributes.get('id') || attributes.get('name');
    if (!id) {
      return;
    }
    if (this.#anchors && this.#anchors.id === undefined) {
      this.#anchors.id = id;
    } else {
      into.push(voidInline('anchor', { id }));
    }
  }

  #inlineOf(element: Element, marks: Mark[], inLink: boolean): Inline | 'nothing' | undefined {
    const { name, attributes, children } = element;
    if (name === 'img' || name === 'picture') {
      return imageOf(element) ?? (isEmptyImage(element) ? 'nothing' : undefined);
    }
    if (name !== 'input' && isVoidElement(element)) {
      return 'nothing';
    }
    if (name === 'i') {
      return iconOf(attributes);
    }
    if (name === 'code' && attributes.get('class') === 'expression') {
      const expression = textOfPieces(children).trim();
      return expression ? voidInline('expression', { expression }) : undefined;
    }
    if (name === 'button' && hasClass(attributes, 'button')) {
      return buttonOf(element);
    }
    if (name !== 'a') {
      return undefined;
    }
    if (hasClass(attributes, 'button')) {
      return buttonOf(element);
    }
    const id = attributes.get('id') || attributes.get('name');
    if (
      id &&
      textOfPieces(children).trim() === '' &&
      !children.some((child) => child.kind === 'element' && isImage(child))
    ) {
      if (!this.#anchors || this.#anchors.id !== undefined) {
        return voidInline('anchor', { id });
      }
      this.#anchors.id = id;
      return 'nothing';
    }
    const href = attributes.get('href');
    const ref = href === undefined ? undefined : reference(href);
    if (href === undefined || !ref || inLink) {
      return undefined;
    }
    if (isMention(element)) {
      const label = textOfPieces(children);
      return voidInline('mention', defined({ ref, label: label === mentionLabel(href) ? undefined : label }));
    }
    const nodes: InlineNode[] = [];
    this.read(children, marks, nodes, true);
    const title = attributes.get('title') || undefined;
    return { object: 'inline', type: 'link', isVoid: false, data: defined({ ref, title }), nodes };
  }
}

const isHeading = (block: Block): block is Extract<Block, { type: HeadingType }> =>
  block.type === 'heading-1' || block.type === 'heading-2' || block.type === 'heading-3';

/** Returns the data of a tag that is not defined. */
export function tagData({ name, rest }: Tag): { name: string; content?: string } {
  return defined({ name, content: rest || undefined });
}

/** Approximate size of a mark as JSON. */
const MARK_BYTES = 30;

const codeLeaf = (value: string, marks: Mark[]): Leaf => ({
  object: 'leaf',
  text: value.replace(/\n/g, ' '),
  marks: withMark(marks, { object: 'mark', type: 'code' }),
});

/** Returns whether a line has no visible content. */
export function isEmptyLine(nodes: InlineNode[]): boolean {
  return nodes.every((node) => node.object === 'text' && inlineText([node]).trim() === '');
}
