import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { addressesIn } from '../../../server/content/links/text-links.ts';
import { mapOutsideFences } from '../../../server/content/markdown/fences.ts';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import { searchSections } from '../../../server/content/markdown/sections.ts';
import { rawMarkupIn } from '../../support/content/raw-markup.ts';
import { sampleRepositories } from '../../support/content/repositories.ts';

/** The structure of a page: a line a block or inline, with its data, two spaces a level. */
function outline(markdown: string): string[] {
  const lines: string[] = [];
  const visit = (node: object, level: number): void => {
    const pad = '  '.repeat(level);
    if ('leaves' in node && Array.isArray(node.leaves)) {
      for (const { text, marks, raw } of node.leaves) {
        const types = marks.map(({ type }: { type: string }) => type).join(' ');
        lines.push(`${pad}${raw ? 'RAW ' : ''}${types === '' ? '' : `${types} `}${JSON.stringify(text)}`);
      }
      return;
    }
    if ('type' in node && 'data' in node && 'nodes' in node && Array.isArray(node.nodes)) {
      const data = JSON.stringify(node.data);
      lines.push(`${pad}${node.type}${data === '{}' || node.type === 'table' ? '' : ` ${data}`}`);
      for (const inner of node.nodes) {
        visit(inner, level + 1);
      }
    }
  };
  for (const block of parseMarkdown(markdown).nodes) {
    visit(block, 0);
  }
  return lines;
}

describe('markdown as authors write it', () => {
  test.each([
    ["{% hint style='danger' %}\nx\n{% endhint %}", ['hint {"style":"danger"}', '  paragraph', '    "x"']],
    ['{% hint style=danger %}\nx\n{% endhint %}', ['hint {"style":"danger"}', '  paragraph', '    "x"']],
    ["{% embed url='https://a.b/%}' %}", ['embed {"url":"https://a.b/%}"}']],
    ["{% include 'a.md' %}", ['reusable-content {"ref":{"kind":"url","url":"a.md"}}']],
    [
      '{% hint style="info" %}\n* x\n  {% endhint %}\n\nafter',
      [
        'hint {"style":"info"}',
        '  list-unordered',
        '    list-item',
        '      paragraph',
        '        "x"',
        'paragraph',
        '  "after"',
      ],
    ],
    [
      '{% hint style="info" %}\n1. a\n\n   {% endhint %}\n2. b',
      [
        'hint {"style":"info"}',
        '  list-ordered',
        '    list-item',
        '      paragraph',
        '        "a"',
        'list-ordered {"start":2}',
        '  list-item',
        '    paragraph',
        '      "b"',
      ],
    ],
    [
      '{% hint style="info" %}\n<table><tr><td>a</td></tr></table>\n{% endhint %}',
      ['hint {"style":"info"}', '  table'],
    ],
    [
      '{% hint style="info" %}\n<figure><img src="a.png"></figure>\n{% endhint %}\ntext',
      [
        'hint {"style":"info"}',
        '  images',
        '    image {"ref":{"kind":"url","url":"a.png"}}',
        'paragraph',
        '  "text"',
      ],
    ],
    [
      '<pre class="language-js"><code class="lang-js">a &#x3C; b\n<strong>c\n</strong>\nd\n</code></pre>',
      [
        'code {"syntax":"js"}',
        '  code-line',
        '    "a < b"',
        '  code-line {"highlighted":true}',
        '    "c"',
        '  code-line',
        '  code-line',
        '    "d"',
      ],
    ],
    ['<!-- a\n\nb -->', ['comment {"text":"a\\n\\nb"}']],
    ['x <!-- a --> y', ['paragraph', '  "x "', '  comment {"text":"a"}', '  " y"']],
    [
      '<u>a</u> <ins>b</ins> <b>c</b>',
      ['paragraph', '  underline "a"', '  " "', '  underline "b"', '  " "', '  bold "c"'],
    ],
    ['<span data-option="id1">a</span>', ['paragraph', '  span {"option":"id1"}', '    "a"']],
    ['<span data-gb-custom-inline data-tag="emoji" data-code="1f600"></span>', ['paragraph', '  "😀"']],
    ['<span class="x">a</span>', ['paragraph', '  span {"attributes":{"class":"x"}}', '    "a"']],
    ['a <a name="x"></a> b', ['paragraph', '  "a "', '  anchor {"id":"x"}', '  " b"']],
    ['## a <a name="x"></a>', ['heading-1 {"id":"x"}', '  "a"']],
    ['## a {#x}', ['heading-1 {"id":"x"}', '  "a"']],
    ['a {#x}\n---', ['heading-1 {"id":"x"}', '  "a"']],
    ['## a \\{#x}', ['heading-1', '  "a {#x}"']],
    ['## a {#x} b', ['heading-1', '  "a {#x} b"']],
    ['## a <a id="x"></a> <a id="y"></a>', ['heading-1 {"id":"x"}', '  "a "', '  anchor {"id":"y"}']],
    ['a <code>`</code> b `c', ['paragraph', '  "a "', '  code "</code> b "', '  "c"']],
    ['a</b> <i>b\n\n<u>\n\nc', ['paragraph', '  "a b"', 'paragraph', '  "c"']],
    ['a <a name="x"> b', ['paragraph', '  "a "', '  anchor {"id":"x"}', '  " b"']],
    ['a\n\n</details>\n\nb', ['paragraph', '  "a"', 'paragraph', '  "b"']],
    ['<p>a</p>\n<p>b', ['paragraph', '  "a"', 'paragraph', '  "b"']],
    ['<p><img src="a.png"></p>', ['images', '  image {"ref":{"kind":"url","url":"a.png"}}']],
    ['<div align="center">\n\n## a\n\n</div>', ['heading-1 {"align":"center"}', '  "a"']],
    ['<center>a</center>', ['paragraph {"align":"center"}', '  "a"']],
    ['<blockquote>a</blockquote>\n<hr>', ['blockquote', '  paragraph', '    "a"', 'divider']],
    [
      '<ol start="3"><li>a<li>b</ol>',
      [
        'list-ordered {"start":3}',
        '  list-item',
        '    paragraph',
        '      "a"',
        '  list-item',
        '    paragraph',
        '      "b"',
      ],
    ],
    ['<iframe src="https://a.b"></iframe>', ['embed {"url":"https://a.b"}']],
    [
      '<img src="a.png">\nSome **text**',
      ['images', '  image {"ref":{"kind":"url","url":"a.png"}}', 'paragraph', '  "Some "', '  bold "text"'],
    ],
    [
      '{% method method="get" %}\nx\n{% endmethod %}',
      ['tag {"name":"method","content":"method=\\"get\\"","paired":true}', '  paragraph', '    "x"'],
    ],
    [
      '{% code-tabs %}\n{% code-tabs-item title="a.js" %}\nx\n{% endcode-tabs-item %}\n{% endcode-tabs %}',
      ['tabs', '  tabs-item {"title":"a.js"}', '    paragraph', '      "x"'],
    ],
    ['> [!NOTE]\n> x', ['hint {"style":"info"}', '  paragraph', '    "x"']],
    [
      '> [!caution]\n>\n> x\n> - y',
      [
        'hint {"style":"danger"}',
        '  paragraph',
        '    "x"',
        '  list-unordered',
        '    list-item',
        '      paragraph',
        '        "y"',
      ],
    ],
    ['> [!NOTE] x', ['blockquote', '  paragraph', '    "[!NOTE] x"']],
    ['> [!OTHER]\n> x', ['blockquote', '  paragraph', '    "[!OTHER] x"']],
    ['<video src="https://a.example/v.mp4" controls></video>', ['embed {"url":"https://a.example/v.mp4"}']],
    ['<audio controls><source src="b/a.mp3"></audio>', ['file {"ref":{"kind":"url","url":"b/a.mp3"}}']],
    ['<img src="a.png"width="1" />', ['images', '  image {"ref":{"kind":"url","url":"a.png"},"width":"1"}']],
    ["<p><img src='a.png'' alt=b></p>", ['images', '  image {"ref":{"kind":"url","url":"a.png"},"alt":"b"}']],
    ['a <b and "c" d> e', ['paragraph', '  "a <b and \\"c\\" d> e"']],
    ['type <time> or <data>', ['paragraph', '  "type "', '  RAW "<time>"', '  " or "', '  RAW "<data>"']],
    ['{% page-ref page="a/b.md" %}', ['content-ref {"ref":{"kind":"url","url":"a/b.md"}}']],
    [
      '{% youtube id="a" %}\n\nx',
      ['tag {"name":"youtube","content":"id=\\"a\\"","paired":false}', 'paragraph', '  "x"'],
    ],
    ['a {% raw %} b', ['paragraph', '  "a "', '  tag {"name":"raw"}', '  " b"']],
  ])('reads %j', (markdown, expected) => {
    expect(outline(markdown).map((line) => line.replace(/,"key":"\w+"/g, ''))).toEqual(expected);
  });

  test('reads details without an end up to the end of the page, with their title', () => {
    expect(parseMarkdown('<details>\n<summary>a</summary>\n\nb\n\n* c').nodes).toMatchObject([
      {
        type: 'expandable',
        data: {
          title: [{ leaves: [{ text: 'a' }] }],
          body: [{ type: 'paragraph' }, { type: 'list-unordered' }],
        },
      },
    ]);
  });

  test('reads a table of HTML whose cells have blank lines, span rows, or have options', () => {
    const [table] = parseMarkdown(
      '<table>\n<tr><th>A<select><option value="o" label="L" color="red"></option></select></th><th>B</th></tr>\n' +
        '<tr><td rowspan="2">a</td><td>\n\n* b\n\n</td></tr>\n<tr><td><span data-option="o">L</span></td></tr>\n</table>',
    ).nodes;
    expect(table).toMatchObject({
      type: 'table',
      data: {
        definition: {
          'column-1': { type: 'select', options: [{ id: 'o', label: 'L', color: 'red' }] },
          'column-2': { type: 'text' },
        },
        records: {
          'record-1': {
            values: { 'column-1': [{ type: 'paragraph' }], 'column-2': [{ type: 'list-unordered' }] },
          },
          'record-2': { values: { 'column-2': [{ nodes: [{ type: 'span', data: { option: 'o' } }] }] } },
        },
      },
    });
  });

  test.each([
    ['<!-- secret -->\n\na <!-- hidden --> b', 'a b'],
    ['a\n\n<!-- one\n\ntwo [l](m.md)\n```\n-->\n\nb', 'a\nb'],
    ['`<!--` and `-->` are delimiters', '<!-- and --> are delimiters'],
    ['a <!-- x --> b `<!--` <!-- y --> c', 'a b <!-- c'],
    ['a <!-- without end', 'a <!-- without end'],
    ["{% tab title='One' %}\nx\n{% endtab %}", 'One\nx'],
    ['{% hint style="info" icon="bolt" %}\nx\n{% endhint %}', 'x'],
    [
      '{% api-method method="get" path="/a\\_b" %}\n{% api-method-parameter name="id" required=true deprecated=false %}\nx\n{% endapi-method-parameter %}\n{% endapi-method %}',
      'get · /a_b\nid · required\nx',
    ],
    ['* a\n  ```\n  code\n* b **c**', 'a\ncode\nb c'],
  ])('searches %j', (markdown, body) => {
    expect(searchSections(markdown)[0]?.body).toBe(body);
  });

  test('searches headings with a named anchor', () => {
    expect(searchSections('## A <a name="b"></a>')).toEqual([{ id: 'b', title: 'A', path: '#b', body: '' }]);
  });

  test.each([
    '* a\n  ```js\n  code\n* [b](b.md)\n\n[c](c.md)',
    '1. a\n\n   ~~~\n   code\n\n[b](b.md) and [c](c.md)',
    '> ```\n> code\n\n[b](b.md) [c](c.md)',
  ])('finds the links after code without an end: %j', (markdown) => {
    expect(addressesIn(markdown)).toEqual(['b.md', 'c.md']);
    const changed = mapOutsideFences(markdown, (line) => line.replaceAll('b.md', 'd.md'));
    expect(addressesIn(changed)).toEqual(['d.md', 'c.md']);
  });
});

describe('documents', () => {
  const fixtures = new URL('../../fixtures/markdown/', import.meta.url);
  const texts = [
    ...readdirSync(fixtures).map((name) => [name, readFileSync(new URL(name, fixtures), 'utf8')] as const),
    ...sampleRepositories.flatMap(({ name, files }) =>
      Object.entries(files).flatMap(([path, text]) =>
        path.endsWith('.md') && typeof text === 'string' ? [[`${name}/${path}`, text] as const] : [],
      ),
    ),
  ];

  test.each(texts)('contain no raw tags, comments or known elements: %s', (_, text) => {
    expect(rawMarkupIn(parseMarkdown(text.replace(/^---\n[\s\S]*?\n---\n/, '')))).toEqual([]);
  });
});
