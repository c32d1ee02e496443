/** Prints blocks and lines as HTML, where Markdown is not supported, for example in cells. */
import { writtenAlignment } from '../alignments.ts';
import type { AnyBlock, Image, InlineNode, Table, TableColumn } from '../document.ts';
import { headingLevel } from '../headings.ts';
import { htmlOpen } from '../html.ts';
import { htmlCode } from './html-code.ts';
import { type HtmlTargets, htmlComment, htmlLine, picture } from './html-lines.ts';

/** Prints a row of images as HTML. */
export function htmlImages(block: Extract<AnyBlock, { type: 'images' }>, targets: HtmlTargets): string {
  const figures = block.nodes.map((image) => htmlFigure(image, targets)).join('');
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

function htmlFigure(image: Image, targets: HtmlTargets): string {
  const { ref, refDark, alt, caption, width, height, attributes } = image.data;
  const img = htmlOpen('img', [
    ['src', targets.addressOf(ref)],
    ['alt', alt ?? ''],
    ['width', width],
    ['height', height],
    ...Object.entries(attributes ?? {}),
  ]);
  return `<figure>${picture(img, refDark, targets.addressOf)}${htmlCaption(caption, targets)}</figure>`;
}

function htmlCaption(caption: InlineNode[] | undefined, targets: HtmlTargets): string {
  return `<figcaption>${caption?.length ? `<p>${htmlLine(caption, targets)}</p>` : ''}</figcaption>`;
}

/** Prints a drawing as HTML. */
export function htmlDrawing(block: Extract<AnyBlock, { type: 'drawing' }>, targets: HtmlTargets): string {
  const { ref, caption, attributes } = block.data;
  const { alt = '', ...rest } = attributes ?? {};
  const img = htmlOpen('img', [
    ['src', targets.addressOf(ref)],
    ['alt', alt],
    ['class', 'gitbook-drawing'],
    ...Object.entries(rest),
  ]);
  return caption ? `<figure>${img}${htmlCaption(caption, targets)}</figure>` : img;
}

/**
 * Prints a table as HTML on one line, without the blocks of cells that HTML cannot represent: Markdown is possible in a
 * cell, between blank lines.
 */
export function htmlTable(table: Table, targets: HtmlTargets): Array<string | AnyBlock[]> {
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
      ['data-type', column && column.type !== (column.options ? 'select' : 'text') ? column.type : undefined],
      ['data-hidden', column?.hidden ? 'true' : undefined],
      ...(column?.card ? [[`data-card-${column.card}`, 'true'] as const] : []),
      ...Object.entries(column?.attributes ?? {}),
    ]);
    return `${cell}${htmlLine(column?.title ?? [], targets)}${htmlOptions(column?.options)}</th>`;
  });
  const parts: Array<string | AnyBlock[]> = [];
  let html = `${open}<thead><tr>${heads.join('')}</tr></thead><tbody>`;
  for (const row of tableRows(table)) {
    html += '<tr>';
    for (const blocks of row) {
      if (blocks.every(isHtmlBlock)) {
        html += `<td>${htmlBlocks(blocks, targets)}</td>`;
      } else {
        parts.push(`${html}<td>`, blocks);
        html = '</td>';
      }
    }
    html += '</tr>';
  }
  return [...parts, `${html}</tbody></table>`];
}

/** Returns whether HTML represents a block with all blocks in it. */
function isHtmlBlock(block: AnyBlock): boolean {
  switch (block.type) {
    case 'paragraph':
    case 'heading-1':
    case 'heading-2':
    case 'heading-3':
    case 'divider':
    case 'code':
    case 'comment':
    case 'images':
    case 'drawing':
      return true;
    case 'embed':
      return !block.data.caption;
    case 'list-ordered':
    case 'list-unordered':
      return (
        (block.type === 'list-unordered' || block.data.start === undefined) &&
        block.nodes.every(({ nodes }) => nodes.every(isHtmlBlock))
      );
    case 'blockquote':
      return block.nodes.every(isHtmlBlock);
    case 'table':
      return tableRows(block).every((row) => row.every((blocks) => blocks.every(isHtmlBlock)));
    default:
      return false;
  }
}

function htmlOptions(options: TableColumn['options']): string {
  if (!options || options.length === 0) {
    return '';
  }
  const printed = options.map(
    ({ id, label, color }) =>
      `${htmlOpen('option', [
        ['value', id],
        ['label', label],
        ['color', color],
      ])}</option>`,
  );
  return `<select>${printed.join('')}</select>`;
}

/** Returns the cells of a table in the order of rows and columns. */
export function tableRows(table: Table): AnyBlock[][][] {
  const records = Object.values(table.data.records);
  records.sort((a, b) => (a.orderIndex < b.orderIndex ? -1 : a.orderIndex > b.orderIndex ? 1 : 0));
  return records.map((record) => table.data.view.columns.map((id) => record.values[id] ?? []));
}

function htmlBlocks(blocks: AnyBlock[], targets: HtmlTargets): string {
  const [only, ...more] = blocks;
  if (only?.type === 'paragraph' && more.length === 0 && !only.data.align) {
    return htmlLine(only.nodes, targets);
  }
  return blocks.map((block) => htmlBlock(block, targets)).join('');
}

/**
 * Prints a block as HTML.
 *
 * @throws Error if HTML does not represent it, see {@link isHtmlBlock}
 */
export function htmlBlock(block: AnyBlock, targets: HtmlTargets): string {
  switch (block.type) {
    case 'paragraph':
      return `${htmlOpen('p', [['align', writtenAlignment(block.data.align)]])}${htmlLine(block.nodes, targets)}</p>`;
    case 'heading-1':
    case 'heading-2':
    case 'heading-3': {
      const name = `h${headingLevel(block.type)}`;
      const open = htmlOpen(name, [
        ['align', writtenAlignment(block.data.align)],
        ['id', block.data.id],
      ]);
      return `${open}${htmlLine(block.nodes, targets)}</${name}>`;
    }
    case 'list-ordered':
    case 'list-unordered': {
      const name = block.type === 'list-ordered' ? 'ol' : 'ul';
      const items = block.nodes.map((item) => `<li>${htmlBlocks(item.nodes, targets)}</li>`);
      return `<${name}>${items.join('')}</${name}>`;
    }
    case 'blockquote':
      return `<blockquote>${htmlBlocks(block.nodes, targets)}</blockquote>`;
    case 'divider':
      return '<hr>';
    case 'code':
      // A table is printed on one line.
      return htmlCode(block, targets).replaceAll('\n', '&#x0A;');
    case 'table':
      // All of its cells are HTML.
      return htmlTable(block, targets)
        .filter((part) => typeof part === 'string')
        .join('');
    case 'embed':
      return `${htmlOpen('iframe', [['src', block.data.url], ...Object.entries(block.data.attributes ?? {})])}</iframe>`;
    case 'comment':
      return htmlComment(block.data.text.replace(/\s+/g, ' '));
    case 'images':
      return htmlImages(block, targets);
    case 'drawing':
      return htmlDrawing(block, targets);
    default:
      throw new Error(`HTML does not represent the block ${block.type}.`);
  }
}
