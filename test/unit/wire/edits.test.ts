import { expect, test } from 'vitest';
import type { components } from '../../../generated/schema.d.ts';
import { writeRef } from '../../../server/content/links/address.ts';
import { parseMarkdown, printMarkdown } from '../../../server/content/markdown/markdown.ts';
import { promptMarkdown } from '../../../server/content/wire/prompts.ts';
import { readWireDocument } from '../../../server/content/wire/read.ts';
import { writeDocument } from '../../../server/content/wire/write.ts';

type Schemas = components['schemas'];
type Block<Type extends Schemas['DocumentBlock']['type']> = Extract<Schemas['DocumentBlock'], { type: Type }>;

// What a client of the public platform changes wins over what the document has in addition.

/** Returns the Markdown of a text after a change of its first block. */
function changed<Type extends Schemas['DocumentBlock']['type']>(
  markdown: string,
  type: Type,
  change: (block: Block<Type>) => void,
): string {
  const document = structuredClone(writeDocument(parseMarkdown(markdown), { prompts: promptMarkdown }));
  const isType = (block: Schemas['DocumentBlock']): block is Block<Type> => block.type === type;
  const block = document.nodes.find(isType);
  if (!block) {
    throw new Error(`There is no block of the type ${type}.`);
  }
  change(block);
  return printMarkdown(readWireDocument(document, { prompts: promptMarkdown }), writeRef).trimEnd();
}

const table = (head: string, row: string) =>
  `<table><thead><tr>${head}</tr></thead><tbody><tr>${row}</tr></tbody></table>`;

const setCell = (value: Schemas['DocumentTableValue']) => (block: Block<'table'>) => {
  const row = block.data.records['record-1'];
  if (row) {
    row.values['column-1'] = value;
  }
};

test.each<[type: string, before: string, value: Schemas['DocumentTableValue'], after: string]>([
  ['checkbox', 'true', false, 'false'],
  ['number', '1', 2.5, '2.5'],
  ['rating', '1', 4, '4'],
  ['number', '<strong>1</strong>', 1, '<strong>1</strong>'],
  ['number', '<strong>1</strong>', null, ''],
  ['users', '', ['u1'], '<a data-mention href="user:u1">user:u1</a>'],
  ['files', '', ['f1', 'f2'], '<a href="/files/f1">f1</a> <a href="/files/f2">f2</a>'],
  ['content-ref', '', { kind: 'page', page: 'p1' }, '<a href="/pages/p1">p1</a>'],
  ['image', '', { kind: 'url', url: 'https://e.com/a.png' }, '<a href="https://e.com/a.png">a.png</a>'],
  [
    'image',
    '<a href="b.png">b.png</a>',
    { ref: { kind: 'url', url: 'a.png' }, alt: 'A' },
    '<figure><img src="a.png" alt="A"><figcaption></figcaption></figure>',
  ],
])('a changed value replaces the blocks of a cell: %s', (type, before, value, after) => {
  const head = `<th data-type="${type}">t</th>`;
  const markdown = changed(table(head, `<td>${before}</td>`), 'table', setCell(value));
  expect(markdown).toBe(printMarkdown(parseMarkdown(table(head, `<td>${after}</td>`))).trimEnd());
});

test('selected options are written with their labels', () => {
  const head =
    '<th data-multiple>k<select><option value="a" label="A" color="red"></option><option value="b" label="B"></option></select></th>';
  const cell = (text: string) => table(head, `<td>${text}</td>`);
  expect(changed(cell('<span data-option="a">First</span>'), 'table', setCell(['a', 'b']))).toBe(
    printMarkdown(
      parseMarkdown(cell('<span data-option="a">A</span> <span data-option="b">B</span>')),
    ).trimEnd(),
  );
});

test('columns are renamed, moved, hidden and sized', () => {
  const markdown = changed(
    table('<th><em>a</em></th><th>b</th><th data-hidden>c</th>', '<td>1</td><td>2</td><td>3</td>'),
    'table',
    ({ data }) => {
      const { view, definition } = data;
      const [first] = Object.values(definition);
      if (view.type !== 'grid' || !first) {
        throw new Error('The table is no grid.');
      }
      first.title = 'A';
      view.columns = ['column-3', 'column-1'];
      view.columnWidths = { 'column-1': 250 };
      view.hideHeader = true;
    },
  );
  expect(markdown).toBe(
    '<table data-header-hidden="true"><thead><tr><th>c</th><th width="250">A</th><th data-hidden="true">b</th></tr></thead><tbody><tr><td>3</td><td>1</td><td>2</td></tr></tbody></table>',
  );
});

test('attributes change with the properties that they are written as, and remain otherwise', () => {
  const code = '{% code x="1" expandable="true" y="2" %}\n```js\na\n```\n{% endcode %}';
  const collapsed = changed(code, 'code', ({ data }) => {
    data.expandable = false;
    data.collapsedLineCount = 5;
  });
  expect(collapsed).toBe(
    '{% code x="1" expandable="false" y="2" collapsedLineCount="5" %}\n```js\na\n```\n{% endcode %}',
  );
  const columns = '{% columns %}\n{% column width="auto" x="1" %}\na\n{% endcolumn %}\n{% endcolumns %}';
  expect(
    changed(columns, 'columns', ({ nodes }) => {
      for (const { data } of nodes) {
        data.width = { unit: '%', value: 25 };
        data.verticalAlignment = 'bottom';
      }
    }),
  ).toBe(
    '{% columns %}\n{% column width="25%" x="1" verticalAlignment="bottom" %}\na\n{% endcolumn %}\n{% endcolumns %}',
  );
  const updates = '{% updates %}\n{% update %}\na\n{% endupdate %}\n{% endupdates %}';
  expect(
    changed(updates, 'updates', ({ data, nodes }) => {
      data.format = 'short';
      for (const update of nodes) {
        update.data.date = '2026-04-01T00:00:00.000Z';
        update.data.tags = [{ kind: 'tag', tag: 'new' }];
      }
    }),
  ).toBe(
    '{% updates format="short" %}\n{% update date="2026-04-01" tags="new" %}\na\n{% endupdate %}\n{% endupdates %}',
  );
});

test('the changed code of a prompt is its Markdown', () => {
  const prompt = '{% prompt description="d" %}\nOne *word*.\n{% endprompt %}';
  const code = (text: string): Schemas['DocumentCodeLineBlock'] => ({
    object: 'block',
    type: 'code-line',
    data: {},
    nodes: [{ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] }],
  });
  expect(
    changed(prompt, 'prompt', ({ nodes: [block] }) => {
      block?.nodes.splice(0, 1, code('# Two'), code('**words**'));
    }),
  ).toBe('{% prompt description="d" %}\n## Two\n\n**words**\n{% endprompt %}');
});

test('emoji are written by name, or as characters without one', () => {
  const document = writeDocument(parseMarkdown(':rocket:'));
  const [paragraph] = document.nodes;
  const emoji = (code: string, name?: string): Schemas['DocumentInlineNode'] => ({
    object: 'inline',
    type: 'emoji',
    isVoid: true,
    data: { code, ...(name !== undefined && { name }) },
  });
  expect(paragraph).toMatchObject({ nodes: [{ type: 'emoji', data: { code: '1f680', name: 'rocket' } }] });
  const nodes = [emoji('1f600', 'rocket'), emoji('1f680'), emoji('1f1e6'), emoji('rocket')];
  const read = readWireDocument({
    ...document,
    nodes: nodes.map((node) => ({ object: 'block', type: 'paragraph', nodes: [node] })),
  });
  expect(printMarkdown(read)).toBe(':grinning:\n\n:rocket:\n\n🇦\n\n:rocket:\n');
});
