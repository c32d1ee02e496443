/** From a document to the markdown that says the same. */
import type { FootnoteDefinition, PhrasingContent, RootContent, TableRow } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { mathToMarkdown } from 'mdast-util-math';
import { type Join, toMarkdown } from 'mdast-util-to-markdown';
import { readTag, writeTag } from './attributes.ts';
import type {
  AnyBlock,
  Block,
  Document,
  Inline,
  InlineNode,
  Leaf,
  Mark,
  Reference,
  Table,
} from './document.ts';
import { addressLabel, rawSource } from './document.ts';
import { htmlOpen } from './html.ts';
import { MARK_ORDER } from './inlines.ts';
import {
  type AddressOf,
  elementParts,
  htmlBlock,
  htmlDrawing,
  htmlImages,
  htmlLine,
  htmlTable,
  markTags,
  tableRows,
} from './print-html.ts';
import { platformPrinting, type TagLine } from './syntax.ts';
import { endedBy, tagReader } from './tags.ts';

/**
 * The markdown of a document.
 *
 * `addressOf` says how references are written. Without it, what is referred to by id is written as its kind
 * and id, such as `page:pg_1`.
 */
export function printDocument(document: Document, addressOf: AddressOf = defaultAddress): string {
  const printer = new PagePrinter(addressOf);
  const children = printer.page(document.nodes);
  return toMarkdown(
    { type: 'root', children },
    {
      bullet: '*',
      bulletOther: '-',
      emphasis: '_',
      fences: true,
      incrementListMarker: true,
      listItemIndent: 'one',
      resourceLink: true,
      rule: '*',
      join: [joinTags],
      extensions: [
        gfmToMarkdown({ tablePipeAlign: false }),
        mathToMarkdown({ singleDollarTextMath: false }),
        platformPrinting,
      ],
    },
  );
}

function defaultAddress(ref: Reference): string {
  switch (ref.kind) {
    case 'url':
      return ref.url;
    case 'file':
      return `file:${ref.file}`;
    case 'page':
      return `page:${ref.page}`;
    case 'anchor':
      return ref.page === undefined ? `#${ref.anchor}` : `page:${ref.page}#${ref.anchor}`;
    case 'user':
      return `user:${ref.user}`;
    case 'collection':
      return `collection:${ref.collection}`;
    case 'space':
      return `space:${ref.space}`;
    case 'reusable-content':
      return `reusable-content:${ref.reusableContent}`;
    case 'openapi':
      return `openapi:${ref.spec}`;
  }
}

/** How a tag line stands to what is around it: at the start or end of what it holds, or alone. */
function tagPlace({ value }: TagLine): 'start' | 'end' | 'alone' {
  const { name } = readTag(value);
  if (endedBy(name) !== undefined) return 'end';
  return tagReader(name)?.end === 'never' ? 'alone' : 'start';
}

/** What may stand right before an end: all else would go on into its line. */
const ENDS_BY_ITSELF = new Set([
  'paragraph',
  'code',
  'heading',
  'list',
  'blockquote',
  'math',
  'thematicBreak',
]);

/** No blank line between a tag and what it holds, where that cannot change what is held. */
const joinTags: Join = (left, right) => {
  if (left.type === 'tagLine' && tagPlace(left) === 'start') return 0;
  if (right.type !== 'tagLine' || tagPlace(right) !== 'end') return undefined;
  const isInner = left.type === 'tagLine' && tagPlace(left) === 'end';
  return isInner || ENDS_BY_ITSELF.has(left.type) ? 0 : 1;
};

const html = (value: string): { type: 'html'; value: string } => ({ type: 'html', value });
const tagLine = (...tag: Parameters<typeof writeTag>): RootContent => ({
  type: 'tagLine',
  value: writeTag(...tag),
});

class PagePrinter {
  readonly #addressOf: AddressOf;
  readonly #notes: FootnoteDefinition[] = [];

  constructor(addressOf: AddressOf) {
    this.#addressOf = addressOf;
  }

  page(blocks: Block[]): RootContent[] {
    const children = this.#blocks(blocks);
    return [...children, ...this.#notes];
  }

  #blocks(blocks: AnyBlock[]): RootContent[] {
    return blocks.flatMap((block) => this.#block(block));
  }

  /** Content between a tag and its end. */
  #tagged(
    name: string,
    attributes: [string, string | undefined][],
    content: RootContent[],
    rest?: Record<string, string>,
  ): RootContent[] {
    return [tagLine(name, [...attributes, ...Object.entries(rest ?? {})]), ...content, tagLine(`end${name}`)];
  }

  #lineParagraph(line: InlineNode[] | undefined): RootContent[] {
    return line && line.length > 0 ? [{ type: 'paragraph', children: this.#line(line) }] : [];
  }

  #linkParagraph(url: string, nodes: InlineNode[] | undefined, label = addressLabel(url)): RootContent[] {
    const children: PhrasingContent[] = nodes ? this.#line(nodes) : [{ type: 'text', value: label }];
    return [{ type: 'paragraph', children: [{ type: 'link', url, children }] }];
  }

  #block(block: AnyBlock): RootContent[] {
    const addressOf = this.#addressOf;
    switch (block.type) {
      case 'paragraph': {
        const raw = rawSource(block);
        if (raw !== undefined) return [html(raw)];
        if (block.data.align) return [html(htmlBlock(block, addressOf))];
        return [{ type: 'paragraph', children: this.#line(block.nodes) }];
      }
      case 'heading-1':
      case 'heading-2':
      case 'heading-3': {
        const { id, align } = block.data;
        if (align) return [html(htmlBlock(block, addressOf))];
        const children = this.#line(block.nodes);
        if (id !== undefined) {
          children.push(
            { type: 'text', value: ' ' },
            html(
              htmlOpen('a', [
                ['href', `#${id}`],
                ['id', id],
              ]),
            ),
            html('</a>'),
          );
        }
        return [{ type: 'heading', depth: headingDepth(block.type), children }];
      }
      case 'list-ordered':
      case 'list-unordered':
      case 'list-tasks':
        return [this.#list(block)];
      case 'divider':
        return [{ type: 'thematicBreak' }];
      case 'blockquote':
        return [{ type: 'blockquote', children: flow(this.#blocks(block.nodes)) }];
      case 'hint': {
        const { style, icon, attributes } = block.data;
        return this.#tagged(
          'hint',
          [
            ['style', style],
            ['icon', icon],
          ],
          this.#blocks(block.nodes),
          attributes,
        );
      }
      case 'images':
        return [html(htmlImages(block, addressOf))];
      case 'drawing':
        return [html(htmlDrawing(block, addressOf))];
      case 'file': {
        const { ref, caption, attributes } = block.data;
        return this.#tagged('file', [['src', addressOf(ref)]], this.#lineParagraph(caption), attributes);
      }
      case 'embed': {
        const { url, caption, fullWidth, attributes } = block.data;
        const own: [string, string | undefined][] = [
          ['url', url],
          ['fullWidth', written(fullWidth)],
        ];
        return this.#tagged('embed', own, this.#lineParagraph(caption), attributes);
      }
      case 'code':
        return this.#code(block);
      case 'math':
        return [{ type: 'math', value: block.data.formula }];
      case 'expandable': {
        const { title, body, open } = block.data;
        const summary = html(`<summary>${htmlLine(title, addressOf)}</summary>`);
        return [
          html(open ? '<details open>' : '<details>'),
          summary,
          ...this.#blocks(body),
          html('</details>'),
        ];
      }
      case 'tabs': {
        const { fullWidth, attributes } = block.data;
        return this.#tagged(
          'tabs',
          [['fullWidth', written(fullWidth)]],
          this.#blocks(block.nodes),
          attributes,
        );
      }
      case 'tabs-item': {
        const { title, icon, attributes } = block.data;
        return this.#tagged(
          'tab',
          [
            ['title', title],
            ['icon', icon],
          ],
          this.#blocks(block.nodes),
          attributes,
        );
      }
      case 'table':
        return [this.#table(block)];
      case 'content-ref': {
        const { ref, title, attributes } = block.data;
        const url = addressOf(ref);
        return this.#tagged('content-ref', [['url', url]], this.#linkParagraph(url, title), attributes);
      }
      case 'integration': {
        const { integration, block: id, props } = block.data;
        return [tagLine(`@${integration}/${id}`, Object.entries(props))];
      }
      case 'reusable-content':
        return [{ type: 'tagLine', value: `{% include "${addressOf(block.data.ref)}" %}` }];
      case 'stepper':
        return this.#tagged('stepper', [], this.#blocks(block.nodes), block.data.attributes);
      case 'stepper-step':
        return this.#tagged('step', [], this.#blocks(block.nodes), block.data.attributes);
      case 'columns':
        return this.#tagged('columns', [], this.#blocks(block.nodes), block.data.attributes);
      case 'column':
        return this.#tagged(
          'column',
          [['width', block.data.width]],
          this.#blocks(block.nodes),
          block.data.attributes,
        );
      case 'prompt': {
        const { description, icon, attributes } = block.data;
        const own: [string, string | undefined][] = [
          ['description', description],
          ['icon', icon],
        ];
        return this.#tagged('prompt', own, this.#blocks(block.nodes), attributes);
      }
      case 'if': {
        const open: RootContent = { type: 'tagLine', value: `{% if ${block.data.expression} %}` };
        return [open, ...this.#blocks(block.nodes), tagLine('endif')];
      }
      case 'updates': {
        const { format, attributes } = block.data;
        return this.#tagged('updates', [['format', format]], this.#blocks(block.nodes), attributes);
      }
      case 'update': {
        const { date, tags, attributes } = block.data;
        const own: [string, string | undefined][] = [
          ['date', date],
          ['tags', tags?.join(',')],
        ];
        return this.#tagged('update', own, this.#blocks(block.nodes), attributes);
      }
      case 'swagger': {
        const { ref, path, method, attributes } = block.data;
        const src = ref && addressOf(ref);
        const link = src === undefined ? [] : this.#linkParagraph(src, undefined);
        return this.#tagged(
          'openapi',
          [
            ['src', src],
            ['path', path],
            ['method', method],
          ],
          link,
          attributes,
        );
      }
      case 'openapi-operation': {
        const { spec, path, method, attributes } = block.data;
        const own: [string, string | undefined][] = [
          ['spec', spec],
          ['path', path],
          ['method', method],
        ];
        return this.#tagged(block.type, own, this.#specification(block.data), attributes);
      }
      case 'openapi-schemas': {
        const { spec, schemas, grouped, attributes } = block.data;
        const own: [string, string | undefined][] = [
          ['spec', spec],
          ['schemas', schemas?.join(',')],
          ['grouped', written(grouped)],
        ];
        return this.#tagged(block.type, own, this.#specification(block.data), attributes);
      }
      case 'openapi-webhook': {
        const { spec, name, method, attributes } = block.data;
        const own: [string, string | undefined][] = [
          ['spec', spec],
          ['name', name],
          ['method', method],
        ];
        return this.#tagged(block.type, own, this.#specification(block.data), attributes);
      }
      case 'list-item':
      case 'code-line':
      case 'image':
        // Their parents print them.
        return [];
    }
  }

  #specification({ spec, ref }: { spec?: string; ref?: Reference }): RootContent[] {
    return ref ? this.#linkParagraph(this.#addressOf(ref), undefined, `OpenAPI ${spec ?? ''}`.trim()) : [];
  }

  #list(block: Extract<AnyBlock, { type: 'list-ordered' | 'list-unordered' | 'list-tasks' }>): RootContent {
    const items = block.nodes.map((item) => {
      const children = flow(this.#blocks(item.nodes));
      const isTight = children.every(({ type }, index) =>
        index === 0 ? type === 'paragraph' : type === 'list',
      );
      // A task needs a paragraph to stand before.
      const checked = children[0]?.type === 'paragraph' ? (item.data.checked ?? null) : null;
      return { type: 'listItem' as const, spread: !isTight, checked, children };
    });
    const ordered = block.type === 'list-ordered';
    const start = ordered ? (block.data.start ?? 1) : null;
    return { type: 'list', ordered, start, spread: false, children: items };
  }

  #code(block: Extract<AnyBlock, { type: 'code' }>): RootContent[] {
    const { syntax, title, overflow, lineNumbers, fullWidth, attributes } = block.data;
    const { meta, ...rest } = attributes ?? {};
    const value = block.nodes.map((line) => line.nodes.map(plain).join('')).join('\n');
    const code: RootContent = {
      type: 'code',
      lang: syntax ?? null,
      meta: syntax ? (meta ?? null) : null,
      value,
    };
    const own: [string, string | undefined][] = [
      ['title', title],
      ['overflow', overflow],
      ['lineNumbers', written(lineNumbers)],
      ['fullWidth', written(fullWidth)],
    ];
    const isPlain = own.every(([, value]) => value === undefined) && Object.keys(rest).length === 0;
    return isPlain ? [code] : this.#tagged('code', own, [code], rest);
  }

  #table(table: Table): RootContent {
    const rows = markdownRows(table);
    if (!rows) return html(htmlTable(table, this.#addressOf));
    const { view, definition } = table.data;
    const align = view.columns.map((id) => {
      const column = definition[id]?.align;
      return column === undefined
        ? null
        : ({ start: 'left', center: 'center', end: 'right' } as const)[column];
    });
    const row = (lines: InlineNode[][]): TableRow => ({
      type: 'tableRow',
      children: lines.map((line) => ({ type: 'tableCell', children: this.#line(line, true) })),
    });
    const head = view.columns.map((id) => definition[id]?.title ?? []);
    return { type: 'table', align, children: [row(head), ...rows.map(row)] };
  }

  /** A line in markdown. In a cell, breaks are HTML. */
  #line(nodes: InlineNode[], inCell = false): PhrasingContent[] {
    const printed = nodes.flatMap((node) =>
      node.object === 'text' ? nestMarks(node.leaves, 0, inCell) : this.#inline(node, inCell),
    );
    return withSafeBreaks(printed);
  }

  #inline(node: Inline, inCell: boolean): PhrasingContent[] {
    switch (node.type) {
      case 'link': {
        const { ref, title } = node.data;
        const children = this.#line(node.nodes, inCell);
        return [{ type: 'link', url: this.#addressOf(ref), title: title ?? null, children }];
      }
      case 'emoji':
        return [{ type: 'emoji', value: node.data.code }];
      case 'inline-math':
        return [{ type: 'inlineMath', value: node.data.formula }];
      case 'annotation':
        return this.#annotation(node, inCell);
      case 'inline-image': {
        const { ref, refDark, alt, title, size, attributes } = node.data;
        if (refDark || size || attributes) return [html(elementParts(node, this.#addressOf)[0])];
        return [{ type: 'image', url: this.#addressOf(ref), alt: alt ?? '', title: title ?? null }];
      }
      default: {
        const [open, text, close] = elementParts(node, this.#addressOf);
        return close === '' ? [html(open)] : [html(open), { type: 'text', value: text }, html(close)];
      }
    }
  }

  #annotation(node: Extract<Inline, { type: 'annotation' }>, inCell: boolean): PhrasingContent[] {
    const note: FootnoteDefinition = { type: 'footnoteDefinition', identifier: '', children: [] };
    this.#notes.push(note);
    const identifier = String(this.#notes.length);
    note.identifier = identifier;
    note.label = identifier;
    note.children = flow(this.#blocks(node.data.body));
    const reference: PhrasingContent = { type: 'footnoteReference', identifier, label: identifier };
    if (node.nodes.length === 0) return [reference];
    const url = `#user-content-fn-${identifier}`;
    return [{ type: 'link', url, children: this.#line(node.nodes, inCell) }, reference];
  }
}

/** What containers of mdast may hold; our blocks never make anything else. */
type Flow = FootnoteDefinition['children'];

function flow(nodes: RootContent[]): Flow {
  // mdast's type for containers leaves out the tag lines that `syntax.ts` adds to the root's content alone.
  return nodes as Flow;
}

const plain = (text: { leaves: Leaf[] }): string => text.leaves.map((leaf) => leaf.text).join('');
const written = (flag: boolean | undefined): string | undefined =>
  flag === undefined ? undefined : String(flag);

function headingDepth(type: 'heading-1' | 'heading-2' | 'heading-3'): 2 | 3 | 4 {
  return type === 'heading-1' ? 2 : type === 'heading-2' ? 3 : 4;
}

/** Nests leaves by their marks, outermost mark first. */
function nestMarks(leaves: Leaf[], level: number, inCell: boolean): PhrasingContent[] {
  const type = MARK_ORDER[level];
  if (type === undefined) return leaves.flatMap((leaf) => leafNodes(leaf, inCell));
  const nodes: PhrasingContent[] = [];
  let index = 0;
  while (index < leaves.length) {
    const mark = markOfType(leaves[index], type);
    const start = index;
    while (index < leaves.length && sameMark(markOfType(leaves[index], type), mark)) index++;
    const run = leaves.slice(start, index);
    if (mark) nodes.push(...marked(mark, run, level, inCell));
    else nodes.push(...nestMarks(run, level + 1, inCell));
  }
  return nodes;
}

const markOfType = (leaf: Leaf | undefined, type: Mark['type']): Mark | undefined =>
  leaf?.raw ? undefined : leaf?.marks.find((mark) => mark.type === type);

function sameMark(a: Mark | undefined, b: Mark | undefined): boolean {
  if (a?.type !== 'color' || b?.type !== 'color') return a?.type === b?.type;
  return a.data.text === b.data.text && a.data.background === b.data.background;
}

function marked(mark: Mark, run: Leaf[], level: number, inCell: boolean): PhrasingContent[] {
  if (mark.type === 'code') return [{ type: 'inlineCode', value: run.map((leaf) => leaf.text).join('') }];
  const children = withSafeBreaks(nestMarks(run, level + 1, inCell));
  if (mark.type === 'bold') return [{ type: 'strong', children }];
  if (mark.type === 'italic') return [{ type: 'emphasis', children }];
  if (mark.type === 'strikethrough') return [{ type: 'delete', children }];
  const { open, close } = markTags(mark);
  return [html(open), ...children, html(close)];
}

/** A line never starts with HTML, lest it be a block; the printer would take a break before it away. */
function withSafeBreaks(nodes: PhrasingContent[]): PhrasingContent[] {
  return nodes.map((node, index) =>
    node.type === 'break' && nodes[index + 1]?.type === 'html' ? html('<br>') : node,
  );
}

function leafNodes(leaf: Leaf, inCell: boolean): PhrasingContent[] {
  if (leaf.raw) return [html(leaf.text)];
  const nodes: PhrasingContent[] = [];
  leaf.text.split('\n').forEach((value, index) => {
    if (index > 0) nodes.push(inCell ? html('<br>') : { type: 'break' });
    if (value !== '') nodes.push({ type: 'text', value });
  });
  return nodes;
}

/** The lines of a table that markdown can hold; undefined for any other. */
function markdownRows(table: Table): InlineNode[][][] | undefined {
  const { view, definition, fullWidth, attributes } = table.data;
  if (view.type !== 'grid' || view.cardSize || view.hideHeader || fullWidth || attributes) return undefined;
  const lines: InlineNode[][] = [];
  for (const id of view.columns) {
    const column = definition[id];
    if (column?.type !== 'text') return undefined;
    if (column.width !== undefined || column.hidden || column.card || column.attributes) return undefined;
    lines.push(column.title);
  }
  const rows: InlineNode[][][] = [];
  for (const cells of tableRows(table)) {
    const row: InlineNode[][] = [];
    for (const [only, ...more] of cells) {
      if (more.length > 0 || (only && (only.type !== 'paragraph' || only.data.align))) return undefined;
      row.push(only ? only.nodes : []);
    }
    rows.push(row);
  }
  const isSafe = [...lines, ...rows.flat()].every(isSafeInCell);
  return isSafe ? rows : undefined;
}

/** Bars and line ends would end a cell; text and code escape theirs, all else cannot. */
function isSafeInCell(nodes: InlineNode[]): boolean {
  return nodes.every((node) => {
    if (node.object === 'text') return node.leaves.every((leaf) => !leaf.raw || !/[|\n]/.test(leaf.text));
    if (node.type === 'link') return isSafeInCell(node.nodes);
    return !/[|\n]/.test(JSON.stringify(node.data)) && isSafeInCell(node.nodes);
  });
}
