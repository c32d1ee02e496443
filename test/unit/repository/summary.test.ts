import { array, assert, constantFrom, integer, oneof, property, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import {
  parseSummary,
  parseSummaryInSteps,
  type SummaryEntry,
} from '../../../server/content/repository/read/summary.ts';
import type { ImportedPage } from '../../../server/content/repository/types.ts';
import { runs } from '../../support/seed.ts';
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

function* links(entries: readonly SummaryEntry[]): Generator<SummaryEntry> {
  for (const entry of entries) {
    if (entry.target !== undefined) {
      yield entry;
    }
    yield* links(entry.entries);
  }
}

describe('a table of contents', () => {
  /** Each text with the number of its links; `@` stands for a target of its own. */
  const inline = constantFrom<[string, number]>(
    ['[T](@)', 1],
    ['[T](@)', 1],
    ['**[T](@)**', 1],
    ['[T](@) and [U](@)', 2],
    ['text [T](<@> "title")', 1],
    ['[T](a folder/@)', 1],
    ['<a href="@">T</a>', 1],
    ['[![i](i.png)](@)', 1],
    ['Group', 0],
    ['`[no](link.md)`', 0],
  );
  const line = oneof(
    {
      weight: 6,
      arbitrary: tuple(integer({ min: 0, max: 3 }), constantFrom('* ', '- ', '+ ', '1. '), inline).map(
        ([level, marker, [text, count]]): [string, number] => [
          `${'   '.repeat(level)}${marker}${text}`,
          count,
        ],
      ),
    },
    { weight: 2, arbitrary: inline.map(([text, count]): [string, number] => [`\n${text}\n`, count]) },
    inline.map(([text, count]): [string, number] => [`\n## ${text.replace('a folder/', '')}\n`, count]),
    constantFrom<[string, number]>(
      ['', 0],
      ['\n---\n', 0],
      ['\n<!-- [no](link.md) -->\n', 0],
      ['\n<!--\n* [no](link.md)\n-->\n', 0],
      ['\n<div>\n\n[T](@)\n\n</div>\n', 1],
      ['\n<ul><li><a href="@">T</a>, [T](@)</li></ul>\n', 2],
      ['\n> [T](@)\n', 1],
      ['\n```\n[no](link.md)\n```\n', 0],
    ),
  );
  const text = array(line, { minLength: 1, maxLength: 40 }).map((lines) => {
    let targets = 0;
    const next = () => {
      targets += 1;
      return `t${targets}.md`;
    };
    const all = lines.map(([part]) => part.replaceAll('@', next)).join('\n');
    return {
      summary: `# Summary\n\n${all}\n`,
      count: lines.reduce((sum, [, each]) => sum + each, 0),
      targets,
    };
  });

  test('lists each link once, on its line', () => {
    assert(
      property(text, ({ summary, count, targets }) => {
        expect(count).toBe(targets);
        const found = [...links(parseSummary(summary))];
        const lines = summary.split('\n');
        const names = found.map(({ target = '' }) => target.replace('a folder/', ''));
        expect(names.toSorted()).toEqual(Array.from({ length: targets }, (_, at) => `t${at + 1}.md`).sort());
        for (const { target = '', line } of found) {
          expect(lines[line - 1]).toContain(target);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test('has each link as one page, link or group', () => {
    assert(
      property(text, integer(), ({ summary, targets }, seed) => {
        const names = Array.from({ length: targets }, (_, at) => `t${at + 1}.md`);
        const listed = summary.replaceAll('a folder/', '');
        const kinds = ['page', 'missing', 'twice', 'part', 'https', 'script'];
        const kindOf = (name: string) => kinds[Math.abs(seed + Number(name.slice(1, -3))) % kinds.length];
        const files = Object.fromEntries(
          names.filter((name) => ['page', 'twice'].includes(kindOf(name) ?? '')).map((name) => [name, '']),
        );
        const targetOf = (name: string) =>
          ({
            twice: names.find((other) => kindOf(other) === 'twice') ?? name,
            part: `${name}#part`,
            https: `https://example.com/${name}`,
            script: `javascript:${name}`,
          })[kindOf(name) ?? ''] ?? name;
        const text = listed.replace(/\bt\d+\.md/g, targetOf).replace('# Summary', '');
        const countOf = (level: readonly ImportedPage[]): number =>
          level.reduce((sum, page) => sum + 1 + ('pages' in page ? countOf(page.pages) : 0), 0);
        const { pages } = readRepository(inMemory({ ...files, 'SUMMARY.md': text }));
        const headings = [...text.matchAll(/^## /gm)].length;
        const texts = [...text.matchAll(/^ *(?:[*+-]|1\.) (?:`|Group)/gm)].length;
        // Without any entry, pages are arranged by folders.
        const count = targets + headings + texts;
        expect(countOf(pages)).toBe(count === 0 ? Object.keys(files).length : count);
      }),
      { numRuns: runs(200) },
    );
  });

  test.each([
    ['HTML', '<div>\n\n', '\n</div>\n'],
    ['HTML without an empty line', '<div>\n', '\n</div>\n'],
    ['a comment', '<!--\n* [No](no.md)\n-->\n\n', ''],
    ['comments in items', '* [First](first.md) <!--\n  hidden -->\n', ''],
    ['a definition', '[x]: y.md\n\n', '\n* [Defined][x]\n'],
    ['code', '* ```yaml\n  type: builtin:openapi\n', ''],
    ['one root', '* [Root](root.md)\n', '', '  '],
    ['one root with numbers', '* [Root](root.md)\n', '', '  ', '1.'],
    ['a space before each entry', '', '', ' '],
    ['tabs', '* [Root](root.md)\n', '', '\t'],
  ])('of many entries is read in short steps with %s', (_name, before, after, indent = '', marker = '*') => {
    const count = 3_000;
    const items = Array.from({ length: count }, (_, at) => `${indent}${marker} [A & _${at}_](p${at}.md)`);
    const summary = `# Summary\n\n${before}${items.join('\n')}\n${after}`;
    const steps = parseSummaryInSteps(summary);
    let parts = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      parts += 1;
    }
    const found = [...links(step.value)].map(({ target }) => target);
    expect(new Set(found).size).toBe(found.length);
    expect(found.filter((target) => /^p\d+\.md$/.test(target ?? ''))).toHaveLength(count);
    expect(parts).toBeGreaterThanOrEqual(count / 500);
  });

  test('of many entries resolves references to definitions anywhere', () => {
    const items = Array.from({ length: 2_000 }, (_, at) => `* [Page ${at}][p${at % 400}]\n  * [Below][b]\n`);
    const definitions = Array.from({ length: 400 }, (_, at) => `[p${at}]: p${at}.md\n`);
    const found = [...links(parseSummary(`${items.join('')}\n${definitions.join('')}\n[b]: b.md\n`))];
    expect(found.map(({ target }) => target)).toEqual(items.flatMap((_, at) => [`p${at % 400}.md`, 'b.md']));
  });

  test('reports problems on the lines of the file', () => {
    const summary = '---\ntitle: x\n---\n\n# Summary\n\n[Gone](gone.md)\n[Lost](lost.md)\n';
    expect(read(summary).problems).toMatchObject([{ line: 7 }, { line: 8 }]);
  });

  test('that is malicious takes time in proportion to its length', () => {
    for (const part of ['<a href=x>', '[x](', '<a ', '](', '<!--', '[', '<div>\n', '<a href="', "='"]) {
      for (const start of ['', '<div>\n', '* <div>\n', '* <a href="x">']) {
        parseSummaryOrThrow(`${start}${part.repeat(30_000)}`);
      }
    }
  });
});

/** A text that is too costly is rejected, which is also quick. */
function parseSummaryOrThrow(text: string): void {
  try {
    parseSummary(text);
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
  }
}
