import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnyBlock, Document } from '../../../server/content/markdown/document.ts';
import { normalizedText, parseMarkdown, readMarkdown } from '../../../server/content/markdown/markdown.ts';
import { DocumentSource } from '../../../server/content/markdown/read/read.ts';
import { reviseMarkdown } from '../../../server/content/markdown/revise/revise.ts';
import { compareLines } from '../../../server/content/merge/hunks.ts';
import { sampleRepositories } from '../../support/content/repositories.ts';
import { runs } from '../../support/seed.ts';
import { page } from './arbitrary.ts';

const fixtures = new URL('../../fixtures/markdown/', import.meta.url);
const samples: (readonly [name: string, text: string])[] = [
  ...readdirSync(fixtures).map((name) => [name, readFileSync(new URL(name, fixtures), 'utf8')] as const),
  ...sampleRepositories.flatMap(({ name, files }) =>
    Object.entries(files).flatMap(([path, text]) =>
      path.endsWith('.md') && typeof text === 'string' ? [[`${name}/${path}`, text] as const] : [],
    ),
  ),
];

const addressOf = (ref: { kind: string; url?: string }): string => ref.url ?? ref.kind;
const revise = (markdown: string, document: Document) => reviseMarkdown(markdown, document, addressOf);
/** A document as a client sends it: without keys. */
const sent = (document: Document): Document =>
  JSON.parse(JSON.stringify(document, (name, value) => (name === 'key' ? undefined : value))) as Document;

/** The paragraphs of a document that are not in a table or note, outermost first. */
function paragraphsOf(blocks: readonly AnyBlock[]): Extract<AnyBlock, { type: 'paragraph' }>[] {
  return blocks.flatMap((block) => {
    if (block.type === 'paragraph') {
      return [block];
    }
    if (block.type === 'expandable') {
      return paragraphsOf(block.data.body);
    }
    return paragraphsOf(block.nodes.filter((node) => node.object === 'block'));
  });
}

/** Reads a text, with the ranges of its blocks. */
function readWithRanges(markdown: string) {
  const source = new DocumentSource();
  return { markdown, ranges: source.ranges, ...readMarkdown(markdown, source) };
}

/** Changes one paragraph of a text, and returns the lines that differ and those of the paragraph. */
function changeParagraph(
  { markdown, ranges, document: original, first }: ReturnType<typeof readWithRanges>,
  at: number,
) {
  if (!first) {
    return undefined;
  }
  const before = paragraphsOf(first.nodes)[at];
  const document = sent(original);
  const changed = paragraphsOf(document.nodes)[at];
  const range = before && ranges.get(before);
  if (!changed || !range || JSON.stringify(sent(first).nodes) !== JSON.stringify(document.nodes)) {
    return undefined;
  }
  // The definition of a note is removed with the last reference to it.
  if (JSON.stringify(changed).includes('"annotation"')) {
    return undefined;
  }
  changed.nodes = [{ object: 'text', leaves: [{ object: 'leaf', text: 'Replaced', marks: [] }] }];
  const result = revise(markdown, document);
  const lines = normalizedText(markdown).split('\n');
  const lineOf = (offset: number) => normalizedText(markdown).slice(0, offset).split('\n').length - 1;
  const hunks = compareLines(lines, normalizedText(result).split('\n'));
  return { document, result, hunks, first: lineOf(range.start), last: lineOf(range.end) };
}

describe('a document that is sent back', () => {
  test.each(samples)('leaves the text as it is: %s', (_, markdown) => {
    expect(revise(markdown, sent(parseMarkdown(markdown)))).toBe(markdown);
    const windows = `\ufeff${markdown.replaceAll('\n', '\r\n')}`;
    expect(revise(windows, sent(parseMarkdown(windows)))).toBe(windows);
  });

  test.each(samples)('changes only the paragraph that is changed: %s', (_, markdown) => {
    const read = readWithRanges(markdown);
    const count = paragraphsOf(read.document.nodes).length;
    for (let at = 0; at < count; at += Math.ceil(count / 10)) {
      const change = changeParagraph(read, at);
      if (!change) {
        continue;
      }
      const { document, result, hunks, first, last } = change;
      expect(sent(parseMarkdown(result)).nodes, result).toEqual(document.nodes);
      const [from, to] = [
        Math.min(...hunks.map((hunk) => hunk.from)),
        Math.max(...hunks.map((hunk) => hunk.to)),
      ];
      expect([from, to - 1], result).toEqual([
        expect.toSatisfy((line: number) => line >= first),
        expect.toSatisfy((line: number) => line <= last),
      ]);
    }
  });

  test('leaves any page as it is', () => {
    fc.assert(
      fc.property(page, (markdown) => {
        expect(revise(markdown, sent(parseMarkdown(markdown)))).toBe(markdown);
      }),
      { numRuns: runs(15) },
    );
  });

  test('becomes the document of the text, whatever it replaces', () => {
    fc.assert(
      fc.property(page, page, (before, after) => {
        const document = parseMarkdown(after);
        expect(parseMarkdown(revise(before, sent(document)))).toEqual(document);
      }),
      { numRuns: runs(15) },
    );
  });
});

describe('a changed document', () => {
  const change = (markdown: string, edit: (document: Document) => void) => {
    const document = sent(parseMarkdown(markdown));
    edit(document);
    return revise(markdown, document);
  };
  const paragraph = (text: string): Document['nodes'][number] => {
    const [block] = sent(parseMarkdown(text)).nodes;
    if (!block) {
      throw new Error('The text has no block.');
    }
    return block;
  };
  const replaceText = (nodes: Document['nodes'], from: string, to: string) => {
    const json = JSON.stringify(nodes);
    expect(json).toContain(from);
    nodes.splice(0, nodes.length, ...(JSON.parse(json.replace(from, to)) as Document['nodes']));
  };
  const inner = (block: AnyBlock | undefined): AnyBlock[] => {
    if (!block) {
      throw new Error('There is no such block.');
    }
    // The blocks of a block can be of fewer types; the tests add fitting ones.
    return (block.type === 'expandable' ? block.data.body : block.nodes) as AnyBlock[];
  };

  test.each<[string, string, (document: Document) => void, string]>([
    ['adds a block', '*a*\n***\nb', ({ nodes }) => nodes.push(paragraph('new')), '*a*\n***\nb\n\nnew'],
    ['adds a block at the start', '*a*\n', ({ nodes }) => nodes.unshift(paragraph('new')), 'new\n\n*a*\n'],
    ['adds a block to an empty page', '', ({ nodes }) => nodes.push(paragraph('new')), 'new\n'],
    ['removes a block', '*a*\n\n\nb\n\n- c\n', ({ nodes }) => nodes.splice(1, 1), '*a*\n\n- c\n'],
    ['removes the first block', '*a*\n\n\nb\n', ({ nodes }) => nodes.splice(0, 1), 'b\n'],
    ['removes all blocks', '*a*\n', ({ nodes }) => nodes.splice(0, 1), '\n'],
    [
      'moves a block',
      '*a*\n\n- b\n\nc\n',
      ({ nodes }) => nodes.push(...nodes.splice(0, 1)),
      '- b\n\nc\n\n*a*\n',
    ],
    [
      'changes a paragraph in a list in a quotation',
      '> - *a*\n>\n>   b\n> - *c*\n',
      ({ nodes }) => inner(inner(inner(nodes[0])[0])[0]).splice(1, 1, paragraph('new')),
      '> - *a*\n>\n>   new\n> - *c*\n',
    ],
    [
      'changes a word of a paragraph with line breaks',
      '> One two\n> three *four*\n> five.\n',
      ({ nodes }) => replaceText(nodes, 'two', 'too'),
      '> One too\n> three *four*\n> five.\n',
    ],
    [
      'changes a word of a paragraph with lazy lines',
      '- One two\nthree\n  - *four* five\n six\n',
      ({ nodes }) => replaceText(nodes, 'five', 'seven'),
      '- One two\nthree\n  - *four* seven\n six\n',
    ],
    [
      'keeps the ID at the end of a heading',
      '## *One* two {#the-id}\n\n## \\{#text}\n',
      ({ nodes }) => replaceText(nodes, ' two', ' three'),
      '## *One* three {#the-id}\n\n## \\{#text}\n',
    ],
    [
      'changes a cell of a table',
      '| Name   | Value  |\n|:-------|-------:|\n| *one*  | `1` x  |\n| two    | 2      |\n',
      ({ nodes }) => replaceText(nodes, ' x', ' y'),
      '| Name   | Value  |\n|:-------|-------:|\n| *one*  | `1` y  |\n| two    | 2      |\n',
    ],
    [
      'adds a row to a table',
      '| A   | B   |\n|-----|-----|\n| a   | b   |\n\nc\n',
      ({ nodes }) => nodes.splice(0, 1, paragraph('| A | B |\n| - | - |\n| a | b |\n| x | y |\n')),
      '| A   | B   |\n|-----|-----|\n| a   | b   |\n| x | y |\n\nc\n',
    ],
    [
      'removes a row of a table',
      '| A   | B   |\n|-----|-----|\n| a   | b   |\n| c   | d   |\n| e   | f   |\n',
      ({ nodes }) => nodes.splice(0, 1, paragraph('| A | B |\n| - | - |\n| a | b |\n| e | f |\n')),
      '| A   | B   |\n|-----|-----|\n| a   | b   |\n| e   | f   |\n',
    ],
    [
      'changes a cell of an HTML table',
      "<table><thead><tr><th width='120'>A</th><th data-hidden>B</th></tr></thead>\n<tbody>\n  <tr><td><b>one</b> two</td><td>x</td></tr>\n  <tr><td>three</td><td>y</td></tr>\n</tbody></table>\n",
      ({ nodes }) => replaceText(nodes, 'three', 'four'),
      "<table><thead><tr><th width='120'>A</th><th data-hidden>B</th></tr></thead>\n<tbody>\n  <tr><td><b>one</b> two</td><td>x</td></tr>\n  <tr><td>four</td><td>y</td></tr>\n</tbody></table>\n",
    ],
    [
      'prints a paragraph of which little remains',
      'One two\nthree.\n',
      ({ nodes }) => nodes.splice(0, 1, paragraph('Another sentence, of a different author.')),
      'Another sentence, of a different author.\n',
    ],
    [
      'adds an item to a list',
      '1) *a*\n2) b\n\nc\n',
      ({ nodes }) => inner(nodes[0]).push(...inner(paragraph('* new'))),
      '1) *a*\n2) b\n3) new\n\nc\n',
    ],
    [
      'removes an item of a list',
      '- *a*\n- b\n- *c*\n',
      ({ nodes }) => inner(nodes[0]).splice(1, 1),
      '- *a*\n- *c*\n',
    ],
    [
      'completes a task',
      '- [ ] *a*\n- [ ] b\n',
      ({ nodes }) => {
        Object.assign(inner(nodes[0])[1] ?? {}, { data: { checked: true } });
      },
      '- [ ] *a*\n- [x] b\n',
    ],
    [
      'changes a block in tabs',
      "{% tabs %}\n{% tab title='One' %}\n*a*\n{% endtab %}\n\n  {% tab title='Two' %}\n  b\n  {% endtab %}\n{% endtabs %}\n",
      ({ nodes }) => inner(inner(nodes[0])[1]).splice(0, 1, paragraph('new')),
      "{% tabs %}\n{% tab title='One' %}\n*a*\n{% endtab %}\n\n  {% tab title='Two' %}\n  new\n  {% endtab %}\n{% endtabs %}\n",
    ],
    [
      'changes a block in tabs with a stray end tag',
      '{% tabs %}\n{% tab title="One" %}\n*a*\n\nb\n{% endtab %}\n{% endtab %}\n{% endtabs %}\n',
      ({ nodes }) => inner(inner(nodes[0])[0]).splice(1, 1, paragraph('new')),
      '{% tabs %}\n{% tab title="One" %}\n*a*\n\nnew\n{% endtab %}\n{% endtab %}\n{% endtabs %}\n',
    ],
    [
      'changes a block in an expandable block',
      '<details>\n\n<summary>A</summary>\n\n*a*\n\nb\n\n</details>\n',
      ({ nodes }) => inner(nodes[0]).splice(1, 1, paragraph('new')),
      '<details>\n\n<summary>A</summary>\n\n*a*\n\nnew\n\n</details>\n',
    ],
    [
      'changes a block in an expandable block without an end',
      '<details>\n<summary>A</summary>\n\n*a*\n\nb\n\n- c\n',
      ({ nodes }) => inner(nodes[0]).splice(1, 1, paragraph('new')),
      '<details>\n<summary>A</summary>\n\n*a*\n\nnew\n\n- c\n',
    ],
    [
      'changes a block beside tags without counterparts',
      '<b>\n\n*a* </i>\n\nb <code>`x`\n\n</details>\n\n- c <u>\n',
      ({ nodes }) => nodes.splice(1, 1, paragraph('new')),
      '<b>\n\n*a* </i>\n\nnew\n\n</details>\n\n- c <u>\n',
    ],
    [
      'changes a block in a division',
      '<div id="x" class="y">\n\n*a*\n\nb\n\n</div>\n',
      ({ nodes }) => nodes.splice(2, 1, paragraph('new')),
      '<div id="x" class="y">\n\n*a*\n\nnew\n\n</div>\n',
    ],
    [
      'keeps the level of a heading',
      '# *a*\n\n##### b\n',
      ({ nodes }) => nodes.splice(1, 1, paragraph('#### new')),
      '# *a*\n\n##### new\n',
    ],
    [
      'separates lists',
      '- a\n\nb\n',
      ({ nodes }) => nodes.splice(1, 1, paragraph('- new')),
      '- a\n\n* new\n',
    ],
    [
      'keeps definitions',
      '[a][b]\n\nc\n\n[b]: d.md\n',
      ({ nodes }) => nodes.splice(1, 1, paragraph('new')),
      '[a][b]\n\nnew\n\n[b]: d.md\n',
    ],
    [
      'keeps comments',
      '<!-- a -->\n\n*b*\n\nc\n',
      ({ nodes }) => nodes.splice(2, 1, paragraph('new')),
      '<!-- a -->\n\n*b*\n\nnew\n',
    ],
    [
      'keeps the labels of notes',
      '*a*[^x]\n\nb[^y]\n\n[^x]: one\n[^y]: *two*\n',
      ({ nodes }) => nodes.splice(1, 1, paragraph('new[^1]\n\n[^1]: *two*')),
      '*a*[^x]\n\nnew[^y]\n\n[^x]: one\n[^y]: *two*\n',
    ],
    [
      'changes a note in its place',
      '*a*[^x]\n\n*b*[^y]\n\n[^x]: one\n\n[^y]: two\n',
      ({ nodes }) => nodes.splice(1, 1, paragraph('_b_[^1]\n\n[^1]: new')),
      '*a*[^x]\n\n*b*[^y]\n\n[^x]: one\n\n[^y]: new\n',
    ],
    [
      'changes a word of a paragraph with notes, which keeps its lines and marks',
      '*a*\n__b__[^y] d[^x]\nc\n\n[^x]: one\n[^y]: two\n',
      ({ nodes }) => nodes.splice(0, 1, paragraph('*a* **b**[^1] d[^2] new\n\n[^1]: two\n\n[^2]: one')),
      '*a*\n__b__[^y] d[^x]\nnew\n\n[^x]: one\n[^y]: two\n',
    ],
    [
      'changes a word of a note, whose lines and marks remain',
      '*a*\n__b__[^y]\n\n[^y]: __one__\n  two\n  three\n',
      ({ nodes }) => nodes.splice(0, 1, paragraph('*a* **b**[^1]\n\n[^1]: **one** new three')),
      '*a*\n__b__[^y]\n\n[^y]: __one__\n  new\n  three\n',
    ],
    [
      'removes the definition of a removed note',
      '*a*[^x]\n\nb[^y]\n\n[^x]: one\n\n[^y]: two\n',
      ({ nodes }) => nodes.splice(1, 1, paragraph('new')),
      '*a*[^x]\n\nnew\n\n[^x]: one\n',
    ],
    [
      'adds a note',
      '*a*[^1]\n\nb\n\n[^1]: one\n',
      ({ nodes }) => nodes.splice(1, 1, paragraph('new[^1]\n\n[^1]: two')),
      '*a*[^1]\n\nnew[^2]\n\n[^2]: two\n\n[^1]: one\n',
    ],
    [
      'keeps the line endings',
      '*a*\r\n\r\nb\r\n',
      ({ nodes }) => nodes.push(paragraph('new')),
      '*a*\r\n\r\nb\r\n\r\nnew\r\n',
    ],
  ])('%s', (_, markdown, edit, expected) => {
    expect(change(markdown, edit)).toBe(expected);
  });

  test('keeps references in another form', () => {
    const document = sent(parseMarkdown('*a* [b](/pages/page_1)\n\nc'));
    const json = JSON.stringify(document).replace(
      '{"kind":"url","url":"/pages/page_1"}',
      '{"kind":"page","page":"page_1"}',
    );
    const changed = JSON.parse(json) as Document;
    changed.nodes.push(paragraph('new'));
    const text = reviseMarkdown('*a* [b](/pages/page_1)\n\nc', changed, (ref) =>
      ref.kind === 'page' ? `/pages/${ref.page}` : 'url' in ref ? ref.url : '',
    );
    expect(text).toBe('*a* [b](/pages/page_1)\n\nc\n\nnew');
  });
});
