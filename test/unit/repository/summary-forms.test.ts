import { describe, expect, test } from 'vitest';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import type { ImportedPage } from '../../../server/content/repository/types.ts';
import { comparable, exported, type Files, inMemory, written } from './writing-samples.ts';

const pages: Files = {
  'README.md': '',
  ...Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`${name}.md`, ''])),
  'part/README.md': '',
  'with space.md': '',
  'file.pdf': '',
};

/** The tree as one line per entry: its type, title and target. */
function outline(level: readonly ImportedPage[], indent = ''): string[] {
  return level.flatMap((page): string[] => {
    const line = `${indent}${page.type} ${page.title}`;
    switch (page.type) {
      case 'document':
        return [`${line} = ${page.git.path}`, ...outline(page.pages, `${indent}  `)];
      case 'group':
        return [line, ...outline(page.pages, `${indent}  `)];
      case 'link': {
        const { target } = page;
        const anchor = target.kind === 'page' && target.anchor !== undefined ? `#${target.anchor}` : '';
        return [`${line} -> ${target.kind === 'url' ? target.url : target.path + anchor}`];
      }
      default:
        return [line];
    }
  });
}

const read = (summary: string) => readRepository(inMemory({ ...pages, 'SUMMARY.md': summary }));

/** Each form with the entries that a reader of its documentation expects. */
const forms: readonly (readonly [name: string, summary: string, entries: string[]])[] = [
  // mdBook
  [
    'prefix chapters, one per line of a paragraph',
    '# Summary\n\n[A](a.md)\n[B](./b.md)\n\n- [C](c.md)\n',
    ['document A = a.md', 'document B = b.md', 'document C = c.md'],
  ],
  [
    'prefix chapters without a title of the file',
    '[Introduction](README.md)\n\n# Guide\n\n- [A](a.md)\n',
    ['document Introduction = README.md', 'group Guide', '  document A = a.md'],
  ],
  [
    'a link above groups',
    '# Table of contents\n\n[Overview](./README.md)\n\n## Guide\n\n* [A](a.md)\n',
    ['document Overview = README.md', 'group Guide', '  document A = a.md'],
  ],
  [
    'part titles with chapters and sub-chapters',
    '# Summary\n\n# One\n\n- [A](a.md)\n   - [B](b.md)\n\n# Two\n\n- [C](c.md)\n',
    ['group One', '  document A = a.md', '    document B = b.md', 'group Two', '  document C = c.md'],
  ],
  [
    'suffix chapters',
    '# Summary\n\n# Part\n\n- [A](a.md)\n\n[B](b.md)\n[C](c.md)\n',
    ['group Part', '  document A = a.md', 'document B = b.md', 'document C = c.md'],
  ],
  [
    'suffix chapters after a separator',
    '# Summary\n\n# Part\n\n- [A](a.md)\n\n-----------\n\n[B](b.md)\n',
    ['group Part', '  document A = a.md', 'document B = b.md'],
  ],
  [
    'a chapter outside the list of its part',
    '# Summary\n\n# Part\n\n[A](a.md)\n\n---\n\n- [B](b.md)\n',
    ['group Part', '  document A = a.md', 'document B = b.md'],
  ],
  [
    'draft chapters',
    '# Summary\n\n[Draft above]()\n\n- [A](a.md)\n  - [Draft]()\n- [Draft below]()\n',
    ['group Draft above', 'document A = a.md', '  group Draft', 'group Draft below'],
  ],
  [
    'separators between chapters',
    '- [A](a.md)\n---\n- [B](b.md)\n---\n- [C](c.md)\n',
    ['document A = a.md', 'document B = b.md', 'document C = c.md'],
  ],
  [
    'chapters in comments, which are not listed',
    '<!--\n- [B](b.md)\n-->\n- [A](a.md)\n<!-- [C](c.md) -->\n- [D](d.md)\n',
    ['document A = a.md', 'document D = d.md'],
  ],
  ['titles on several lines', '- [A\n  chapter](a.md)\n', ['document A chapter = a.md']],
  ['targets in angle brackets', '- [A](<with space.md>)\n', ['document A = with space.md']],
  // HonKit
  [
    'parts divided by headings and lines',
    '# Summary\n\n### Part I\n\n* [A](a.md)\n\n### Part II\n\n* [B](b.md)\n\n----\n\n* [C](c.md)\n',
    ['group Part I', '  document A = a.md', 'group Part II', '  document B = b.md', 'document C = c.md'],
  ],
  [
    'anchors of a listed page',
    '* [Part](part/README.md)\n    * [One](part/README.md#one)\n    * [Two](part/README.md#two)\n',
    [
      'document Part = part/README.md',
      '  link One -> part/README.md#one',
      '  link Two -> part/README.md#two',
    ],
  ],
  [
    'an anchor before the listed page',
    '* [One](a.md#one)\n* [A](a.md)\n',
    ['link One -> a.md#one', 'document A = a.md'],
  ],
  [
    'anchors of a page that is not listed',
    '* [One](a.md#one)\n* [Two](a.md#two%20words)\n',
    ['document One = a.md', 'link Two -> a.md#two words'],
  ],
  [
    'entries without a link',
    '# Summary\n\n* [A](a.md)\n    * Unfinished article\n* Unfinished chapter\n',
    ['document A = a.md', '  group Unfinished article', 'group Unfinished chapter'],
  ],
  [
    'empty lines between entries',
    '* [A](a.md)\n    * [B](b.md)\n\n* [C](c.md)\n\n    * [D](d.md)\n\n* [E](e.md)\n',
    [
      'document A = a.md',
      '  document B = b.md',
      'document C = c.md',
      '  document D = d.md',
      'document E = e.md',
    ],
  ],
  [
    'backslashes and leading slashes',
    '* [A](\\a.md)\n* [B](/b.md)\n',
    ['document A = a.md', 'document B = b.md'],
  ],
  [
    'HTML instead of Markdown',
    '<ul>\n<li><a href="a.md">A &amp; <b>more</b></a></li>\n<li><a class=x href=b.md>B</a></li>\n</ul>\n',
    ['document A & more = a.md', 'document B = b.md'],
  ],
  // The platform
  [
    'groups with anchors',
    '# Table of contents\n\n* [A](a.md)\n\n## Use headings <a href="#u" id="u"></a>\n\n* [B](b.md)\n',
    ['document A = a.md', 'group Use headings', '  document B = b.md'],
  ],
  [
    'titles of links',
    '* [A](a.md "Label")\n* [B](b.md \'Label\')\n',
    ['document A = a.md', 'document B = b.md'],
  ],
  [
    'addresses of websites',
    '* [Status](https://status.example.com/?a=1&b=2#c)\n* <https://example.com/>\n* https://example.org/x\n* [Us](mailto:us@example.com)\n',
    [
      'link Status -> https://status.example.com/?a=1&b=2#c',
      'link https://example.com/ -> https://example.com/',
      'link https://example.org/x -> https://example.org/x',
      'link Us -> mailto:us@example.com',
    ],
  ],
  [
    'entries below an address',
    '* [Site](https://example.com/)\n  * [A](a.md)\n',
    ['link Site -> https://example.com/', 'document A = a.md'],
  ],
  ['files', '* [Paper](file.pdf)\n', ['link Paper -> file.pdf']],
  ['folders', '* [Part](part/)\n', ['document Part = part/README.md']],
  // All of them, as people write them
  [
    'bullets of every kind',
    '* [A](a.md)\n\n- [B](b.md)\n\n+ [C](c.md)\n\n1. [D](d.md)\n2. [E](e.md)\n\n1) [F](f.md)\n',
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `document ${name.toUpperCase()} = ${name}.md`),
  ],
  ['tasks', '- [ ] [A](a.md)\n- [x] [B](b.md)\n', ['document A = a.md', 'document B = b.md']],
  [
    'nested headings',
    '# Summary\n\n## Guide\n\n### Basics\n\n* [A](a.md)\n\n### More\n\n* [B](b.md)\n\n## Reference\n\n* [C](c.md)\n',
    [
      'group Guide',
      '  group Basics',
      '    document A = a.md',
      '  group More',
      '    document B = b.md',
      'group Reference',
      '  document C = c.md',
    ],
  ],
  [
    'headings with links',
    '# [Book](README.md)\n\n## [Part](part/README.md)\n\n* [A](a.md)\n\n## See [B](b.md) and [C](c.md)\n',
    [
      'document Book = README.md',
      'group Part',
      '  document Part = part/README.md',
      '  document A = a.md',
      'group See B and C',
      '  document B = b.md',
      '  document C = c.md',
    ],
  ],
  [
    'several links in a paragraph',
    'Start with [A](a.md), then read **[B](b.md)** or\n[C](c.md).\n\n* [D](d.md)\n',
    ['a', 'b', 'c', 'd'].map((name) => `document ${name.toUpperCase()} = ${name}.md`),
  ],
  [
    'several links in an item',
    '* [A](a.md) | [B](b.md)\n* [C](c.md), [D](d.md)\n  * [E](e.md)\n',
    [
      'document A = a.md',
      'document B = b.md',
      'document C = c.md',
      '  document D = d.md',
      '  document E = e.md',
    ],
  ],
  [
    'paragraphs in an item',
    '* [A](a.md)\n\n  About it, see [B](b.md).\n\n  * [C](c.md)\n',
    ['document A = a.md', '  document B = b.md', '  document C = c.md'],
  ],
  ['text around a link', '* First: [A](a.md) (new)\n', ['document A = a.md']],
  [
    'titles with markup',
    '* [**A** `b` _c_ \\* &amp; ~](a.md)\n* **[B](b.md)**\n* [![C](x.png)](c.md)\n',
    ['document A b c * & ~ = a.md', 'document B = b.md', 'document C = c.md'],
  ],
  [
    'references',
    '* [A][a]\n* [B][]\n* [c]\n\n[a]: a.md\n[b]: b.md "B"\n[C]: c.md\n[c]: d.md\n',
    ['document A = a.md', 'document B = b.md', 'document c = c.md'],
  ],
  [
    'spaces in targets',
    '[A](with space.md)\n[B](b.md)\n\n* [C](file.pdf)\n',
    ['document A = with space.md', 'document B = b.md', 'link C -> file.pdf'],
  ],
  [
    'HTML around lists',
    '<details open>\n<summary>Guides</summary>\n\n* [A](a.md)\n\n</details>\n\n<div>\n\n[B](b.md)\n</div>\n',
    ['document A = a.md', 'document B = b.md'],
  ],
  [
    'Markdown in HTML',
    '<details>\n<summary>Guides</summary>\n* [A](a.md)\n* [B](<b.md> "t")\n</details>\n',
    ['document A = a.md', 'document B = b.md'],
  ],
  [
    'links of HTML in items',
    '* <a href="a.md">A</a>\n* <b><a href=\'b.md\'>B</a></b>\n',
    ['document A = a.md', 'document B = b.md'],
  ],
  ['quotations', '> * [A](a.md)\n>\n> [B](b.md)\n', ['document A = a.md', 'document B = b.md']],
  [
    'tables',
    '| One | Two |\n| --- | --- |\n| [A](a.md) | [B](b.md) |\n',
    ['document A = a.md', 'document B = b.md'],
  ],
  [
    'lists that are indented too far',
    '# Summary\n\n    * [A](a.md)\n      * [B](b.md)\n\n* [C](c.md)\n\n          * [D](d.md)\n',
    ['document A = a.md', '  document B = b.md', 'document C = c.md', '  document D = d.md'],
  ],
  [
    'lists that are indented too far without an empty line',
    '* Part\n      * [A](a.md)\n      * [B](b.md), [C](c.md)\n        1. Draft\n* [D](d.md)\n',
    [
      'group Part',
      '  document A = a.md',
      '  document B = b.md',
      '  document C = c.md',
      '  group Draft',
      'document D = d.md',
    ],
  ],
  [
    'pages that are listed twice',
    '* [A](a.md)\n* [B](b.md)\n  * [Again](a.md)\n    * [C](c.md)\n',
    ['document A = a.md', 'document B = b.md', '  link Again -> a.md', '  document C = c.md'],
  ],
  [
    'targets that do not exist',
    '* [Gone](gone.md)\n* [Lost](lost/)\n  * [A](a.md)\n\n[Away](away.md)\n',
    ['link Gone -> gone.md', 'group Lost', '  document A = a.md', 'link Away -> away.md'],
  ],
  [
    'unsupported addresses',
    '* [Script](javascript:alert(1))\n  * [A](a.md)\n',
    ['group Script', '  document A = a.md'],
  ],
  [
    'text without links, which is not listed',
    '# Summary\n\nRead this first.\n\n* [A](a.md)\n\n```\n* [B](b.md)\n```\n',
    ['document A = a.md'],
  ],
  ['entries without a title', '* [](a.md)\n* []()\n', ['document A = a.md', 'group Untitled']],
];

describe.each(forms)('a table of contents with %s', (_name, summary, entries) => {
  test('has the entries that it lists', () => {
    expect(outline(read(summary).pages)).toEqual(entries);
  });

  test('is unchanged by an export', () => {
    const head = { ...pages, 'SUMMARY.md': summary };
    const { texts, files, removed } = written(exported(readRepository(inMemory(head))), head);
    expect([texts, files, removed]).toEqual([new Map(), new Map(), []]);
  });

  test('has the same entries in a table of contents that is written anew', () => {
    const content = exported(read(summary));
    expect(comparable(exported(readRepository(inMemory(written(content).after))))).toEqual(
      comparable(content),
    );
  });
});
