/** Converts tables of the contract. The inverse of `write-table.ts`. */
import type { components } from '../../../generated/schema.d.ts';
import {
  type Block,
  defined,
  type InlineNode,
  inlineText,
  type TableColumn,
  type TableData,
} from '../markdown/document.ts';
import { blocksOfValue, type CellValue, valueOfCell } from './cells.ts';
import {
  type Attributes,
  alignmentOf,
  FLAG,
  PIXELS,
  SWITCH,
  setAttribute,
  unlessEmpty,
  VERTICAL,
  writtenOf,
} from './properties.ts';
import { CARD_ROLES, CARD_SIZE, COLUMN_TYPE, OPTION_COLOR, plainTitle, RATING } from './write-table.ts';

type Schemas = components['schemas'];

/** Services that converting tables requires. */
export interface TableReader {
  inlines(nodes: readonly Schemas['DocumentInlineNode'][]): InlineNode[];
  someBlocks(blocks: readonly Schemas['DocumentBlock'][]): Block[];
}

/** Converts the data of a table, and the blocks of its cells. */
export function readTable(
  { data, fragments }: Pick<Schemas['DocumentTableBlock'], 'data' | 'fragments'>,
  reader: TableReader,
): TableData {
  const { view } = data;
  const columns = orderOf(data);
  const displayed = new Set(view.columns);
  const attributes: Attributes = { ...data.attributes };
  const definition = columns.flatMap((id): Array<[string, TableColumn]> => {
    const column = data.definition[id];
    return column ? [[id, readColumn(column, view, displayed.has(id), reader)]] : [];
  });
  setAttribute(FLAG, 'data-search', data.search, attributes);
  return defined<TableData>({
    view: readView(view, columns, attributes),
    definition: Object.fromEntries(definition),
    records: readRecords(data, columns, fragments, reader),
    fullWidth: data.fullWidth,
    attributes: unlessEmpty(attributes),
  });
}

/** Returns the IDs of all columns, in order. */
function orderOf({ view, definition }: Schemas['DocumentTableBlockData']): string[] {
  const isDefined = (id: string) => Object.hasOwn(definition, id);
  const displayed = [...new Set(view.columns.filter(isDefined))];
  const all = [...new Set([...(view.allColumns ?? []), ...Object.keys(definition)].filter(isDefined))];
  const isDisplayed = new Set(displayed);
  const inOrder = all.filter((id) => isDisplayed.has(id));
  return inOrder.every((id, at) => displayed[at] === id)
    ? all
    : [...displayed, ...all.filter((id) => !isDisplayed.has(id))];
}

function readView(
  view: Schemas['DocumentTableView'],
  columns: string[],
  attributes: Attributes,
): TableData['view'] {
  const { type } = view;
  if (type === 'cards') {
    const hideHeader = Object.hasOwn(attributes, 'data-header-hidden');
    delete attributes['data-header-hidden'];
    const isHidden = SWITCH.parse(attributes['data-column-title-hidden']);
    const shouldHide = view.hideColumnTitle ?? (hideHeader || isHidden);
    if (!hideHeader) {
      setAttribute(SWITCH, 'data-column-title-hidden', shouldHide, attributes);
    } else if (!shouldHide) {
      delete attributes['data-column-title-hidden'];
    }
    setAttribute(FLAG, 'data-wrap', view.wrap, attributes);
    const cardSize = CARD_SIZES.get(writtenOf(CARD_SIZE, 'data-card-size', view.cardSize, attributes));
    return defined<TableData['view']>({
      type,
      columns,
      cardSize,
      hideHeader: (hideHeader && shouldHide) || undefined,
    });
  }
  const cardSize = CARD_SIZES.get(attributes['data-card-size']);
  delete attributes['data-card-size'];
  setAttribute(FLAG, 'data-sticky-header', view.stickyHeader, attributes);
  setAttribute(FLAG, 'data-sticky-first-column', view.stickyFirstColumn, attributes);
  return defined<TableData['view']>({ type, columns, cardSize, hideHeader: view.hideHeader || undefined });
}

const CARD_SIZES: ReadonlyMap<string | undefined, 'medium' | 'large'> = new Map([
  ['medium', 'medium'],
  ['large', 'large'],
]);

function readColumn(
  column: Schemas['DocumentTableColumn'],
  view: Schemas['DocumentTableView'],
  isDisplayed: boolean,
  reader: TableReader,
): TableColumn {
  const { id, title, formattedTitle, textAlignment, verticalAlignment, options = [] } = column;
  const attributes: Attributes = { ...column.attributes };
  const isLeft = attributes.align === 'left' && textAlignment === 'left';
  delete attributes.align;
  const align =
    textAlignment === undefined || (column.type === 'text' && textAlignment === 'left' && !isLeft)
      ? undefined
      : alignmentOf(textAlignment);
  setAttribute(VERTICAL, 'valign', verticalAlignment, attributes);
  if ('multiple' in column) {
    setAttribute(SWITCH, 'data-multiple', column.multiple, attributes);
  }
  if ('max' in column) {
    setAttribute(RATING, 'data-max', column.max, attributes);
  }
  const formatted = formattedTitle && reader.inlines(formattedTitle);
  const widths = view.type === 'grid' ? view.columnWidths : undefined;
  const width = widths && Object.hasOwn(widths, id) ? widths[id] : undefined;
  const type = writtenOf(COLUMN_TYPE, 'data-type', column.type, attributes);
  const card = readRole(id, view, attributes);
  return defined<TableColumn>({
    id,
    title: formatted && inlineText(formatted) === title ? formatted : plainTitle(title),
    type: type ?? column.type,
    options: options.length > 0 ? options.map(readOption) : undefined,
    align,
    width: writtenOf(PIXELS, 'width', width, attributes),
    hidden: isDisplayed ? undefined : true,
    card,
    attributes: unlessEmpty(attributes),
  });
}

/** Returns the role of a column, which has at most one. Other ones remain attributes. */
function readRole(
  id: string,
  view: Schemas['DocumentTableView'],
  attributes: Attributes,
): TableColumn['card'] {
  let card: TableColumn['card'];
  for (const { role, property, attribute } of CARD_ROLES) {
    const isRole = view.type === 'cards' && view[property] === id;
    if (card === undefined && (isRole || Object.hasOwn(attributes, attribute))) {
      card = role;
      delete attributes[attribute];
    } else if (isRole && !Object.hasOwn(attributes, attribute)) {
      attributes[attribute] = 'true';
    }
  }
  return card;
}

function readOption({
  value,
  label,
  color,
  attributes = {},
}: Schemas['DocumentTableOption']): NonNullable<TableColumn['options']>[number] {
  const written = writtenOf(OPTION_COLOR, 'color', color, { ...attributes });
  return { id: value, label, ...(written !== undefined && { color: written }) };
}

/** The fragments of a table, by name and by cell. */
interface Fragments {
  byName: ReadonlyMap<string, Schemas['DocumentCellFragment']>;
  byCell: ReadonlyMap<string, Schemas['DocumentCellFragment']>;
}

const cellKey = (record: string, column: string): string => JSON.stringify([record, column]);

function readRecords(
  { records, definition }: Schemas['DocumentTableBlockData'],
  columns: readonly string[],
  all: readonly Schemas['DocumentCellFragment'][],
  reader: TableReader,
): TableData['records'] {
  const fragments: Fragments = {
    byName: new Map(all.flatMap((part) => (part.fragment === undefined ? [] : [[part.fragment, part]]))),
    byCell: new Map(
      all.flatMap((part) => (part.cell ? [[cellKey(part.cell.record, part.cell.definition), part]] : [])),
    ),
  };
  const labels = new Map(
    columns.map((id) => [
      id,
      new Map((definition[id]?.options ?? []).map(({ value, label }) => [value, label])),
    ]),
  );
  return Object.fromEntries(
    Object.entries(records).map(([record, { orderIndex, values }]) => {
      const cells = columns.flatMap((id): Array<[string, Block[]]> => {
        const column = definition[id];
        const value = Object.hasOwn(values, id) ? values[id] : undefined;
        const written = fragments.byCell.get(cellKey(record, id));
        const blocks = column
          ? readCell(
              column,
              value,
              { byName: fragments.byName, written, labels: labels.get(id) ?? new Map() },
              reader,
            )
          : [];
        return blocks.length > 0 ? [[id, blocks]] : [];
      });
      return [record, { orderIndex, values: Object.fromEntries(cells) }];
    }),
  );
}

/** Returns the blocks of a cell: those of its fragment, unless its value is another one. */
function readCell(
  column: Schemas['DocumentTableColumn'],
  value: Schemas['DocumentTableValue'] | undefined,
  {
    byName,
    written,
    labels,
  }: {
    byName: Fragments['byName'];
    written: Schemas['DocumentCellFragment'] | undefined;
    labels: ReadonlyMap<string, string>;
  },
  reader: TableReader,
): Block[] {
  const named = typeof value === 'string' ? byName.get(value) : undefined;
  if (named) {
    return reader.someBlocks(named.nodes);
  }
  if (column.type === 'text') {
    return value === undefined || value === null || typeof value === 'string'
      ? []
      : blocksOfValue(column.type, value, labels);
  }
  const blocks = written && reader.someBlocks(written.nodes);
  if (value === undefined || value === null) {
    return value === null ? [] : (blocks ?? []);
  }
  const max = 'max' in column ? column.max : 0;
  const isWritten =
    blocks &&
    isSameValue(
      valueOfCell(column.type, blocks, (ref) => ref, max),
      value,
    );
  return isWritten ? blocks : blocksOfValue(column.type, value, labels);
}

/** Compares values. The URL of the target of a reference is ignored. */
const isSameValue = (a: CellValue | undefined, b: CellValue): boolean => comparable(a) === comparable(b);

const comparable = (value: CellValue | undefined): string =>
  JSON.stringify(value, (name, entry: unknown) => (name === 'href' ? undefined : entry)) ?? '';
