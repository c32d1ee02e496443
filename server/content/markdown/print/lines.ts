/** Prints lines of a document as Markdown: marks, links, images, notes and other inlines. */
import type { FootnoteDefinition, Html, PhrasingContent, Text } from 'mdast';
import {
  type AddressOf,
  type AnyBlock,
  type Block,
  type Inline,
  type InlineNode,
  type Leaf,
  type Mark,
  MENTION_TITLE,
  mentionLabel,
} from '../document.ts';
import { NOTE_LINK } from '../html.ts';
import { MARK_ORDER, markTags, sameMark } from '../marks.ts';
import { elementParts, spanOpen } from './html-lines.ts';

/** Content of mdast containers. */
export type Flow = FootnoteDefinition['children'];

/** Creates an HTML node. */
export const html = (value: string): Html => ({ type: 'html', value });

/** The label of a note. */
export interface NoteLabel {
  label: string;
  /** Whether the text contains the definition of the note already. */
  isDefined: boolean;
}

/** Returns the label of a note by its body. */
export type NoteOf = (body: Block[]) => NoteLabel;

/** Prints the lines of a page, and collects the notes that they refer to. */
export class LinePrinter {
  /** Notes of the printed lines, numbered from 1 in reading order. */
  readonly notes: FootnoteDefinition[] = [];
  readonly #addressOf: AddressOf;
  readonly #flow: (blocks: AnyBlock[]) => Flow;
  readonly #noteOf: NoteOf | undefined;

  /**
   * @param flow prints the blocks of a note
   * @param noteOf returns the labels of notes; by default, notes are numbered from 1
   */
  constructor(addressOf: AddressOf, flow: (blocks: AnyBlock[]) => Flow, noteOf: NoteOf | undefined) {
    this.#addressOf = addressOf;
    this.#flow = flow;
    this.#noteOf = noteOf;
  }

  /** Prints a line as Markdown. In a cell, line breaks are HTML. */
  line(nodes: InlineNode[], inCell = false): PhrasingContent[] {
    const printed = nodes.flatMap((node) =>
      node.object === 'text' ? nestMarks(node.leaves, 0, inCell) : this.#inline(node, inCell),
    );
    return withSafeBreaks(printed);
  }

  #inline(node: Inline, inCell: boolean): PhrasingContent[] {
    switch (node.type) {
      case 'link': {
        const { ref, title } = node.data;
        const children = this.line(node.nodes, inCell);
        return [{ type: 'link', url: this.#addressOf(ref), title: title ?? null, children }];
      }
      case 'mention': {
        const url = this.#addressOf(node.data.ref);
        const value = node.data.label ?? mentionLabel(url);
        const children: Text[] = value === '' ? [] : [{ type: 'text', value }];
        return [{ type: 'link', url, title: MENTION_TITLE, children }];
      }
      case 'span':
        return [html(spanOpen(node)), ...this.line(node.nodes, inCell), html('</span>')];
      case 'tag':
        return [{ type: 'tagText', value: unknownTag(node.data) }];
      case 'emoji':
        return [{ type: 'emoji', value: node.data.code }];
      case 'inline-math':
        return [{ type: 'inlineMath', value: node.data.formula }];
      case 'annotation':
        return this.#annotation(node, inCell);
      case 'inline-image': {
        const { ref, refDark, alt, title, size, attributes } = node.data;
        if (refDark || size || attributes) {
          return [html(elementParts(node, this.#addressOf)[0])];
        }
        return [{ type: 'image', url: this.#addressOf(ref), alt: alt ?? '', title: title ?? null }];
      }
      default: {
        const [open, text, close] = elementParts(node, this.#addressOf);
        return close === '' ? [html(open)] : [html(open), { type: 'text', value: text }, html(close)];
      }
    }
  }

  #annotation(node: Extract<Inline, { type: 'annotation' }>, inCell: boolean): PhrasingContent[] {
    const identifier = this.noteLabel(node.data.body);
    const reference: PhrasingContent = { type: 'footnoteReference', identifier, label: identifier };
    if (node.nodes.length === 0) {
      return [reference];
    }
    const url = `${NOTE_LINK}${identifier}`;
    return [{ type: 'link', url, children: this.line(node.nodes, inCell) }, reference];
  }

  /** Returns the label of a note, and adds its definition unless it exists. */
  noteLabel(body: Block[]): string {
    const { label, isDefined } = this.#noteOf?.(body) ?? {
      label: String(this.notes.length + 1),
      isDefined: false,
    };
    if (!isDefined) {
      const note: FootnoteDefinition = { type: 'footnoteDefinition', identifier: label, label, children: [] };
      // Before the notes in its body.
      this.notes.push(note);
      note.children = this.#flow(body);
    }
    return label;
  }
}

/** Prints a tag that the contract does not define. */
export const unknownTag = ({ name, content }: { name: string; content?: string }): string =>
  `{% ${content === undefined ? name : `${name} ${content}`} %}`;

/** Nests leaves by their marks, outermost mark first. */
function nestMarks(leaves: Leaf[], level: number, inCell: boolean): PhrasingContent[] {
  const type = MARK_ORDER[level];
  if (type === undefined) {
    return leaves.flatMap((leaf) => leafNodes(leaf, inCell));
  }
  const nodes: PhrasingContent[] = [];
  let index = 0;
  while (index < leaves.length) {
    const mark = markOfType(leaves[index], type);
    const start = index;
    while (index < leaves.length && sameMark(markOfType(leaves[index], type), mark)) {
      index++;
    }
    const run = leaves.slice(start, index);
    if (mark) {
      nodes.push(...marked(mark, run, level, inCell));
    } else {
      nodes.push(...nestMarks(run, level + 1, inCell));
    }
  }
  return nodes;
}

const markOfType = (leaf: Leaf | undefined, type: Mark['type']): Mark | undefined =>
  leaf?.raw ? undefined : leaf?.marks.find((mark) => mark.type === type);

function marked(mark: Mark, run: Leaf[], level: number, inCell: boolean): PhrasingContent[] {
  if (mark.type === 'code') {
    return [{ type: 'inlineCode', value: run.map((leaf) => leaf.text).join('') }];
  }
  const children = withSafeBreaks(nestMarks(run, level + 1, inCell));
  if (mark.type === 'bold') {
    return [{ type: 'strong', children }];
  }
  if (mark.type === 'italic') {
    return [{ type: 'emphasis', children }];
  }
  if (mark.type === 'strikethrough') {
    return [{ type: 'delete', children }];
  }
  const { open, close } = markTags(mark);
  return [html(open), ...children, html(close)];
}

/**
 * Replaces breaks before HTML by `<br>`. The printer would remove them, because a line that starts with HTML would be a
 * block.
 */
function withSafeBreaks(nodes: PhrasingContent[]): PhrasingContent[] {
  return nodes.map((node, index) =>
    node.type === 'break' && nodes[index + 1]?.type === 'html' ? html('<br>') : node,
  );
}

function leafNodes(leaf: Leaf, inCell: boolean): PhrasingContent[] {
  if (leaf.raw) {
    return [html(leaf.text)];
  }
  const nodes: PhrasingContent[] = [];
  leaf.text.split('\n').forEach((value, index) => {
    if (index > 0) {
      nodes.push(inCell ? html('<br>') : { type: 'break' });
    }
    if (value !== '') {
      nodes.push({ type: 'text', value });
    }
  });
  return nodes;
}
