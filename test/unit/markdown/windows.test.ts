import fc from 'fast-check';
import type { RootContent } from 'mdast';
import { describe, expect, test } from 'vitest';
import { syntaxNodes } from '../../../server/content/markdown/read/parse/windows.ts';
import { syntaxTree } from '../../../server/content/markdown/syntax.ts';
import { ORDINARY_SHAPES } from '../../support/content/markdown-shapes.ts';
import { runs } from '../../support/seed.ts';
import { page } from './arbitrary.ts';

/** Blocks that contain blocks. */
const CONTAINERS = new Set(['blockquote', 'footnoteDefinition', 'list', 'listItem']);

/**
 * Returns the nodes relevant to a document: with the positions of blocks, without the spread of lists. The ends of
 * containers are not compared: the parser includes the markers of a following line in some of them.
 */
function essence(nodes: readonly RootContent[], areBlocks = true): unknown {
  return nodes.map((node) => {
    const { position, ...rest } = node;
    const isContainer = CONTAINERS.has(node.type);
    return {
      ...rest,
      spread: undefined,
      start: areBlocks ? position?.start.offset : undefined,
      end: areBlocks && !isContainer ? position?.end.offset : undefined,
      ...('children' in node && { children: essence(node.children, isContainer) }),
    };
  });
}

const expectSame = (markdown: string, characters: number) =>
  expect(essence(syntaxNodes(markdown, characters))).toEqual(essence(syntaxTree(markdown).children));

/** Lines that start, continue or end blocks, or look like it. */
const line = fc.constantFrom(
  '',
  '',
  '',
  'text',
  'see [a], [b][a], ![a] and [^n]',
  '# heading [a]',
  '===',
  '---',
  '***',
  '* item',
  '- item',
  '- [ ] task',
  '*',
  '1. one',
  '2. two',
  '3) three',
  '  indented by two',
  '    indented by four',
  '\tindented by a tab',
  '  * nested',
  '   1. nested',
  '> quote',
  '> * quoted item',
  '>',
  '```',
  '~~~ js',
  '  ```',
  '$$',
  '<div>',
  '<!-- a',
  '-->',
  '<b>inline</b>',
  '| a | b |',
  '| - | - |',
  '[a]: /a',
  '[A]: /other "title"',
  "'title'",
  '[^n]: note',
  '[^n]:',
  '[^m]: - in a note',
  '{% hint style="info" %}',
  '{% endhint %}',
  '\ufeffmark',
  'a\\',
);

/** Lines that are rows of a table, or look like it. */
const row = fc.constantFrom(
  '| a | b |',
  '| a |',
  '| a | b | c |',
  'a | b',
  'no pipe',
  '|',
  '||',
  '|-|-|',
  '| :-: | -: |',
  '| \\| `x | y` |',
  '| `x \\| y` | *a |',
  '| [a] | [^n] |',
  '| <b> | </b> |',
  '| me@example.com | www.example.com |',
  '  | indented by two | x |',
  '    | indented by four | x |',
  '| {% hint %} |',
  '{% hint %}',
  '\ufeff| a |',
);

const table = fc
  .tuple(
    fc.constantFrom('| - | - |', '|:-|-:|', '-|-'),
    fc.array(fc.oneof({ arbitrary: row, weight: 9 }, line), { maxLength: 10 }),
  )
  .map(([delimiters, rows]) => ['| a | b |', delimiters, ...rows]);

const quoted = (lines: fc.Arbitrary<string[]>) =>
  fc
    .array(fc.tuple(fc.constantFrom('> ', '> ', '> ', '> ', '>', '>  ', ' > ', '>\t', ''), lines), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => ['', ...parts.flatMap(([marker, lines]) => lines.map((text) => marker + text)), '']);

const listed = (lines: fc.Arbitrary<string[]>) =>
  lines.map((all) => all.map((text, index) => (index === 0 ? '* ' : '  ') + text));

/** Tables, also in quotations and lists at any depth, between other lines. */
const nested = fc.letrec<{ lines: string[] }>((tie) => ({
  lines: fc
    .array(
      fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        fc.array(line, { minLength: 1, maxLength: 3 }),
        table,
        quoted(tie('lines')),
        listed(tie('lines')),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.flat()),
})).lines;

describe('parsing in windows', () => {
  test('returns the same as parsing at once, for lines in any order', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.integer({ min: 1, max: 80 }), (lines, characters) => {
        expectSame(lines.join('\n'), characters);
      }),
      { numRuns: runs(200) },
    );
  });

  test('returns the same as parsing at once, for tables and quotations', () => {
    fc.assert(
      fc.property(nested, fc.integer({ min: 1, max: 80 }), (lines, characters) => {
        expectSame(lines.join('\n'), characters);
      }),
      { numRuns: runs(60) },
    );
  });

  test.each([
    ['a header that a list would start', 'text\n1) | a\n   -|-\n| b | c |\n| d | e |\n'],
    ['a header and cells that refer to a later label', '| [a] | b |\n|-|-|\n| [a] |\n| [a] |\n\n[a]: /a'],
    ['code that continues in the next row', '| a |\n| - |\n| `b |\n| c` |\n| \\`d \\| |\n'],
    ['rows after which other blocks follow', '| a |\n| - |\n| b |\n| c |\n> d\n| e |\n'],
    ['a lazy line after a quotation', '> a\n> b\nc\n> d\n'],
    ['a tab after the marker of a quotation', '> a\n>\n>\t  b\n>\n>  \tc\n>\n> *\td\n>    e\n'],
    ['an open fence at the end of a quotation', '> * ```\n> > a\n>\n> ~~~\n>\n\nb'],
    ['a byte order mark in a quotation', '> \ufeffa\n> \ufeffb\n'],
    ['labels in quotations', 'see [a]\n\n> > [b]\n> see [b]\n>\n> [a]: /a\n\n> [b]: /b\n> [^c]: d'],
  ])('returns the same as parsing at once, for %s', (_, markdown) => {
    for (let characters = 1; characters < 30; characters++) {
      expectSame(markdown, characters);
    }
  });

  test('parses a table of any length, because its rows are limited by number and not by length', () => {
    const markdown = `| a |\n| - |\n${'|::::::::|\n'.repeat(12_000)}`;
    const [table] = syntaxNodes(markdown);
    expect(table?.type === 'table' && table.children.length).toBe(12_001);
    expect(table?.position?.end.offset).toBe(markdown.length - 1);
  });

  test('does not end a window after indented code, which has no closing mark', () => {
    expectSame('    code\n\n2. no list\n\n<b>\n', 1);
  });

  test('returns the same as parsing at once, for pages of all constructs', () => {
    const pages = fc.array(page, { minLength: 1, maxLength: 2 }).map((parts) => parts.join('\n\n'));
    fc.assert(
      fc.property(pages, fc.integer({ min: 50, max: 500 }), (markdown, characters) => {
        expectSame(markdown, characters);
      }),
      { numRuns: 30 },
    );
  });

  test.each(Object.entries(ORDINARY_SHAPES))('returns the same as parsing at once, for %s', (_, shape) => {
    expectSame(shape(6000), 500);
  });
});
