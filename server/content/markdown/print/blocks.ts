/** Prints the blocks of a document as Markdown. */
import type { PhrasingContent, RootContent, TableRow } from 'mdast';
import { writtenAlignment } from '../alignments.ts';
import { writeTag } from '../attributes.ts';
import type { AddressOf, AnyBlock, Block, Code, InlineNode, Reference, Table } from '../document.ts';
import { addressLabel, hasMarkedLines, rawSource } from '../document.ts';
import { headingLevel } from '../headings.ts';
import { htmlOpen } from '../html.ts';
import type { TagLine } from '../syntax.ts';
import { htmlBlock, htmlDrawing, htmlImages, htmlTable } from './html.ts';
import { htmlCode, textOfCodeLine } from './html-code.ts';
import { type HtmlTargets, htmlComment, htmlLine } from './html-lines.ts';
import { type Flow, html, LinePrinter, type NoteOf, unknownTag } from './lines.ts';
import { markdownRows } from './table.ts';
import { type TaggedBlock, tagOf } from './tags.ts';

/** Returns the nodes of a page: its blocks, followed by the notes that its lines refer to. */
export function pageNodes(
  blocks: readonly AnyBlock[],
  addressOf: AddressOf,
  noteOf: NoteOf | undefined,
): RootContent[] {
  return new BlockPrinter(addressOf, noteOf).page(blocks);
}

/** Returns the definition of a note. */
export function noteNode(
  label: string,
  body: Block[],
  addressOf: AddressOf,
  noteOf: NoteOf | undefined,
): RootContent {
  const children = new BlockPrinter(addressOf, noteOf).flow(body);
  return { type: 'footnoteDefinition', identifier: label, label, children };
}

class BlockPrinter {
  readonly #addressOf: AddressOf;
  readonly #lines: LinePrinter;
  readonly #targets: HtmlTargets;

  constructor(addressOf: AddressOf, noteOf: NoteOf | undefined) {
    this.#addressOf = addressOf;
    this.#lines = new LinePrinter(addressOf, (blocks) => this.flow(blocks), noteOf);
    this.#targets = { addressOf, noteLabel: (body) => this.#lines.noteLabel(body) };
  }

  page(blocks: readonly AnyBlock[]): RootContent[] {
    const children = this.#blocks(blocks);
    return [...children, ...this.#lines.notes];
  }

  #blocks(blocks: readonly AnyBlock[]): RootContent[] {
    return blocks.flatMap((block) => this.#block(block));
  }

  /** Prints the blocks in a Markdown container. */
  flow(blocks: AnyBlock[]): Flow {
    // mdast's type for containers lacks the tag lines, which `syntax.ts` adds to the content of the root only.
    return this.#blocks(blocks) as Flow;
  }

  #block(block: AnyBlock): RootContent[] {
    switch (block.type) {
      case 'paragraph': {
        const raw = rawSource(block);
        if (raw !== undefined) {
          return [html(raw)];
        }
        if (block.data.align) {
          return [html(htmlBlock(block, this.#targets))];
        }
        return [{ type: 'paragraph', children: this.#lines.line(block.nodes) }];
      }
      case 'heading-1':
      case 'heading-2':
      case 'heading-3': {
        if (block.data.align) {
          return [html(htmlBlock(block, this.#targets))];
        }
        const line = this.#lines.line(block.nodes);
        const id = anchor(block.data.id);
        // The first anchor in a heading is that of the heading.
        const children = mayHoldAnchor(block.nodes) ? [...id, ...line] : [...line, ...id];
        return [{ type: 'heading', depth: headingLevel(block.type), children }];
      }
      case 'list-ordered':
      case 'list-unordered':
      case 'list-tasks':
        return [this.#list(block)];
      case 'divider':
        return [{ type: 'thematicBreak' }];
      case 'blockquote':
        return [{ type: 'blockquote', children: this.flow(block.nodes) }];
      case 'images':
        return [html(htmlImages(block, this.#targets))];
      case 'drawing':
        return [html(htmlDrawing(block, this.#targets))];
      case 'code':
        return this.#code(block);
      case 'math':
        return [{ type: 'math', value: block.data.formula }];
      case 'expandable': {
        const { id, title, body, open } = block.data;
        const summary = html(`<summary>${htmlLine(title, this.#targets)}</summary>`);
        const tag = htmlOpen('details', [['id', id]]);
        const start = html(open ? tag.replace(/>$/, ' open>') : tag);
        return [start, summary, ...this.#blocks(body), html('</details>')];
      }
      case 'table':
        return this.#table(block);
      case 'hint':
      case 'tabs':
      case 'tabs-item':
      case 'stepper':
      case 'stepper-step':
      case 'columns':
      case 'column':
      case 'prompt':
      case 'updates':
      case 'update':
        return this.#tagged(block, this.#blocks(block.nodes));
      case 'file':
      case 'embed': {
        const { caption = [] } = block.data;
        const line: RootContent = { type: 'paragraph', children: this.#lines.line(caption) };
        return this.#tagged(block, caption.length > 0 ? [line] : []);
      }
      case 'content-ref': {
        const { ref, title } = block.data;
        const label = title ? this.#lines.line(title) : undefined;
        return this.#tagged(block, [this.#link(ref, label)]);
      }
      case 'swagger': {
        const { ref } = block.data;
        return this.#tagged(block, ref ? [this.#link(ref)] : []);
      }
      case 'openapi-operation':
      case 'openapi-schemas':
      case 'openapi-webhook': {
        const { spec = '', ref } = block.data;
        const label: PhrasingContent = { type: 'text', value: `OpenAPI ${spec}`.trim() };
        return this.#tagged(block, ref ? [this.#link(ref, [label])] : []);
      }
      case 'integration': {
        const { integration, block: id, props } = block.data;
        return [tagLine(writeTag(`@${integration}/${id}`, Object.entries(props)), 'alone')];
      }
      case 'reusable-content':
        return [tagLine(`{% include "${this.#addressOf(block.data.ref)}" %}`, 'alone')];
      case 'if': {
        const open = tagLine(`{% if ${block.data.expression} %}`, 'start');
        return [open, ...this.#blocks(block.nodes), tagLine(writeTag('endif'), 'end')];
      }
      case 'comment':
        return [html(htmlComment(block.data.text))];
      case 'tag': {
        const { name, paired } = block.data;
        if (!paired) {
          return [tagLine(unknownTag(block.data), 'alone')];
        }
        const open = tagLine(unknownTag(block.data), 'start');
        return [open, ...this.#blocks(block.nodes), tagLine(writeTag(`end${name}`), 'end')];
      }
      case 'list-item':
      case 'code-line':
      case 'image':
        // Printed with their parents.
        return [];
    }
  }

  /** Wraps content in the tag of a block and its end tag. */
  #tagged(block: TaggedBlock, content: RootContent[]): RootContent[] {
    const { name, attributes } = tagOf(block, this.#addressOf);
    const end = tagLine(writeTag(`end${name}`), 'end');
    return [tagLine(writeTag(name, attributes), 'start'), ...content, end];
  }

  /** Creates a paragraph that consists of a link. The default label is the end of its URL. */
  #link(ref: Reference, label?: PhrasingContent[]): RootContent {
    const url = this.#addressOf(ref);
    const children = label ?? [{ type: 'text', value: addressLabel(url) }];
    return { type: 'paragraph', children: [{ type: 'link', url, children }] };
  }

  #list(block: Extract<AnyBlock, { type: 'list-ordered' | 'list-unordered' | 'list-tasks' }>): RootContent {
    const items = block.nodes.map((item) => {
      const children = this.flow(item.nodes);
      const isTight = children.every(({ type }, index) =>
        index === 0 ? type === 'paragraph' : type === 'list',
      );
      // A task requires a preceding paragraph.
      const checked = children[0]?.type === 'paragraph' ? (item.data.checked ?? null) : null;
      return { type: 'listItem' as const, spread: !isTight, checked, children };
    });
    const ordered = block.type === 'list-ordered';
    const start = ordered ? (block.data.start ?? 1) : null;
    return { type: 'list', ordered, start, spread: false, children: items };
  }

  /**
   * Prints code, within a tag if it has properties that a fence does not support. The info string after the language is
   * not a tag attribute.
   */
  #code(block: Code): RootContent[] {
    if (hasMarkedLines(block)) {
      return [html(htmlCode(block, this.#targets))];
    }
    const { syntax, attributes } = block.data;
    const { meta, ...rest } = attributes ?? {};
    const code: RootContent = {
      type: 'code',
      lang: syntax ?? null,
      meta: syntax ? (meta ?? null) : null,
      value: block.nodes.map(textOfCodeLine).join('\n'),
    };
    const titled = { ...block, data: { ...block.data, attributes: rest } };
    const isPlain = tagOf(titled, this.#addressOf).attributes.every(([, value]) => value === undefined);
    return isPlain ? [code] : this.#tagged(titled, [code]);
  }

  #table(table: Table): RootContent[] {
    const rows = markdownRows(table);
    if (!rows) {
      return htmlTable(table, this.#targets).flatMap((part) =>
        typeof part === 'string' ? [html(part)] : this.#blocks(part),
      );
    }
    const { view, definition } = table.data;
    const row = (lines: InlineNode[][]): TableRow => ({
      type: 'tableRow',
      children: lines.map((line) => ({ type: 'tableCell', children: this.#lines.line(line, true) })),
    });
    const head = view.columns.map((id) => definition[id]?.title ?? []);
    const align = view.columns.map((id) => writtenAlignment(definition[id]?.align) ?? null);
    return [{ type: 'table', align, children: [row(head), ...rows.map(row)] }];
  }
}

const tagLine = (value: string, role: NonNullable<TagLine['role']>): RootContent => ({
  type: 'tagLine',
  value,
  role,
});

const mayHoldAnchor = (nodes: readonly InlineNode[]): boolean =>
  nodes.some((node) => node.object === 'inline' && (node.type === 'anchor' || mayHoldAnchor(node.nodes)));

/** Creates the empty link that sets the ID of a heading. */
function anchor(id: string | undefined): PhrasingContent[] {
  if (id === undefined) {
    return [];
  }
  const open = htmlOpen('a', [
    ['href', `#${id}`],
    ['id', id],
  ]);
  return [{ type: 'text', value: ' ' }, html(open), html('</a>')];
}
