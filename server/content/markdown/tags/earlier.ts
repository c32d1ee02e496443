/** Reads the tags that only earlier versions of the platform write. They are printed as their current counterparts. */
import { unescapedValue } from '../attributes.ts';
import type { AnyBlock, Block, Leaf, NestedBlock, Table, Text } from '../document.ts';
import { defined, paragraph, parent, plainText, voidBlock } from '../document.ts';
import { tableBlock } from '../read/tables.ts';
import { address, container, group, isFree, rest, single, type TagReader } from './readers.ts';

type Tab = Extract<NestedBlock, { type: 'tabs-item' }>;

const tabs = group<Tab>('tabs-item', (tag, nodes) =>
  parent('tabs', defined({ attributes: rest(tag) }), nodes),
);

/** Creates the reader of a tag that is replaced by its content. */
const content = (read: (blocks: AnyBlock[]) => AnyBlock[] = (blocks) => blocks): TagReader => ({
  end: 'required',
  read: (_tag, blocks) => read(blocks),
});

const marked = (text: string, type: 'bold' | 'code'): Text => ({
  object: 'text',
  leaves: [{ object: 'leaf', text, marks: [{ object: 'mark', type }] }],
});

/** Creates the reader of a group of parameters: a table with its title. Each parameter is a table with one row. */
const parameters = (title: string): TagReader =>
  content((blocks) => {
    const rows = blocks.flatMap((block) => (block.type === 'table' ? rowsOf(block) : []));
    const others = blocks.filter((block) => block.type !== 'table');
    return rows.length === 0 ? others : [paragraph([marked(title, 'bold')]), parameterTable(rows), ...others];
  });

const COLUMNS = ['Name', 'Type', 'Description'].map((title) => ({
  title: [plainText(title)],
  type: 'text' as const,
}));

const parameterTable = (rows: Block[][][]): Table => tableBlock({ type: 'grid' }, COLUMNS, rows);

/** Returns the rows of a table of parameters. */
const rowsOf = ({ data: { records, view } }: Table): Block[][][] =>
  Object.values(records).map(({ values }) => view.columns.map((column) => values[column] ?? []));

/** Tags that show the values of their attributes. */
export const SHOWN_VALUES = /^api-method(?:-parameter|-response-example)?$/;

/** Readers by tag name. */
export const EARLIER_READERS: Readonly<Record<string, TagReader>> = {
  'page-ref': single((tag) => {
    const ref = address(tag, 'page');
    return ref && voidBlock('content-ref', defined({ ref, attributes: rest(tag, 'page') }));
  }, false),
  'code-tabs': tabs,
  'code-tabs-item': container(
    (tag, nodes) => parent('tabs-item', { title: tag.attributes.get('title') ?? '' }, nodes),
    'code-tabs',
  ),
  /** An operation of an API: its summary as a heading, and its method and URL. */
  'api-method': {
    end: 'required',
    read(tag, blocks) {
      const url = unescapedValue(tag, 'host') + unescapedValue(tag, 'path');
      const method = tag.attributes.get('method')?.toUpperCase() ?? 'GET';
      const operation = url === '' ? [] : [paragraph([marked(`${method} ${url}`, 'code')])];
      const [first, ...others] = blocks;
      return first?.type === 'heading-3' ? [first, ...operation, ...others] : [...operation, ...blocks];
    },
  },
  'api-method-summary': content((blocks) => {
    const [first, ...others] = blocks;
    return first?.type === 'paragraph' ? [parent('heading-3', {}, first.nodes), ...others] : blocks;
  }),
  'api-method-description': content(),
  'api-method-spec': content(),
  'api-method-request': content(),
  'api-method-path-parameters': parameters('Path parameters'),
  'api-method-query-parameters': parameters('Query parameters'),
  'api-method-headers': parameters('Headers'),
  'api-method-form-data-parameters': parameters('Form data parameters'),
  'api-method-body-parameters': parameters('Body parameters'),
  'api-method-parameter': {
    end: 'required',
    read(tag, blocks) {
      const isRequired = tag.attributes.get('required') === 'true';
      const { leaves } = marked(unescapedValue(tag, 'name'), 'code');
      const required: Leaf[] = isRequired ? [{ object: 'leaf', text: ' (required)', marks: [] }] : [];
      const name = paragraph([{ object: 'text', leaves: [...leaves, ...required] }]);
      const type = paragraph([plainText(unescapedValue(tag, 'type'))]);
      const row = [[name], [type], blocks.filter(isFree)];
      return [parameterTable([row])];
    },
  },
  'api-method-response': tabs,
  'api-method-response-example': container(
    (tag, nodes) => parent('tabs-item', { title: tag.attributes.get('httpCode') ?? '' }, nodes),
    'api-method-response',
  ),
  'api-method-response-example-description': content(),
};
