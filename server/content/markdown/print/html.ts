/** Prints blocks and lines as HTML, where Markdown is not supported, for example in cells. */
import { writtenAlignment } from '../alignments.ts';
import type { AnyBlock, Image, Inline, InlineNode, Leaf, Reference, Table } from '../document.ts';
import { addressLabel, textOf } from '../document.ts';
import { headingLevel } from '../headings.ts';
import { escapeHtml, htmlOpen } from '../html.ts';
import { markTags } from '../marks.ts';

/** Formats the target of a reference. */
export type AddressOf = (ref: Reference) => string;

/** Prints a line as HTML. */
export function htmlLine(nodes: readonly InlineNode[], addressOf: AddressOf): string {
  return nodes
    .map((node) =>
      node.object === 'text' ? node.leaves.map(htmlLeaf).join('') : htmlInline(node, addressOf),
    )
    .join('');
}

function htmlLeaf(leaf: Leaf): string {
  if (leaf.raw) {
    return leaf.text;
  }
  const tags = leaf.marks.map(markTags);
  const text = escapeHtml(leaf.text).replace(/\n/g, '<br>');
  return (
    tags.map(({ open }) => open).join('') +
    text +
    tags
      .map(({ close }) => close)
      .reverse()
      .join('')
  );
}

function htmlInline(node: Inline, addressOf: AddressOf): string {
  switch (node.type) {
    case 'link': {
      const { ref, title } = node.data;
      return `${htmlOpen('a', [
        ['href', addressOf(ref)],
        ['title', title],
      ])}${htmlLine(node.nodes, addressOf)}</a>`;
    }
    case 'annotation':
      return htmlLine(node.nodes, addressOf);
    case 'emoji':
      return `:${node.data.code}:`;
    case 'inline-math':
      return `$$${node.data.formula.replace(/&/g, '&#x26;').replace(/</g, '&#x3C;')}$$`;
    default: {
      const [open, text, close] = elementParts(node, addressOf);
      return open + escapeHtml(text) + close;
    }
  }
}

/** Returns the start tag, text and end tag of an inline that is also an element in Markdown. */
export function elementParts(
  node: Exclude<Inline, { type: 'link' | 'annotation' | 'emoji' | 'inline-math' }>,
  addressOf: AddressOf,
): [open: string, text: string, close: string] {
  switch (node.type) {
    case 'icon': {
      const { icon, color } = node.data;
      const style = color === undefined ? undefined : `color:${color};`;
      return [
        `${htmlOpen('i', [
          ['class', `fa-${icon}`],
          ['style', style],
        ])}:${icon}:</i>`,
        '',
        '',
      ];
    }
    case 'expression':
      return ['<code class="expression">', node.data.expression, '</code>'];
    case 'inline-image': {
      const { ref, refDark, alt, title, size, attributes } = node.data;
      const img = htmlOpen('img', [
        ['src', addressOf(ref)],
        ['alt', alt ?? ''],
        ['title', title],
        ['data-size', size],
        ...Object.entries(attributes ?? {}),
      ]);
      return [picture(img, refDark, addressOf), '', ''];
    }
    case 'mention': {
      const address = addressOf(node.data.ref);
      return [
        `<a data-mention href="${htmlOpen('', [['', address]]).slice(4, -2)}">`,
        addressLabel(address),
        '</a>',
      ];
    }
    case 'button': {
      const { ref, kind, icon, label, attributes } = node.data;
      const name = ref ? 'a' : 'button';
      const knownAttributes: [string, string | undefined][] = [
        ['href', ref && addressOf(ref)],
        ['type', ref ? undefined : 'button'],
        ['class', `button ${kind}`],
        ['data-icon', icon],
      ];
      return [htmlOpen(name, [...knownAttributes, ...Object.entries(attributes ?? {})]), label, `</${name}>`];
    }
  }
}

function picture(img: string, refDark: Reference | undefined, addressOf: AddressOf): string {
  if (!refDark) {
    return img;
  }
  const dark = htmlOpen('source', [
    ['srcset', addressOf(refDark)],
    ['media', '(prefers-color-scheme: dark)'],
  ]);
  return `<picture>${dark}${img}</picture>`;
}

/** Prints a row of images as HTML. */
export function htmlImages(block: Extract<AnyBlock, { type: 'images' }>, addressOf: AddressOf): string {
  const figures = block.nodes.map((image) => htmlFigure(image, addressOf)).join('');
  const { align, fullWidth, withFrame } = block.data;
  if (block.nodes.length === 1 && !align && !fullWidth && !withFrame) {
    return figures;
  }
  const open = htmlOpen('div', [
    ['align', writtenAlignment(align)],
    ['data-full-width', fullWidth ? 'true' : undefined],
    ['data-with-frame', withFrame ? 'true' : undefined],
  ]);
  return `${open}${figures}</div>`;
}

function htmlFigure(image: Image, addressOf: AddressOf): string {
  const { ref, refDark, alt, caption, width, height, attributes } = image.data;
  const img = htmlOpen('img', [
    ['src', addressOf(ref)],
    ['alt', alt ?? ''],
    ['width', width],
    ['height', height],
    ...Object.entries(attributes ?? {}),
  ]);
  return `<figure>${picture(img, refDark, addressOf)}${htmlCaption(caption, addressOf)}</figure>`;
}

function htmlCaption(caption: InlineNode[] | undefined, addressOf: AddressOf): string {
  return `<figcaption>${caption?.length ? `<p>${htmlLine(caption, addressOf)}</p>` : ''}</figcaption>`;
}

/** Prints a drawing as HTML. */
export function htmlDrawing(block: Extract<AnyBlock, { type: 'drawing' }>, addressOf: AddressOf): string {
  const { ref, caption, attributes } = block.data;
  const { alt = '', ...rest } = attributes ?? {};
  const img = htmlOpen('img', [
    ['src', addressOf(ref)],
    ['alt', alt],
    ['class', 'gitbook-drawing'],
    ...Object.entries(rest),
  ]);
  return caption ? `<figure>${img}${htmlCaption(caption, addressOf)}</figure>` : img;
}

/** Prints a table as HTML on one line. */
export function htmlTable(table: Table, addressOf: AddressOf): string {
  const { view, definition, fullWidth, attributes } = table.data;
  const open = htmlOpen('table', [
    ['data-view', view.type === 'cards' ? 'cards' : undefined],
    ['data-card-size', view.cardSize],
    ['data-header-hidden', view.hideHeader ? 'true' : undefined],
    ['data-full-width', fullWidth ? 'true' : undefined],
    ...Object.entries(attributes ?? {}),
  ]);
  const heads = view.columns.map((id) => {
    const column = definition[id];
    const cell = htmlOpen('th', [
      ['width', column?.width],
      ['align', writtenAlignment(column?.align)],
      ['data-type', column && column.type !== 'text' ? column.type : undefined],
      ['data-hidden', column?.hidden ? 'true' : undefined],
      ...(column?.card ? [[`data-card-${column.card}`, 'true'] as const] : []),
      ...Object.entries(column?.attributes ?? {}),
    ]);
    return `${cell}${htmlLine(column?.title ?? [], addressOf)}</th>`;
  });
  const rows = tableRows(table).map(
    (row) => `<tr>${row.map((blocks) => `<td>${htmlBlocks(blocks, addressOf)}</td>`).join('')}</tr>`,
  );
  return `${open}<thead><tr>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

/** Returns the cells of a table in the order of rows and columns. */
export function tableRows(table: Table): AnyBlock[][][] {
  const records = Object.values(table.data.records);
  records.sort((a, b) => (a.orderIndex < b.orderIndex ? -1 : a.orderIndex > b.orderIndex ? 1 : 0));
  return records.map((record) => table.data.view.columns.map((id) => record.values[id] ?? []));
}

function htmlBlocks(blocks: AnyBlock[], addressOf: AddressOf): string {
  const [only, ...more] = blocks;
  if (only?.type === 'paragraph' && more.length === 0 && !only.data.align) {
    return htmlLine(only.nodes, addressOf);
  }
  return blocks.map((block) => htmlBlock(block, addressOf)).join('');
}

/** Prints a block as HTML. Blocks that HTML cannot represent in a cell are reduced to their text. */
export function htmlBlock(block: AnyBlock, addressOf: AddressOf): string {
  switch (block.type) {
    case 'paragraph':
      return `${htmlOpen('p', [['align', writtenAlignment(block.data.align)]])}${htmlLine(block.nodes, addressOf)}</p>`;
    case 'heading-1':
    case 'heading-2':
    case 'heading-3': {
      const name = `h${headingLevel(block.type)}`;
      const open = htmlOpen(name, [
        ['align', writtenAlignment(block.data.align)],
        ['id', block.data.id],
      ]);
      return `${open}${htmlLine(block.nodes, addressOf)}</${name}>`;
    }
    case 'list-ordered':
    case 'list-unordered':
    case 'list-tasks': {
      const name = block.type === 'list-ordered' ? 'ol' : 'ul';
      const items = block.nodes.map((item) => `<li>${htmlBlocks(item.nodes, addressOf)}</li>`);
      return `<${name}>${items.join('')}</${name}>`;
    }
    case 'images':
      return htmlImages(block, addressOf);
    case 'drawing':
      return htmlDrawing(block, addressOf);
    default:
      return `<p>${escapeHtml(blockText(block))}</p>`;
  }
}

/** Returns the text of a block and its descendants. */
function blockText(block: AnyBlock): string {
  const parts: string[] = [];
  for (const node of block.nodes) {
    parts.push(node.object === 'block' ? blockText(node) : textOf([node]));
  }
  return parts.join(' ');
}
