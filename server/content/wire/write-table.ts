/** Converts tables to those of the contract. */
import type { components } from '../../../generated/schema.d.ts';
import {
  type Block,
  defined,
  type InlineNode,
  inlineText,
  plainText,
  type Reference,
  type Table,
  type TableColumn,
} from '../markdown/document.ts';
import { type CellValue, type ColumnType, valueOfCell } from './cells.ts';
import {
  type Attributes,
  attributeValue,
  COUNT,
  type Codec,
  FLAG,
  oneOf,
  oneOfOr,
  PIXELS,
  propertyOf,
  SWITCH,
  sideOf,
  unlessEmpty,
  VERTICAL,
} from './properties.ts';

type Schemas = components['schemas'];

/** Services that converting tables requires. */
export interface TableWriter {
  inlines(nodes: readonly InlineNode[]): Schemas['DocumentInlineNode'][];
  someBlocks(blocks: readonly Block[]): Schemas['DocumentBlock'][];
  ref(ref: Reference): Reference;
}

/** Type of a column. The contract has no other types. */
export const COLUMN_TYPE: Codec<ColumnType> = {
  parse: (written) => KNOWN_TYPE.parse(written) ?? 'text',
  format: (value) => value,
};
const KNOWN_TYPE = oneOf<ColumnType>(
  ...(['text', 'number', 'checkbox', 'files', 'users', 'rating', 'select', 'content-ref', 'image'] as const),
);
/** Size of cards. */
export const CARD_SIZE = oneOfOr('medium', 'medium', 'large');

/** Highest rating of a column that specifies none. */
const DEFAULT_RATING = 5;
/** Maximum rating of a column of a table. */
export const MAX_RATING_STARS = 100;
/** Highest rating of a column. */
export const RATING: Codec<number> = {
  parse: (written) => Math.min(COUNT.parse(written) ?? DEFAULT_RATING, MAX_RATING_STARS),
  format: String,
};

/** Column roles in cards: the property of the view, the attribute, and the types of columns that can have the role. */
export const CARD_ROLES = [
  { role: 'target', property: 'targetDefinition', attribute: 'data-card-target', types: ['content-ref'] },
  { role: 'cover', property: 'coverDefinition', attribute: 'data-card-cover', types: ['files', 'image'] },
  {
    role: 'cover-dark',
    property: 'coverDefinitionDark',
    attribute: 'data-card-cover-dark',
    types: ['files', 'image'],
  },
] as const;

type Roles = Partial<Record<(typeof CARD_ROLES)[number]['property'], string>>;

/** Converts a table; returns its data and the blocks of its cells. */
export function writeTable(
  { data }: Table,
  writer: TableWriter,
): Pick<Schemas['DocumentTableBlock'], 'data' | 'fragments'> {
  const ids = data.view.columns;
  const columns = ids.flatMap((id) =>
    Object.hasOwn(data.definition, id) ? (data.definition[id] ?? []) : [],
  );
  const isGrid = data.view.type === 'grid';
  const roles = isGrid ? {} : rolesOf(columns);
  const definition = Object.fromEntries(
    columns.map((column) => [column.id, writeColumn(column, isGrid, roles, writer)]),
  );
  const fragments: Schemas['DocumentCellFragment'][] = [];
  const records = Object.entries(data.records).map(([record, { orderIndex, values }]) => {
    const written: Array<[string, CellValue]> = [];
    for (const column of columns) {
      const blocks = Object.hasOwn(values, column.id) ? (values[column.id] ?? []) : [];
      if (blocks.length === 0) {
        continue;
      }
      const type = COLUMN_TYPE.parse(column.type);
      const fragment = nameOfCell(record, column.id);
      const max = attributeValue(RATING, 'data-max', column.attributes);
      const value = type === 'text' ? fragment : valueOfCell(type, blocks, (ref) => writer.ref(ref), max);
      if (value !== undefined) {
        written.push([column.id, value]);
      }
      const cell = type === 'text' ? undefined : { cell: { record, definition: column.id } };
      fragments.push({ object: 'fragment', fragment, ...cell, nodes: writer.someBlocks(blocks) });
    }
    return [record, { orderIndex, values: Object.fromEntries(written) }];
  });
  const attributes = { ...data.attributes };
  const view = writeView(data.view, columns, roles, attributes);
  return {
    data: defined<Schemas['DocumentTableBlockData']>({
      view,
      definition,
      records: Object.fromEntries(records),
      fullWidth: data.fullWidth,
      search: attributeValue(FLAG, 'data-search', attributes),
      attributes: unlessEmpty(attributes),
    }),
    fragments,
  };
}

/** Returns the name of the fragment with the blocks of a cell. */
const nameOfCell = (record: string, column: string): string =>
  `${encodeURIComponent(record.toWellFormed())}/${encodeURIComponent(column.toWellFormed())}`;

/** Returns the columns with a role that the contract supports, by the property of the view. */
function rolesOf(columns: readonly TableColumn[]): Roles {
  const roles: Roles = {};
  for (const { role, property, attribute, types } of CARD_ROLES) {
    const isSuitable = ({ type }: TableColumn) => types.some((suitable) => suitable === type);
    const column =
      columns.find((candidate) => candidate.card === role) ??
      columns.find(({ attributes }) => attributes && Object.hasOwn(attributes, attribute));
    if (column && isSuitable(column)) {
      roles[property] = column.id;
    }
  }
  return roles;
}

function writeView(
  { type, cardSize, hideHeader }: Table['data']['view'],
  columns: readonly TableColumn[],
  roles: Roles,
  attributes: Attributes,
): Schemas['DocumentTableView'] {
  const displayed = columns.filter(({ hidden }) => hidden !== true);
  const common = {
    columns: displayed.map(({ id }) => id),
    allColumns: displayed.length === columns.length ? undefined : columns.map(({ id }) => id),
  };
  if (type === 'cards') {
    const isHidden = attributeValue(SWITCH, 'data-column-title-hidden', attributes);
    if (hideHeader) {
      attributes['data-header-hidden'] = 'true';
    }
    return defined<Schemas['DocumentTableCards']>({
      type,
      ...common,
      cardSize: propertyOf(CARD_SIZE, 'data-card-size', cardSize, attributes),
      targetDefinition: roles.targetDefinition,
      coverDefinition: roles.coverDefinition,
      coverDefinitionDark: roles.coverDefinitionDark,
      hideColumnTitle: hideHeader || isHidden ? true : undefined,
      wrap: attributeValue(FLAG, 'data-wrap', attributes),
    });
  }
  const widths = columns.flatMap(({ id, width }) =>
    width !== undefined && isPixels(width) ? [[id, Number(width)] as const] : [],
  );
  if (cardSize !== undefined) {
    attributes['data-card-size'] = cardSize;
  }
  return defined<Schemas['DocumentTableGrid']>({
    type,
    ...common,
    columnWidths: widths.length > 0 ? Object.fromEntries(widths) : undefined,
    useNewSizing: true,
    hideHeader: hideHeader ?? false,
    stickyHeader: attributeValue(FLAG, 'data-sticky-header', attributes),
    stickyFirstColumn: attributeValue(FLAG, 'data-sticky-first-column', attributes),
  });
}

/** Returns whether a width is a number of pixels. */
const isPixels = (width: string): boolean => PIXELS.format(PIXELS.parse(width)) === width;

function writeColumn(
  { id, title, type: writtenType, align, width, options, card, ...column }: TableColumn,
  isGrid: boolean,
  roles: Roles,
  writer: TableWriter,
): Schemas['DocumentTableColumn'] {
  const attributes = { ...column.attributes };
  const type = propertyOf(COLUMN_TYPE, 'data-type', writtenType, attributes);
  const role = card && CARD_ROLES.find((candidate) => candidate.role === card);
  if (role && roles[role.property] !== id) {
    attributes[role.attribute] = 'true';
  }
  if (width !== undefined && !(isGrid && isPixels(width))) {
    attributes.width = width;
  }
  if (type === 'text' && align === 'start') {
    attributes.align = 'left';
  }
  const plain = inlineText(title);
  const written = options?.map(writeOption);
  const base = {
    ...defined<Omit<Schemas['DocumentTableTextColumn'], 'type' | 'textAlignment' | 'options'>>({
      id,
      title: plain,
      formattedTitle: isPlain(title, plain) ? undefined : writer.inlines(title),
      verticalAlignment: attributeValue(VERTICAL, 'valign', attributes),
      attributes: unlessEmpty(attributes),
    }),
    ...(align && { textAlignment: sideOf(align) }),
    ...(written && { options: written }),
  };
  switch (type) {
    case 'text':
      return { ...base, type, textAlignment: sideOf(align ?? 'start') };
    case 'users':
      return { ...base, type, multiple: attributeValue(SWITCH, 'data-multiple', attributes) };
    case 'select': {
      const multiple = attributeValue(SWITCH, 'data-multiple', attributes);
      return { ...base, type, multiple, options: written ?? [] };
    }
    case 'rating':
      return { ...base, type, max: attributeValue(RATING, 'data-max', attributes) };
    default:
      return { ...base, type };
  }
}

/** Color of an option without one. */
export const OPTION_COLOR: Codec<string> = {
  parse: (written) => written ?? 'default',
  format: (value) => (value === 'default' ? undefined : value),
};

function writeOption({
  id,
  label,
  color,
}: NonNullable<TableColumn['options']>[number]): Schemas['DocumentTableOption'] {
  const attributes: Attributes = {};
  const written = propertyOf(OPTION_COLOR, 'color', color, attributes);
  return { value: id, label, color: written, ...(unlessEmpty(attributes) && { attributes }) };
}

/** Returns the nodes of a title without formatting. */
export const plainTitle = (title: string): InlineNode[] => (title === '' ? [] : [plainText(title)]);

const isPlain = (title: readonly InlineNode[], plain: string): boolean =>
  JSON.stringify(title) === JSON.stringify(plainTitle(plain));
