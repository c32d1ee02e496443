/** Converts the syntax tree of a page to blocks. */
import type {
  Definition,
  List as MarkdownList,
  Table as MarkdownTable,
  Paragraph,
  PhrasingContent,
  RootContent,
} from 'mdast';
import { alignment } from '../alignments.ts';
import { readTag } from '../attributes.ts';
import type { Block, CodeLine, Document, ListItem } from '../document.ts';
import { defined, paragraph, parent, plainText, voidBlock } from '../document.ts';
import { headingType } from '../headings.ts';
import { DocumentBudget } from '../limits.ts';
import type { TagText } from '../syntax.ts';
import { endedBy, tagReader } from '../tags.ts';
import { assemble, type FlowItem } from './assemble.ts';
import { HtmlReader } from './html-blocks.ts';
import { imagesOfLine } from './images.ts';
import { isEmptyLine, type LineContext, readLine } from './inlines.ts';
import { type Passage, PassageReader } from './passages.ts';
import { markdownPieces, type Piece } from './pieces.ts';
import { textLine } from './spaces.ts';
import { bytesOfCells, tableBlock } from './tables.ts';
import { syntaxNodes } from './windows.ts';

/** Maximum nesting depth of quotations and lists; deeper ones are read as text. */
export const MAX_BLOCK_DEPTH = 40;

/** Approximate size of a block as JSON. */
const BLOCK_BYTES = 60;

/** Approximate size of a line of code as JSON. */
const LINE_BYTES = 120;

/** Maximum number of times that a note is shown in full; further references to it are text. */
export const MAX_NOTE_REFERENCES = 50;

/**
 * Reads a page, without keys.
 *
 * `passages` reads its syntax. Pass the same instance to reuse passages of texts that were read before.
 */
export function readDocument(markdown: string, passages = new PassageReader()): Document {
  const nodes = new PageReader(passages.read(markdown)).page();
  return { object: 'document', data: { schemaVersion: 1 }, nodes };
}

class PageReader {
  readonly #passages: Passage[];
  readonly #definitions = new Map<string, Definition>();
  readonly #notes = new Map<string, Passage>();
  readonly #noteUses = new Map<string, number>();
  readonly #budget = new DocumentBudget();
  readonly #html: HtmlReader;
  readonly #line: LineContext;
  /** The text that the positions of the current nodes refer to. */
  #source = '';
  #depth = 0;
  #inNote = false;

  constructor(passages: Passage[]) {
    this.#passages = passages;
    this.#line = { note: (id) => this.#note(id), budget: this.#budget };
    this.#html = new HtmlReader(this.#line, (markdown) => this.#inner(markdown));
  }

  page(): Block[] {
    for (const { nodes, source } of this.#passages) {
      this.#collect(nodes, source, 0);
    }
    return assemble(this.#pageItems());
  }

  *#pageItems(): Generator<FlowItem> {
    for (const { nodes, source } of this.#passages) {
      this.#source = source;
      yield* this.#items(nodes);
    }
  }

  /** Collects the definitions of links and notes at any depth. */
  #collect(nodes: RootContent[], source: string, depth: number): void {
    const collect = ({ children }: { children: RootContent[] }) => {
      if (depth < MAX_BLOCK_DEPTH) {
        this.#collect(children, source, depth + 1);
      }
    };
    for (const node of nodes) {
      if (node.type === 'definition') {
        if (!this.#definitions.has(node.identifier)) {
          this.#definitions.set(node.identifier, node);
        }
      } else if (node.type === 'footnoteDefinition') {
        if (!this.#notes.has(node.identifier)) {
          this.#notes.set(node.identifier, { source, nodes: node.children });
        }
        collect(node);
      } else if (node.type === 'list') {
        node.children.forEach(collect);
      } else if (node.type === 'blockquote') {
        collect(node);
      }
    }
  }

  /** Returns the body of a note. Notes within notes are text, to prevent cycles. */
  #note(id: string): Block[] | undefined {
    const note = this.#notes.get(id);
    const uses = this.#noteUses.get(id) ?? 0;
    if (!note || this.#inNote || uses === MAX_NOTE_REFERENCES) {
      return undefined;
    }
    this.#noteUses.set(id, uses + 1);
    this.#inNote = true;
    const body = this.#part(note);
    this.#inNote = false;
    return body;
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
    const outer = this.#source;
    this.#source = source;
    const blocks = this.#blocks(nodes);
    this.#source = outer;
    return blocks;
  }

  #blocks(nodes: RootContent[]): Block[] {
    return assemble(this.#items(nodes));
  }

  /** Reads nested blocks. Beyond the maximum depth, returns their source as text. */
  #nested(node: { children: RootContent[]; position?: { start: Offset; end: Offset } | undefined }): Block[] {
    if (this.#depth >= MAX_BLOCK_DEPTH) {
      const source = this.#source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
      const nodes = textLine(source);
      return nodes.length > 0 ? [paragraph(nodes)] : [];
    }
    this.#depth++;
    const blocks = this.#blocks(node.children);
    this.#depth--;
    return blocks;
  }

  *#items(nodes: RootContent[]): Generator<FlowItem> {
    for (const node of nodes) {
      this.#budget.spend(BLOCK_BYTES);
      switch (node.type) {
        case 'paragraph':
          yield* this.#paragraph(node);
          break;
        case 'tagLine':
          yield { kind: 'tag', tag: readTag(node.value) };
          break;
        case 'html':
          yield* this.#html.items(node.value);
          break;
        case 'table':
          yield* this.#table(node);
          break;
        default: {
          const block = this.#block(node);
          if (block) {
            yield { kind: 'block', block };
          }
        }
      }
    }
  }

  #block(node: RootContent): Block | undefined {
    switch (node.type) {
      case 'heading': {
        const anchors: { id?: string } = {};
        const nodes = readLine(withoutBreaks(this.#pieces(node.children)), this.#line, anchors);
        return parent(headingType(node.depth), defined({ id: anchors.id }), nodes);
      }
      case 'thematicBreak':
        return voidBlock('divider', {});
      case 'blockquote':
        return parent('blockquote', {}, this.#nested(node));
      case 'list':
        return this.#list(node);
      case 'code':
        this.#budget.spend(node.value.length + node.value.split('\n').length * LINE_BYTES);
        return codeBlock(node.value, node.lang ?? undefined, node.meta ?? undefined);
      case 'math':
        return voidBlock('math', { formula: node.meta ? `${node.meta}\n${node.value}`.trim() : node.value });
      default:
        return undefined;
    }
  }

  #pieces(nodes: PhrasingContent[]): Piece[] {
    return markdownPieces(nodes, this.#definitions);
  }

  /** Reads a paragraph. Tags at its start and end are separate items: `{% hint %} text {% endhint %}`. */
  #paragraph({ children }: Paragraph): FlowItem[] {
    const before: FlowItem[] = [];
    const after: FlowItem[] = [];
    const line = [...children];
    for (let first = line[0]; first && isBlockTag(first); first = line[0]) {
      before.push({ kind: 'tag', tag: readTag(first.value) });
      line.shift();
      dropSpace(line, 0);
    }
    for (let last = line.at(-1); last && isBlockTag(last); last = line.at(-1)) {
      after.unshift({ kind: 'tag', tag: readTag(last.value) });
      line.pop();
      dropSpace(line, line.length - 1);
    }
    const pieces = this.#pieces(line);
    const images = imagesOfLine(pieces);
    const nodes = images ? [] : readLine(pieces, this.#line);
    const middle: FlowItem[] = [];
    if (images) {
      middle.push({ kind: 'block', block: parent('images', {}, images) });
    } else if (!isEmptyLine(nodes)) {
      middle.push({ kind: 'block', block: paragraph(nodes) });
    }
    return [...before, ...middle, ...after];
  }

  #list(list: MarkdownList): Block {
    const items: ListItem[] = list.children.map((item) =>
      parent('list-item', defined({ checked: item.checked ?? undefined }), this.#nested(item)),
    );
    if (list.ordered) {
      const start = list.start ?? 1;
      return parent('list-ordered', start === 1 ? {} : { start }, items);
    }
    const isTasks = list.children.some((item) => typeof item.checked === 'boolean');
    return parent(isTasks ? 'list-tasks' : 'list-unordered', {}, items);
  }

  /** Reads a table. Tags that follow it without a blank line are parsed as its rows. */
  #table(table: MarkdownTable): FlowItem[] {
    const rows = [...table.children];
    const tags: FlowItem[] = [];
    for (let last = rows.at(-1); rows.length > 1 && last; last = rows.at(-1)) {
      const tag = soleTag(last.children.map((cell) => cell.children));
      if (!tag) {
        break;
      }
      tags.unshift({ kind: 'tag', tag: readTag(tag.value) });
      rows.pop();
    }
    const [head, ...body] = rows;
    const columns = (head?.children ?? []).map((cell, index) =>
      defined({
        title: readLine(this.#pieces(cell.children), this.#line),
        type: 'text',
        align: alignment(table.align?.[index]),
      }),
    );
    const cells = body.map((row) =>
      row.children.map((cell) => {
        const nodes = readLine(this.#pieces(cell.children), this.#line);
        return isEmptyLine(nodes) ? [] : [paragraph(nodes)];
      }),
    );
    const block = tableBlock({ type: 'grid' }, columns, cells);
    this.#budget.spend(bytesOfCells(block));
    return [{ kind: 'block', block }, ...tags];
  }
}

interface Offset {
  offset?: number | undefined;
}

/** Replaces line breaks by spaces, because a heading is a single line. */
function withoutBreaks(pieces: Piece[]): Piece[] {
  return pieces.map((piece) => {
    if (piece.kind === 'break') {
      return { kind: 'text', value: ' ' };
    }
    return piece.kind === 'element' ? { ...piece, children: withoutBreaks(piece.children) } : piece;
  });
}

function isBlockTag(node: PhrasingContent): node is TagText {
  if (node.type !== 'tagText') {
    return false;
  }
  const { name } = readTag(node.value);
  return tagReader(name) !== undefined || endedBy(name) !== undefined;
}

function dropSpace(line: PhrasingContent[], index: number): void {
  const node = line[index];
  if (node?.type === 'text' && node.value.trim() === '') {
    line.splice(index, 1);
  } else if (node?.type === 'break') {
    line.splice(index, 1);
  }
}

function soleTag(cells: PhrasingContent[][]): TagText | undefined {
  const [first, ...more] = cells.flat();
  return first && more.length === 0 && isBlockTag(first) ? first : undefined;
}

/** Creates a code block. The info string after the language is stored as the attribute `meta`. */
export function codeBlock(value: string, syntax?: string, meta?: string): Block {
  const lines: CodeLine[] = value
    .split('\n')
    .map((line) => parent('code-line', {}, line === '' ? [] : [plainText(line)]));
  const data = { syntax: syntax || undefined, attributes: meta ? { meta } : undefined };
  return parent('code', defined(data), lines);
}
