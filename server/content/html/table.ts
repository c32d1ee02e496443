/** Renders tables: as rows and columns, or as one card for each row. */

import { idOfInline } from '../markdown/anchors/walk.ts';
import type { Block, InlineNode, Table, TableColumn } from '../markdown/document.ts';
import { visibleText } from '../markdown/slug.ts';
import { paletteColor } from './colors.ts';
import { linkAttributes, type RenderContext, targetOf, withWidth } from './context.ts';
import { within } from './direction.ts';
import { renderAnchor } from './headings.ts';
import { coverImage } from './images.ts';
import { checkbox, renderLink } from './inlines.ts';
import { EMPTY, element, type Html, join, text } from './markup.ts';
import { renderNameCell } from './specifications/api.ts';
import { cardOf, firstRef, inlinesOf, optionIds, plainText } from './tables/cells.ts';

type Row = Table['data']['records'][string];

/** Renders a table as rows and columns, or as cards. */
export function renderTable(context: RenderContext, block: Table): Html {
  const { data } = block;
  const { dir, inner } = within(context, block);
  const cells: RenderContext = { ...inner, isAside: true };
  const rows = Object.values(data.records).sort((a, b) => (a.orderIndex < b.orderIndex ? -1 : 1));
  const columns = data.view.columns.flatMap((id) => data.definition[id] ?? []);
  if (data.view.type === 'cards') {
    const classes = data.view.cardSize === 'large' ? 'cards cards-large' : 'cards';
    return element(
      'ul',
      { class: withWidth(classes, data.fullWidth), role: 'list', dir },
      ...rows.map((row) => renderCard(cells, columns, row)),
    );
  }
  return renderGrid(cells, block, { columns: columns.filter(({ hidden }) => hidden !== true), rows, dir });
}

function renderGrid(
  context: RenderContext,
  { data }: Table,
  {
    columns,
    rows,
    dir,
  }: { columns: readonly TableColumn[]; rows: readonly Row[]; dir: 'ltr' | 'rtl' | undefined },
): Html {
  const titles = columns.map(({ title }) => visibleText(title).trim());
  const hasHead = data.view.hideHeader !== true && titles.some((title) => title !== '');
  const name = [context.page.labels.table, titles.filter((title) => title !== '').join(', ')];
  const head = columns.map((column) =>
    // An empty header would announce nothing for the cells below it.
    column.title.length === 0
      ? element('td', {})
      : element('th', { scope: 'col', class: alignClass(column) }, context.inlines(context, column.title)),
  );
  const body = rows.map(({ values }) =>
    element(
      'tr',
      {},
      ...columns.map((column, at) => renderCell(context, column, values[column.id] ?? [], at === 0)),
    ),
  );
  return element(
    'div',
    {
      class: withWidth('table', data.fullWidth),
      role: 'region',
      tabindex: 0,
      'aria-label': name.filter((part) => part !== '').join(': '),
      dir,
    },
    element(
      'table',
      {},
      hasHead ? element('thead', {}, element('tr', {}, ...head)) : EMPTY,
      element('tbody', {}, ...body),
    ),
  );
}

const alignClass = ({ align }: TableColumn): string | undefined =>
  align === undefined || align === 'start' ? undefined : `align-${align}`;

function renderCell(
  context: RenderContext,
  column: TableColumn,
  blocks: readonly Block[],
  isFirst: boolean,
): Html {
  const [only, ...others] = blocks;
  const { dir, inner } =
    only && others.length === 0 ? within(context, only) : { dir: undefined, inner: context };
  const name = isFirst ? renderNameCell(withoutAnchors(blocks)) : undefined;
  const content = name ? join([anchorsOf(inner, blocks), name]) : cellContent(inner, column, blocks);
  return element('td', { class: alignClass(column), dir }, content);
}

const isAnchor = (node: InlineNode): boolean => node.object === 'inline' && node.type === 'anchor';

/** Returns the blocks of a cell without the IDs of its paragraphs. */
const withoutAnchors = (blocks: readonly Block[]): Block[] =>
  blocks.map((block) =>
    block.type === 'paragraph' && block.nodes.some(isAnchor)
      ? { ...block, nodes: block.nodes.filter((node) => !isAnchor(node)) }
      : block,
  );

/** Renders the IDs in a cell that is shown as a value. */
const anchorsOf = (context: RenderContext, blocks: readonly Block[]): Html =>
  join(
    blocks
      .flatMap(inlinesOf)
      .map((node) => (node.object === 'inline' ? renderAnchor(context, idOfInline(node)) : EMPTY)),
  );

/** Renders the content of a cell: a single paragraph without an element around it. */
function cellContent(context: RenderContext, column: TableColumn, blocks: readonly Block[]): Html {
  const options = optionsOf(column, blocks);
  if (options) {
    return join([anchorsOf(context, blocks), options]);
  }
  const [block] = blocks;
  const value = column.type === 'checkbox' ? plainText(blocks) : undefined;
  if (value === 'true' || value === 'false') {
    return join([anchorsOf(context, blocks), checkbox(context, value === 'true')]);
  }
  const ref = column.type === 'content-ref' ? firstRef(blocks) : undefined;
  const target = ref && targetOf(context, ref);
  if (target && target.kind !== 'url' && target.title !== '') {
    return join([
      anchorsOf(context, blocks),
      renderLink(context, linkAttributes(context, target), () => text(target.title)),
    ]);
  }
  return blocks.length === 1 && block?.type === 'paragraph' && block.data.problem === undefined
    ? context.inlines(context, block.nodes)
    : context.blocks({ ...context, depth: context.depth + 1 }, blocks);
}

/** Renders the selected options of a select column; undefined for any other cell. */
function optionsOf({ options }: TableColumn, blocks: readonly Block[]): Html | undefined {
  const selected = options && optionIds(blocks);
  if (!options || !selected || selected.length === 0) {
    return undefined;
  }
  return join(
    selected.flatMap(({ id, label }, at) => {
      const option = options.find((candidate) => candidate.id === id);
      const color = paletteColor(option?.color);
      return [
        at > 0 ? text(' ') : EMPTY,
        element(
          'span',
          { class: color ? `option background-${color}` : 'option' },
          text(option?.label || label || id),
        ),
      ];
    }),
  );
}

/** Renders a card. Its first content is the link to its target, which extends over the card. */
function renderCard(context: RenderContext, columns: readonly TableColumn[], row: Row): Html {
  const { values } = row;
  const { target, cover, coverDark, shown } = cardOf(columns, row);
  const link = target && targetOf(context, target);
  const attributes = link ? { ...linkAttributes(context, link), class: 'card-link' } : {};
  const [first, ...rest] = shown;
  const title = (inner: RenderContext) =>
    first ? cellContent(inner, first, values[first.id] ?? []) : text(link?.title ?? '');
  return element(
    'li',
    { class: 'card' },
    cover ? coverImage(context, cover, coverDark) : EMPTY,
    element(
      'div',
      { class: 'card-body' },
      element('div', { class: 'card-title' }, renderLink(context, attributes, title)),
      ...rest.map((column) =>
        element('div', { class: 'card-text' }, cellContent(context, column, values[column.id] ?? [])),
      ),
    ),
  );
}
