import { array, assert, constantFrom, integer, oneof, property, string, tuple } from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, test } from 'vitest';
import type { RepositoryFiles } from '../../../server/content/repository/files.ts';
import { readPlainLines } from '../../../server/content/repository/read/plain-lines.ts';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import type { SummaryEntry } from '../../../server/content/repository/read/summary.ts';
import type { ImportedPage } from '../../../server/content/repository/types.ts';
import { codePoint } from '../../../spec/toolchain/model/schema/code-points.ts';
import { manyPages } from '../../support/content/repositories.ts';
import { costRatio } from '../../support/processes/processor-time.ts';
import { runs } from '../../support/seed.ts';
import { parseSummary } from './reading-samples.ts';

function inMemory(files: Record<string, string>): RepositoryFiles {
  const list = Object.entries(files).map(([path, text]) => ({
    path,
    oid: path,
    size: text.length,
    mode: '100644',
  }));
  return { list: () => list, read: (path) => Buffer.from(files[path] ?? '') };
}

function* all(pages: readonly ImportedPage[]): Generator<ImportedPage> {
  for (const page of pages) {
    yield page;
    if ('pages' in page) {
      yield* all(page.pages);
    }
  }
}

/** Returns every text in a value, and the name of each of its fields. */
function* texts(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield value;
  }
  if (typeof value !== 'object' || value === null) {
    return;
  }
  for (const [name, part] of Object.entries(value)) {
    yield name;
    yield* texts(part);
  }
}

const title = constantFrom(
  'One',
  'Two & three',
  'a',
  '1. One',
  '# x',
  'Ü n',
  '日本',
  'C#',
  'x #',
  '- y',
  '&amp;',
  '***',
  '',
);
const target = constantFrom(
  'a.md',
  './a.md',
  'b.md',
  'gone.md',
  'd/',
  'https://example.com/?a=1',
  '#',
  'x y.md',
  'b.md "t"',
);
const item = tuple(
  constantFrom('', '', '  ', '    ', '   ', ' ', '      ', '\t'),
  constantFrom('*', '*', '-', '+', '1.'),
  constantFrom(' ', ' ', ' ', '  ', ''),
  oneof(
    tuple(title, target).map(([text, where]) => `[${text}](${where})`),
    tuple(title, target).map(([text, where]) => `[${text}](${where})`),
    title,
    constantFrom('[a]', '[a](<b.md>)', '```yaml', '```', '`a`', '<!--', '-->', '[x]: b.md'),
  ),
).map((parts) => parts.join(''));
const line = oneof(
  { arbitrary: item, weight: 8 },
  tuple(constantFrom('# ', '## ', '###', '  ## '), title).map((parts) => parts.join('')),
  constantFrom('', '', '***', '---', '   ', 'prose', '\u200B* [a](a.md)', '## A <a href="#a" id="a"></a>'),
);
const summary = array(line, { maxLength: 30 }).map((lines) => lines.join('\n'));

/** Common lines, with occasional elements that change them. */
const usual = oneof(
  {
    arbitrary: tuple(
      constantFrom('', '', '', '  ', '    ', '      ', ' '),
      constantFrom('*', '*', '-', '+'),
      oneof(
        tuple(title, target).map(([text, where]) => ` [${text}](${where})`),
        constantFrom(' Group', ' Group & more', ' &lt;', ' 1. x', ' [a]', ''),
      ),
    ).map((parts) => parts.join('')),
    weight: 12,
  },
  constantFrom('', '## Part', '## C #', '## &amp;', '***', '---', '# Again', '## A <a href="#a" id="a"></a>'),
);
const usualSummary = array(usual, { minLength: 1, maxLength: 6 }).map((lines) => lines.join('\n'));
/** Long enough to be parsed in pieces, with a cut at unusual lines. */
const longSummary = tuple(
  array(usual, { minLength: 57, maxLength: 60 }),
  array(oneof(line, constantFrom('* ```yaml', '  a: b', '```', '<!--', '<div>', '-->')), {
    minLength: 1,
    maxLength: 5,
  }),
  array(usual, { minLength: 3, maxLength: 70 }),
).map((parts) => parts.flat().join('\n'));

/** The result of the markdown parser alone for a table of contents; a link definition forces it. */
function parsedAtOnce(text: string): SummaryEntry[] {
  const raised = (entries: SummaryEntry[]): SummaryEntry[] =>
    entries.map((entry) => ({ ...entry, line: entry.line - 2, entries: raised(entry.entries) }));
  return raised(parseSummary(`[nobody names this]: x\n\n${text}`));
}

describe('a table of contents', () => {
  test('is parsed equally line by line, in pieces and completely', () => {
    for (const [summaries, numRuns] of [
      [usualSummary, runs(400)],
      [longSummary, runs(40)],
    ] as const) {
      assert(
        property(summaries, (text) => {
          expect(parseSummary(text)).toEqual(parsedAtOnce(text));
        }),
        { numRuns },
      );
    }
  });

  test('is not split within code that a line before its fence has ended', () => {
    const item = '* [Page](a.md)\n';
    const text = `* \`\`\`yaml\n  a: b\n${item}\`\`\`\n${item.repeat(150)}`;
    expect(parseSummary(text)).toEqual(parsedAtOnce(text));
    expect(parseSummary(text)).toHaveLength(2);
  });

  test('without entries leaves the pages to their folders, and is reported', () => {
    const content = readRepository(inMemory({ 'SUMMARY.md': '# Table of contents\n', 'a.md': '# A\n' }));
    expect(content.pages).toMatchObject([{ title: 'A' }]);
    expect(content.problems).toMatchObject([{ path: 'SUMMARY.md' }]);
  });

  test('is parsed without the markdown parser if it has no unusual syntax', () => {
    const text = manyPages(200)['SUMMARY.md'] ?? '';
    expect(readPlainLines(text.split('\n'))).toMatchObject(
      fromMarkdown(text).children.map(({ type }) => ({ type })),
    );
  });
});

describe('for any repository', () => {
  const yaml = array(
    oneof(
      constantFrom(
        'title: x',
        'cover: [',
        'layout:',
        '  width: wide',
        'vars: {a: 1.10}',
        '- a',
        '? b',
        '&a x: *a',
        '!!x y',
        '"',
        "'",
        '{',
        '%YAML 9',
        '...',
        '---',
        '\u200Bicon: y',
        '__proto__: 1',
        'description: "\\uD800\\0"',
      ),
      string({ maxLength: 12 }),
    ),
    { maxLength: 12 },
  ).map((lines) => lines.join('\n'));
  const anything = string({ unit: codePoint, maxLength: 200 });

  test('each page is read once, under a unique path', () => {
    assert(
      property(
        oneof(summary, anything),
        yaml,
        yaml,
        oneof(anything, summary),
        integer({ min: 0, max: 3 }),
        (contents, matter, other, body, kind) => {
          const files = {
            'SUMMARY.md': kind === 0 ? '' : contents,
            'a.md': `---\n${matter}\n---\n${body}`,
            'b.md': body,
            'd/README.md': body,
            '.gitbook.yaml': kind === 1 ? matter : `${other}\n`,
            '.gitbook/vars.yaml': other,
            '.gitbook/includes/i.md': `---\n${other}\n---\n${body}`,
          };
          const content = readRepository(inMemory(files));
          const pages = [...all(content.pages)];
          const paths = pages.flatMap((page) => ('path' in page ? [page.path] : []));
          expect(new Set(paths).size).toBe(paths.length);
          expect(new Set(pages.map(({ key }) => key)).size).toBe(pages.length);
          for (const page of pages) {
            expect(page.title.trim()).not.toBe('');
          }
          for (const text of texts(content)) {
            expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
          }
        },
      ),
      { numRuns: runs(150) },
    );
  });

  test('reading takes linear time', () => {
    const read = (files: Record<string, string>) => () => void readRepository(inMemory(files));
    const same = (count: number) => ({
      'SUMMARY.md': '## Setup\n\n* [x](https://example.com/)\n\n'.repeat(count),
    });
    // Eight times as much text, with a margin for noise: quadratic time would be 64 times as much.
    expect(costRatio(read(same(4000)), read(same(500)), 32)).toBeLessThanOrEqual(32);
    expect(costRatio(read(manyPages(1000)), read(manyPages(125)), 32)).toBeLessThanOrEqual(32);
  });
});
