import { describe, expect, test } from 'vitest';
import { type AnyBlock, inlineText } from '../../../server/content/markdown/document.ts';
import { type Document, parseMarkdown, printMarkdown } from '../../../server/content/markdown/markdown.ts';

type Block = Document['nodes'][number];

/** Returns the only block of a page, without keys. */
function only(markdown: string): Block {
  const { nodes } = parseMarkdown(markdown);
  expect(nodes).toHaveLength(1);
  const [block] = JSON.parse(
    JSON.stringify(nodes, (name, value) => (name === 'key' ? undefined : value)),
  ) as Block[];
  if (!block) {
    throw new Error('The page has no block.');
  }
  return block;
}

const text = (value: string, ...marks: object[]) => ({
  object: 'text',
  leaves: [{ object: 'leaf', text: value, marks }],
});
const paragraph = (...nodes: object[]) => ({
  object: 'block',
  type: 'paragraph',
  isVoid: false,
  data: {},
  nodes,
});
const mark = (type: string) => ({ object: 'mark', type });
const url = (address: string) => ({ kind: 'url', url: address });
const types = (markdown: string) => parseMarkdown(markdown).nodes.map((block) => block.type);

describe('blocks of pages', () => {
  test('reserves the first heading level for the page', () => {
    expect(types('# A\n\n## B\n\n### C\n\n#### D\n\n###### E')).toEqual([
      'heading-1',
      'heading-1',
      'heading-2',
      'heading-3',
      'heading-3',
    ]);
    expect(only('## A title <a href="#here" id="here"></a>')).toMatchObject({
      data: { id: 'here' },
      nodes: [text('A title')],
    });
  });

  test('reads hints, also if their marks touch lists', () => {
    const block = only('{% hint style="warning" icon="bolt" %}\n* a\n* b\n{% endhint %}');
    expect(block).toMatchObject({ type: 'hint', isVoid: false, data: { style: 'warning', icon: 'bolt' } });
    expect(block.nodes).toHaveLength(1);
  });

  test('keeps unknown attributes', () => {
    expect(only('{% hint style="info" foo="a \\"b\\"" %}\nx\n{% endhint %}').data).toEqual({
      style: 'info',
      attributes: { foo: 'a "b"' },
    });
  });

  test('reads code with and without a tag around it', () => {
    const code = only(
      '{% code title="a.ts" overflow="wrap" lineNumbers="true" %}\n```ts\na\n\nb\n```\n{% endcode %}',
    );
    expect(code.data).toEqual({ syntax: 'ts', title: 'a.ts', overflow: 'wrap', lineNumbers: true });
    expect(code.nodes.map((line) => line.object === 'block' && line.nodes)).toEqual([
      [text('a')],
      [],
      [text('b')],
    ]);
    expect(only('```\nx\n```').data).toEqual({});
  });

  test('puts the content of a void block into its data', () => {
    const block = only('<details>\n\n<summary>More <em>of it</em></summary>\n\nBody\n\n</details>');
    expect(block).toEqual({
      object: 'block',
      type: 'expandable',
      isVoid: true,
      nodes: [],
      data: {
        title: [
          { object: 'text', leaves: [text('More ').leaves[0], text('of it', mark('italic')).leaves[0]] },
        ],
        body: [paragraph(text('Body'))],
      },
    });
  });

  test('reads tables of markdown and HTML into definition and records', () => {
    const plain = only('| A | B |\n| - | :-: |\n| 1 | **2** |');
    expect(plain).toMatchObject({
      type: 'table',
      isVoid: true,
      data: {
        view: { type: 'grid', columns: ['column-1', 'column-2'] },
        definition: { 'column-1': { title: [text('A')], type: 'text' }, 'column-2': { align: 'center' } },
        records: {
          'record-1': {
            values: { 'column-1': [paragraph(text('1'))], 'column-2': [paragraph(text('2', mark('bold')))] },
          },
        },
      },
    });
    const cards = only(
      '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td><strong>A</strong></td><td><a href="a.md">a.md</a></td></tr></tbody></table>',
    );
    expect(cards.data).toMatchObject({
      view: { type: 'cards' },
      definition: { 'column-2': { hidden: true, card: 'target', type: 'content-ref' } },
    });
  });

  test('keeps all blocks of cells', () => {
    const cells = [
      '$$\nE=mc^2\n$$',
      '<details>\n\n<summary>Title</summary>\n\nBody\n\n</details>',
      '{% content-ref url="page.md" %}\n[page.md](page.md)\n{% endcontent-ref %}',
      '* [x] Done',
      '5. Five',
      '> quote\n>\n> $$\n> x\n> $$',
    ];
    const markdown = `<table><tbody><tr>${cells.map((cell) => `<td>\n\n${cell}\n\n</td>`).join('')}</tr></tbody></table>`;
    const once = parseMarkdown(markdown);
    const again = parseMarkdown(printMarkdown(once));
    expect(again).toEqual(once);
    const printed = printMarkdown(again);
    for (const text of ['E=mc^2', 'Title', 'Body', 'content-ref', '[x] Done', '5. Five', '> x']) {
      expect(printed).toContain(text);
    }
  });

  test('reads tags alone, with a caption, and on one line with their text', () => {
    expect(only('{% embed url="https://a.b/c_d_e" %}')).toMatchObject({
      type: 'embed',
      data: { url: 'https://a.b/c_d_e' },
    });
    expect(only('{% file src="a.pdf" %}\nThe *file*\n{% endfile %}').data).toMatchObject({
      ref: url('a.pdf'),
    });
    expect(only('{% hint style="info" %} One *line* {% endhint %}')).toMatchObject({ type: 'hint' });
    expect(only('{% content-ref url="a/b.md" %}\n[b.md](a/b.md)\n{% endcontent-ref %}').data).toEqual({
      ref: url('a/b.md'),
    });
  });

  test.each([
    ['{% include "../.gitbook/includes/x.md" %}', 'reusable-content'],
    ['{% @mermaid/diagram content="graph TD" %}', 'integration'],
    [
      '{% openapi-operation spec="p" path="/a" method="get" %}\n[OpenAPI p](u)\n{% endopenapi-operation %}',
      'openapi-operation',
    ],
    ['{% openapi-schemas spec="p" schemas="A,B" %}\n{% endopenapi-schemas %}', 'openapi-schemas'],
    ['{% openapi-webhook spec="p" name="n" method="post" %}\n{% endopenapi-webhook %}', 'openapi-webhook'],
    ['{% swagger src="a.yaml" path="/a" method="get" %}\n[a.yaml](a.yaml)\n{% endswagger %}', 'swagger'],
    ['{% stepper %}\n{% step %}\na\n{% endstep %}\n{% endstepper %}', 'stepper'],
    ['{% tabs %}\n{% tab title="x" %}\na\n{% endtab %}\n{% endtabs %}', 'tabs'],
    ['{% columns %}\n{% column width="50%" %}\na\n{% endcolumn %}\n{% endcolumns %}', 'columns'],
    ['{% updates %}\n{% update date="2025-01-01" %}\na\n{% endupdate %}\n{% endupdates %}', 'updates'],
    ['{% prompt description="x" %}\na\n{% endprompt %}', 'prompt'],
    ['{% if visitor.claims.plan == "pro" %}\na\n{% endif %}', 'if'],
    ['$$\nx\n$$', 'math'],
    ['***', 'divider'],
    ['> a', 'blockquote'],
    ['- [x] a', 'list-tasks'],
    ['3. a', 'list-ordered'],
    ['* a', 'list-unordered'],
    ['![a](b.png "c")', 'images'],
    ['<img src="a.svg" alt="" class="gitbook-drawing">', 'drawing'],
    [
      '<div align="center"><figure><img src="a.png" alt=""><figcaption></figcaption></figure></div>',
      'images',
    ],
  ])('reads %s', (markdown, type) => {
    expect(only(markdown).type).toBe(type);
  });

  test.each([
    ['**a**', text('a', mark('bold'))],
    ['_a_', text('a', mark('italic'))],
    ['~~a~~', text('a', mark('strikethrough'))],
    ['`a`', text('a', mark('code'))],
    ['<kbd>a</kbd>', text('a', mark('keyboard'))],
    ['<sup>a</sup>', text('a', mark('superscript'))],
    ['<sub>a</sub>', text('a', mark('subscript'))],
    ['<mark style="color:red;">a</mark>', text('a', { ...mark('color'), data: { text: 'red' } })],
    ['a\\\nb', text('a\nb')],
    ['$$a_b$$', { type: 'inline-math', data: { formula: 'a_b' } }],
    [':smile:', { type: 'emoji', data: { code: 'smile' } }],
    ['<i class="fa-bolt">:bolt:</i>', { type: 'icon', data: { icon: 'bolt' } }],
    [
      '<code class="expression">space.vars.a_b</code>',
      { type: 'expression', data: { expression: 'space.vars.a_b' } },
    ],
    ['[a](b.md "t")', { type: 'link', data: { ref: url('b.md'), title: 't' }, nodes: [text('a')] }],
    ['<a data-mention href="b.md">b.md</a>', { type: 'mention', data: { ref: url('b.md') } }],
    [
      '<a href="b" class="button secondary" data-icon="x">Go</a>',
      { type: 'button', data: { ref: url('b'), kind: 'secondary', icon: 'x', label: 'Go' } },
    ],
    ['a <img src="i.png" alt="" data-size="line">', text('a ')],
    ['<foo>', { leaves: [{ text: '<foo>', raw: true }] }],
  ])('parses the line %s', (markdown, node) => {
    expect(only(markdown).nodes[0]).toMatchObject(node);
  });

  test.each([
    ['https://a.b/c', 'https://a.b/c'],
    ['www.a.b', 'http://www.a.b'],
    ['me@a.b', 'mailto:me@a.b'],
    ['me&#64;a.b', 'mailto:me@a.b'],
    ['https\\://a.b', 'https://a.b'],
    ['* x\n\n  > **www\\.a.b**', 'http://www.a.b'],
  ])('makes a link of the URL %s', (markdown, address) => {
    expect(JSON.stringify(parseMarkdown(markdown))).toContain(JSON.stringify(url(address)));
    expect(JSON.stringify(parseMarkdown(`me@x.y\n\n${markdown}`))).toContain(JSON.stringify(url(address)));
  });

  test('reads notes as annotations of the text before them', () => {
    const block = parseMarkdown('See [this](#user-content-fn-1)[^1].\n\n[^1]: A note').nodes[0];
    expect(block?.nodes[1]).toMatchObject({
      type: 'annotation',
      data: { body: [{ type: 'paragraph' }] },
      nodes: [text('this')],
    });
  });

  test('has the annotations of tables in HTML, and prints them', () => {
    const cell = (href: string) =>
      `<table><tbody><tr><td><a data-footnote-ref href="${href}">this</a><ul><li>x</li></ul></td></tr></tbody></table>`;
    const markdown = `${cell('#user-content-fn-Über')}\n\n[^über]: A note\n`;
    const annotated = (text: string) => JSON.stringify(parseMarkdown(text).nodes).includes('"annotation"');
    expect(annotated(markdown)).toBe(true);
    const printed = printMarkdown(parseMarkdown(markdown));
    expect(printed).toContain('<a data-footnote-ref="" href="#user-content-fn-1">this</a>');
    expect(printed).toMatch(/\n\[\^1\]: A note\n$/);
    expect(annotated(printed)).toBe(true);
    expect(annotated(cell('#user-content-fn-2'))).toBe(false);
  });

  test('has the annotations of code in HTML, each on one line, and prints them', () => {
    const note = (text: string) => `<a data-footnote-ref href="#user-content-fn-Key">${text}</a>`;
    const markdown = `<pre class="language-js"><code class="lang-js">run(${note('a &#x3C; 1,\n  b')});\n<strong>${note('last')}\n</strong></code></pre>\n\n[^key]: A note\n`;
    const document = parseMarkdown(markdown);
    const code = document.nodes[0];
    const linesOf = (block: AnyBlock | undefined) =>
      block?.type === 'code'
        ? block.nodes.map(({ nodes }) => nodes.map((node) => [node.object, inlineText([node])]))
        : [];
    const lines = [
      [
        ['text', 'run('],
        ['inline', 'a < 1,'],
      ],
      [['text', '  b);']],
      [['inline', 'last']],
    ];
    expect(linesOf(code)).toEqual(lines);
    expect(printMarkdown(document)).toBe(
      '<pre class="language-js"><code class="lang-js">run(<a data-footnote-ref="" href="#user-content-fn-1">a &#x3C; 1,</a>\n  b);\n<strong><a data-footnote-ref="" href="#user-content-fn-2">last</a>\n</strong></code></pre>\n\n[^1]: A note\n\n[^2]: A note\n',
    );
    expect(linesOf(parseMarkdown(printMarkdown(document)).nodes[0])).toEqual(lines);
    const missing = '<pre><code>a <a data-footnote-ref href="#user-content-fn-none">b</a>\n</code></pre>';
    expect(linesOf(parseMarkdown(missing).nodes[0])).toEqual([[['text', 'a b']]]);
  });

  test('keeps unmatched tags and unknown markup as text', () => {
    for (const markdown of [
      '{% hint style="info" %}\n',
      '{% endtabs %}\n',
      '{% youtube id="a" %}\n',
      '<math src="x">\n</math>\n',
    ]) {
      expect(printMarkdown(parseMarkdown(markdown))).toBe(markdown);
    }
    expect(types('{% tabs %}\n{% tab title="x" %}\na\n{% endtab %}')).toEqual(['tabs']);
  });

  test('does not read times, paths and prices as emoji and formulas', () => {
    const line = 'at 10:20:30, a::b::c, $5 and $6';
    expect(only(line).nodes).toEqual([text(line)]);
  });

  test('writes references in the requested form', () => {
    const document: Document = {
      object: 'document',
      data: {},
      nodes: [
        {
          object: 'block',
          type: 'paragraph',
          isVoid: false,
          data: {},
          nodes: [
            {
              object: 'inline',
              type: 'link',
              isVoid: false,
              data: { ref: { kind: 'page', page: 'pg_1' } },
              nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: 'x', marks: [] }] }],
            },
          ],
        },
      ],
    };
    expect(printMarkdown(document)).toBe('[x](page:pg_1)\n');
    expect(printMarkdown(document, () => 'x.md')).toBe('[x](x.md)\n');
  });
});
